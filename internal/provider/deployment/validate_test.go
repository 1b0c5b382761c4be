package deployment

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// validate runs the complete validation of a configuration, as the framework does.
func validate(t *testing.T, m model) diag.Diagnostics {
	t.Helper()
	// Only tfsdk.State can convert a model to raw values; tfsdk.Config can't.
	encoded := tfsdk.State{Schema: deploymentSchema()}
	frameworktest.NoDiags(t, encoded.Set(t.Context(), &m))
	var config model
	frameworktest.NoDiags(t, framework.Read(t.Context(), encoded.Schema, encoded.Raw, &config))
	return validateConfig(t.Context(), config)
}

func TestValidateConfig(t *testing.T) {
	t.Parallel()
	id, unknown := text("6ba7b810-9dad-41d1-80b4-00c04fd430c8"), types.StringUnknown()
	spec, placed := specObject(nil), listenerConfig(text("agents"))
	null := types.StringNull()
	changed := func(m model, change func(*model)) model {
		change(&m)
		return m
	}
	pushed := map[string]attr.Value{"build_on_push": types.BoolValue(true)}
	ref := func(value types.String) map[string]attr.Value { return map[string]attr.Value{"repo_ref": value} }
	for name, test := range map[string]struct {
		config model
		want   []string
	}{
		"image":      {imageModel(nil), nil},
		"repository": {gitModel(nil, nil), nil},
		"image with everything": {imageModel(map[string]attr.Value{
			"custom_url": text("https://a.example.com"), "resource_spec": spec, "listener_id": id, "listener_config": placed,
			"install_command": text("npm ci"), "build_command": text("make"),
		}), nil},
		"fields of the other source": {imageModel(map[string]attr.Value{
			"integration_id": id, "repo_url": text("https://git.example.com/a"), "deployment_type": text("dev"), "build_on_push": types.BoolValue(false),
		}), []string{
			"error source_config.build_on_push: Attribute of another source", "error source_config.deployment_type: Attribute of another source",
			"error source_config.integration_id: Attribute of another source", "error source_config.repo_url: Attribute of another source",
		}},
		"fields of an image": {gitModel(map[string]attr.Value{
			"custom_url": text("https://a.example.com"), "resource_spec": spec, "listener_id": id, "listener_config": placed,
		}, map[string]attr.Value{"image_uri": text("a")}), []string{
			"error source_config.listener_config: Attribute of another source",
			"error source_config.listener_id: Attribute of another source", "error source_config.resource_spec: Attribute of another source",
			"error source_revision_config.image_uri: Attribute of another source",
		}},
		"nothing of a repository": {
			gitModel(map[string]attr.Value{"integration_id": null, "repo_url": null}, map[string]attr.Value{"repo_ref": null, "graph_config_path": null}),
			[]string{
				"error source_config.integration_id: Missing source_config.integration_id", "error source_config.repo_url: Missing source_config.repo_url",
				"error source_revision_config.graph_config_path: Missing source_revision_config.graph_config_path",
				"error source_revision_config.repo_ref: Missing source_revision_config.repo_ref",
			},
		},
		"no image": {changed(imageModel(nil), func(m *model) { m.SourceRevisionConfig = revisionConfig(nil) }), []string{
			"error source_revision_config.image_uri: Missing source_revision_config.image_uri",
		}},
		"what is missing is unknown": {
			gitModel(map[string]attr.Value{"integration_id": unknown, "repo_url": unknown}, map[string]attr.Value{"repo_ref": unknown, "graph_config_path": unknown}), nil,
		},
		"what is too much is unknown": {imageModel(map[string]attr.Value{"integration_id": unknown, "build_on_push": types.BoolUnknown()}), nil},
		"source is unknown":           {changed(gitModel(map[string]attr.Value{"custom_url": text("https://a.example.com")}, nil), func(m *model) { m.Source = unknown }), nil},
		"nested ones are unknown": {changed(imageModel(nil), func(m *model) {
			m.SourceConfig, m.SourceRevisionConfig = types.ObjectUnknown(attributeTypes("source_config")), types.ObjectUnknown(attributeTypes("source_revision_config"))
		}), nil},
		"tag with pushes":            {gitModel(pushed, ref(text("refs/tags/v1"))), []string{"error source_config.build_on_push: Tag with build_on_push"}},
		"tag without pushes":         {gitModel(nil, ref(text("refs/tags/v1"))), nil},
		"branch with pushes":         {gitModel(pushed, nil), nil},
		"unknown ref with pushes":    {gitModel(pushed, ref(unknown)), nil},
		"tag with unknown pushes":    {gitModel(map[string]attr.Value{"build_on_push": types.BoolUnknown()}, ref(text("refs/tags/v1"))), nil},
		"listener_config alone":      {imageModel(map[string]attr.Value{"listener_config": placed}), []string{"error source_config.listener_config: listener_config without listener_id"}},
		"listener_id is unknown":     {imageModel(map[string]attr.Value{"listener_config": placed, "listener_id": unknown}), nil},
		"listener_config is unknown": {imageModel(map[string]attr.Value{"listener_config": types.ObjectUnknown(placed.AttributeTypes(t.Context()))}), nil}, // It may be null.
		"a name in two maps":         {environmentOf([]string{"A", "1", "B", "1"}, []string{"A", "2"}, nil), []string{`error secrets["A"]: Variable in two maps`}},
		"a name in three maps":       {environmentOf([]string{"A", "1"}, []string{"A", "2"}, []string{"A", "3"}), []string{`error secrets["A"]: Variable in two maps`, `error secrets_wo["A"]: Variable in two maps`}},
		"names in different maps":    {environmentOf([]string{"A", "1"}, []string{"B", "2"}, []string{"C", "3"}), nil},
		"an unknown map":             {changed(environmentOf([]string{"A", "1"}, nil, nil), func(m *model) { m.Secrets = types.MapUnknown(types.StringType) }), nil},
		"unknown values": {changed(environmentOf([]string{"A", "1"}, nil, nil), func(m *model) {
			m.Secrets = types.MapValueMust(types.StringType, map[string]attr.Value{"A": unknown, "B": unknown})
		}), []string{`error secrets["A"]: Variable in two maps`}},
		"a mask": {environmentOf([]string{"A", "*****"}, []string{"B", "•••"}, []string{"C", "**"}), []string{
			`error environment["A"]: Masked value`, `error secrets["B"]: Masked value`,
		}},
		"several at once": {changed(gitModel(map[string]attr.Value{"build_on_push": types.BoolValue(true), "integration_id": null}, ref(text("refs/tags/v1"))), func(m *model) {
			m.Environment, m.Secrets = frameworktest.StringMap("A", "1"), frameworktest.StringMap("A", "2")
		}), []string{
			`error secrets["A"]: Variable in two maps`, "error source_config.build_on_push: Tag with build_on_push",
			"error source_config.integration_id: Missing source_config.integration_id",
		}},
		"the spec is looked at, too": {imageModel(map[string]attr.Value{"resource_spec": specObject(map[string]attr.Value{"min_scale": number64(3), "max_scale": number64(2)})}), []string{
			"error source_config.resource_spec.min_scale: Value exceeds limit",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := frameworktest.Lines(validate(t, test.config))
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestValidationKeepsValuesToItself checks that diagnostics about a secret don't contain it.
func TestValidationKeepsValuesToItself(t *testing.T) {
	t.Parallel()
	for _, d := range validate(t, environmentOf([]string{"A", "canary-1"}, []string{"A", "canary-2"}, []string{"A", "canary-3"})) {
		for _, value := range []string{"canary-1", "canary-2", "canary-3"} {
			if strings.Contains(d.Summary()+d.Detail(), value) {
				t.Errorf("the diagnostic contains the value %s: %s", value, d.Detail())
			}
		}
		wantText(t, d.Detail(), "A is set in both ", "Keep it in one of them.")
	}
}

func TestRefuseName(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{
		"chat": false, strings.Repeat("a", 63): false, strings.Repeat("a", 64): true, "chat-": true, "c-h-a-t": false,
	} {
		if diags := refuseName(text(name)); diags.HasError() != refused {
			t.Errorf("refuseName(%q) = %v, want an error: %t", name, frameworktest.Lines(diags), refused)
		}
	}
	frameworktest.NoDiags(t, refuseName(types.StringUnknown()))
}
