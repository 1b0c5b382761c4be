package resourcespec

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func unknownOf(t *testing.T, of attr.Type) attr.Value {
	t.Helper()
	value, err := of.ValueFromTerraform(t.Context(), tftypes.NewValue(of.TerraformType(t.Context()), tftypes.UnknownValue))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestValidateNamesAndMounts(t *testing.T) {
	t.Parallel()
	const at = "source_config.resource_spec."
	names := func(t *testing.T, list string, names ...attr.Value) attr.Value {
		t.Helper()
		elements := make([]map[string]attr.Value, len(names))
		for i, name := range names {
			elements[i] = map[string]attr.Value{"name": name}
			if list == "volumes" {
				elements[i]["empty_dir_json"] = jsonText("{}")
			}
		}
		return objectList(t, []string{list}, elements...)
	}
	unknown := types.StringUnknown()
	unknownElement := func(t *testing.T, list string) attr.Value {
		t.Helper()
		o := types.ObjectType{AttrTypes: elementTypes(t, list)}
		return types.ListValueMust(o, []attr.Value{types.ObjectUnknown(o.AttrTypes)})
	}
	unknownList := func(t *testing.T, list string) attr.Value {
		t.Helper()
		return types.ListUnknown(types.ObjectType{AttrTypes: elementTypes(t, list)})
	}
	mounts := func(t *testing.T, in string, names ...string) attr.Value {
		t.Helper()
		var mounts []map[string]attr.Value
		for i, name := range names {
			mounts = append(mounts, map[string]attr.Value{"name": text(name), "mount_path": text(fmt.Sprintf("/x%d", i))})
		}
		return objectList(t, []string{in}, map[string]attr.Value{
			"name": text("c"), "image": text("i"), "volume_mounts": objectList(t, []string{in, "volume_mounts"}, mounts...),
		})
	}
	mount := names(t, "volume_mounts", text("v"))
	for name, test := range map[string]struct {
		spec map[string]attr.Value
		want []string
	}{
		"nothing":                     {nil, nil},
		"unique":                      {map[string]attr.Value{"volumes": names(t, "volumes", text("a"), text("b"))}, nil},
		"a volume twice":              {map[string]attr.Value{"volumes": names(t, "volumes", text("a"), text("b"), text("a"))}, []string{"error " + at + "volumes[2].name: Duplicate name"}},
		"thrice":                      {map[string]attr.Value{"volumes": names(t, "volumes", text("a"), text("a"), text("a"))}, []string{"error " + at + "volumes[1].name: Duplicate name", "error " + at + "volumes[2].name: Duplicate name"}},
		"unknown names":               {map[string]attr.Value{"volumes": names(t, "volumes", unknown, unknown)}, nil},
		"unknown between":             {map[string]attr.Value{"volumes": names(t, "volumes", text("a"), unknown, text("a"))}, []string{"error " + at + "volumes[2].name: Duplicate name"}},
		"a pull secret twice":         {map[string]attr.Value{"image_pull_secrets": names(t, "image_pull_secrets", text("a"), text("a"))}, []string{"error " + at + "image_pull_secrets[1].name: Duplicate name"}},
		"containers share a space":    {map[string]attr.Value{"init_containers": names(t, "init_containers", text("a")), "sidecars": names(t, "sidecars", text("a"))}, []string{"error " + at + "sidecars[0].name: Duplicate name"}},
		"a volume as a container":     {map[string]attr.Value{"volumes": names(t, "volumes", text("a")), "sidecars": names(t, "sidecars", text("a"))}, nil},
		"mounted":                     {map[string]attr.Value{"volumes": names(t, "volumes", text("v")), "volume_mounts": mount}, nil},
		"mounted twice":               {map[string]attr.Value{"volumes": names(t, "volumes", text("v")), "volume_mounts": names(t, "volume_mounts", text("v"), text("v"))}, nil},
		"no volumes":                  {map[string]attr.Value{"volume_mounts": mount}, []string{"error " + at + "volume_mounts[0].name: Mount without volume"}},
		"another volume":              {map[string]attr.Value{"volumes": names(t, "volumes", text("w")), "volume_mounts": mount}, []string{"error " + at + "volume_mounts[0].name: Mount without volume"}},
		"unknown volumes":             {map[string]attr.Value{"volumes": unknownList(t, "volumes"), "volume_mounts": mount}, nil},
		"a volume of unknown name":    {map[string]attr.Value{"volumes": names(t, "volumes", unknown), "volume_mounts": mount}, nil},
		"a volume that is unknown":    {map[string]attr.Value{"volumes": unknownElement(t, "volumes"), "volume_mounts": mount}, nil},
		"a mount of unknown name":     {map[string]attr.Value{"volume_mounts": names(t, "volume_mounts", unknown)}, nil},
		"unknown mounts":              {map[string]attr.Value{"volume_mounts": unknownList(t, "volume_mounts")}, nil},
		"a container that is unknown": {map[string]attr.Value{"sidecars": unknownElement(t, "sidecars")}, nil},
		"unknown containers":          {map[string]attr.Value{"sidecars": unknownList(t, "sidecars"), "init_containers": unknownList(t, "init_containers")}, nil},
		"mounts of containers": {
			map[string]attr.Value{"volumes": names(t, "volumes", text("v")), "init_containers": mounts(t, "init_containers", "v", "w")},
			[]string{"error " + at + "init_containers[0].volume_mounts[1].name: Mount without volume"},
		},
		"several at once": {
			map[string]attr.Value{
				"cpu": types.Float64Value(2), "cpu_limit": types.Float64Value(1), "volumes": names(t, "volumes", text("a"), text("a")),
				"volume_mounts": mount, "sidecars": mounts(t, "sidecars", "w"),
			},
			[]string{
				"error " + at + "cpu: Value exceeds limit", "error " + at + "volumes[1].name: Duplicate name",
				"error " + at + "volume_mounts[0].name: Mount without volume",
				"error " + at + "sidecars[0].volume_mounts[0].name: Mount without volume",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, frameworktest.Lines(Validate(specObject(test.spec)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, open := range []types.Object{types.ObjectNull(Types()), types.ObjectUnknown(Types())} {
		frameworktest.NoDiags(t, Validate(open))
	}
}

func TestValidateContainerVariables(t *testing.T) {
	t.Parallel()
	const at = "error source_config.resource_spec.init_containers[0].env"
	variable := func(name, value, from attr.Value) map[string]attr.Value {
		return map[string]attr.Value{"name": name, "value": value, "value_from_json": from}
	}
	none, noJSON, from := types.StringNull(), jsontypes.NewNormalizedNull(), jsonText(`{"fieldRef":{}}`)
	for name, test := range map[string]struct {
		variables []map[string]attr.Value
		want      []string
	}{
		"a value":               {[]map[string]attr.Value{variable(text("A"), text("1"), noJSON)}, nil},
		"a source":              {[]map[string]attr.Value{variable(text("A"), none, from)}, nil},
		"neither":               {[]map[string]attr.Value{variable(text("A"), none, noJSON)}, nil},
		"an empty value":        {[]map[string]attr.Value{variable(text("A"), text(""), from)}, nil},
		"both":                  {[]map[string]attr.Value{variable(text("A"), text("1"), noJSON), variable(text("B"), text("1"), from)}, []string{at + "[1].value_from_json: Conflicting values"}},
		"an unknown value":      {[]map[string]attr.Value{variable(text("A"), types.StringUnknown(), from)}, nil},
		"an unknown source":     {[]map[string]attr.Value{variable(text("A"), text("1"), jsontypes.NewNormalizedUnknown())}, nil}, // It may be null.
		"a name twice":          {[]map[string]attr.Value{variable(text("A"), none, noJSON), variable(text("A"), none, noJSON)}, []string{at + "[1].name: Duplicate name"}},
		"names of unknown ones": {[]map[string]attr.Value{variable(types.StringUnknown(), none, noJSON), variable(types.StringUnknown(), none, noJSON)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := specObject(map[string]attr.Value{"init_containers": objectList(t, []string{"init_containers"}, map[string]attr.Value{
				"name": text("c"), "image": text("i"), "env": objectList(t, []string{"init_containers", "env"}, test.variables...),
			})})
			if diff := cmp.Diff(test.want, frameworktest.Lines(Validate(spec))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestGeneratedSpecsAreValid checks that validation accepts specs that the service accepts.
func TestGeneratedSpecsAreValid(t *testing.T) {
	t.Parallel()
	eachSpec(t, 40, true, func(t *testing.T, _ int64, spec types.Object) {
		t.Helper()
		if diags := Validate(spec); len(diags) > 0 {
			t.Errorf("diagnostics = %v, want none", frameworktest.Lines(diags))
		}
	})
}

// TestRefuseContainers refuses what is new only.
func TestRefuseContainers(t *testing.T) {
	t.Parallel()
	const at = "source_config.resource_spec."
	spec := func(list, image string, policy types.String) types.Object {
		return specObject(map[string]attr.Value{list: objectList(t, []string{list}, map[string]attr.Value{
			"name": text("c"), "image": text(image), "restart_policy": policy,
		})})
	}
	none, short, always := types.StringNull(), "chat@sha256:0123456789abcdef0123456789abcdef", text("Always")
	for name, test := range map[string]struct {
		planned, state types.Object
		want           []string
	}{
		"new digest":         {spec("sidecars", short, none), spec("sidecars", "chat:1", none), []string{"error " + at + "sidecars[0].image: Invalid " + at + "sidecars[0].image"}},
		"same digest":        {spec("sidecars", short, always), spec("sidecars", short, none), nil},
		"new policy":         {spec("init_containers", "chat:1", always), spec("init_containers", "chat:1", none), []string{"error " + at + "init_containers[0].restart_policy: Invalid " + at + "init_containers[0].restart_policy"}},
		"same policy":        {spec("init_containers", "chat:2", always), spec("init_containers", "chat:1", always), nil},
		"moved to a sidecar": {spec("sidecars", "chat:1", always), spec("init_containers", "chat:1", always), nil},
		"unknown":            {spec("init_containers", "chat:1", types.StringUnknown()), spec("init_containers", "chat:1", none), nil},
		"no spec":            {specObject(nil), specObject(nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, frameworktest.Lines(RefuseContainers(test.planned, test.state))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
