package resourcespec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestValidateKubernetes(t *testing.T) {
	t.Parallel()
	const at = "error source_config.resource_spec."
	volume := func(sources map[string]attr.Value) map[string]attr.Value {
		sources["name"] = text("v")
		return map[string]attr.Value{"volumes": objectList(t, []string{"volumes"}, sources)}
	}
	mounted := func(mounts ...map[string]attr.Value) map[string]attr.Value {
		for _, mount := range mounts {
			mount["name"] = text("v")
		}
		all := volume(map[string]attr.Value{"csi_json": jsonText("{}")})
		all["volume_mounts"] = objectList(t, []string{"volume_mounts"}, mounts...)
		return all
	}
	resources := framework.NestedTypes(elementTypes(t, "sidecars")["resources"])
	sidecar := func(requests, limits types.Map) map[string]attr.Value {
		return map[string]attr.Value{"sidecars": objectList(t, []string{"sidecars"}, map[string]attr.Value{
			"name": text("c"), "image": text("i"), "resources": frameworktest.Object(resources, map[string]attr.Value{"requests": requests, "limits": limits}),
		})}
	}
	one := jsonText("{}")
	for name, test := range map[string]struct {
		spec map[string]attr.Value
		want []string
	}{
		"one source":            {volume(map[string]attr.Value{"nfs_json": one}), nil},
		"no source":             {volume(map[string]attr.Value{}), []string{at + "volumes[0]: Volume without a source"}},
		"two sources":           {volume(map[string]attr.Value{"nfs_json": one, "csi_json": one}), []string{at + "volumes[0]: Volume with multiple sources"}},
		"a source is not known": {volume(map[string]attr.Value{"nfs_json": jsontypes.NewNormalizedUnknown()}), nil},
		"one of two is not known": {
			volume(map[string]attr.Value{"csi_json": one, "nfs_json": jsontypes.NewNormalizedUnknown()}), nil,
		},
		"mounts": {mounted(map[string]attr.Value{"mount_path": text("/a")}, map[string]attr.Value{"mount_path": text("/a/b")}), nil},
		"mounted twice": {
			mounted(map[string]attr.Value{"mount_path": text("/a")}, map[string]attr.Value{"mount_path": text("/a/")}),
			[]string{at + "volume_mounts[1].mount_path: Duplicate mount path"},
		},
		"places are not known": {
			mounted(map[string]attr.Value{"mount_path": types.StringUnknown()}, map[string]attr.Value{"mount_path": types.StringUnknown()}), nil,
		},
		"paths in the volume": {
			mounted(map[string]attr.Value{"mount_path": text("/a"), "sub_path": text("b"), "sub_path_expr": text("$(C)")}),
			[]string{at + "volume_mounts[0].sub_path_expr: Conflicting paths"},
		},
		"one path in the volume": {mounted(map[string]attr.Value{"mount_path": text("/a"), "sub_path_expr": text("$(C)")}), nil},
		"below the limit":        {sidecar(frameworktest.StringMap("cpu", "500m", "memory", "1Gi"), frameworktest.StringMap("cpu", "0.5", "memory", "1024Mi")), nil},
		"above the limit": {
			sidecar(frameworktest.StringMap("cpu", "1", "memory", "1Gi"), frameworktest.StringMap("cpu", "999m", "memory", "1G")),
			[]string{at + `sidecars[0].resources.requests["cpu"]: Value exceeds limit`, at + `sidecars[0].resources.requests["memory"]: Value exceeds limit`},
		},
		"no limit":      {sidecar(frameworktest.StringMap("cpu", "1"), types.MapNull(types.StringType)), nil},
		"unknown limit": {sidecar(frameworktest.StringMap("cpu", "1"), types.MapUnknown(types.StringType)), nil},
		"no quantity":   {sidecar(frameworktest.StringMap("cpu", "much"), frameworktest.StringMap("cpu", "1")), nil}, // The attribute's own validator checks this.
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, frameworktest.Lines(Validate(specObject(test.spec)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseQuantity(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "1500m": "3/2", "1k": "1000", "1Ki": "1024", "2e3": "2000", "2E-3": "1/500", "1E": "1000000000000000000", ".5": "1/2", "1.": "1",
		"3n": "3/1000000000", "1Ei": "1152921504606846976",
	} {
		got, err := parseQuantity(text)
		if err != nil || got.RatString() != want {
			t.Errorf("quantity %s = %v, %v; want %s", text, got, err, want)
		}
	}
}
