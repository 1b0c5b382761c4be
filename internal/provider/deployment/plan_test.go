package deployment

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// unknowns returns the unknown attributes of a plan, including one level of nesting.
func unknowns(m model) []string {
	found := map[string]bool{}
	for name, value := range map[string]attr.Value{
		"updated_at": m.UpdatedAt, "status": m.Status, "latest_revision_id": m.LatestRevisionID, "image_version": m.ImageVersion,
		"latest_revision_status": m.LatestRevisionStatus, "active_revision_id": m.ActiveRevisionID, "id": m.ID,
		"created_at": m.CreatedAt, "environment_names": m.EnvironmentNames, "source_config": m.SourceConfig,
		"source_revision_config": m.SourceRevisionConfig,
	} {
		if value.IsUnknown() {
			found[name] = true
		}
		if o, ok := value.(types.Object); ok {
			for nested, v := range o.Attributes() {
				if v.IsUnknown() {
					found[name+"."+nested] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func because(changes ...string) reasons { return reasons{changes: changes} }

// TestPredict checks that attributes are unknown only with a reason, because unknown values affect everything that refers to them.
func TestPredict(t *testing.T) {
	t.Parallel()
	revision := []string{"active_revision_id", "image_version", "latest_revision_id", "latest_revision_status", "updated_at"}
	starting := imageModel(nil)
	starting.Status = text("AWAITING_DATABASE")
	unknownRevision := gitModel(nil, nil)
	unknownRevision.SourceRevisionConfig = types.ObjectUnknown(attributeTypes("source_revision_config"))
	for name, test := range map[string]struct {
		m    model
		c    change
		want []string
	}{
		"nothing":                    {imageModel(nil), change{}, nil},
		"a write without a revision": {imageModel(nil), change{sourceConfig: sourceConfigModel{CustomURL: text("https://a.example.com")}}, []string{"updated_at"}},
		"a wait":                     {imageModel(nil), change{resume: true, wait: true}, []string{"active_revision_id", "image_version", "latest_revision_status", "updated_at"}},
		"a revision of an image":     {imageModel(nil), change{again: because(reasonFailed)}, revision},
		"a revision of a repository": {gitModel(nil, nil), change{environment: because("environment")}, []string{
			"active_revision_id", "image_version", "latest_revision_id", "latest_revision_status", "source_revision_config.repo_commit_sha", "updated_at",
		}},
		"of a deployment that isn't ready": {starting, change{resourceSpec: because("source_config.resource_spec.cpu")}, []string{
			"active_revision_id", "image_version", "latest_revision_id", "latest_revision_status", "status", "updated_at",
		}},
		"of what is not known": {unknownRevision, change{undecided: true}, []string{
			"active_revision_id", "image_version", "latest_revision_id", "latest_revision_status", "source_revision_config", "updated_at",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := test.m.predict(test.c)
			if diff := cmp.Diff(test.want, unknowns(got)); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestModelWithDefaults(t *testing.T) {
	t.Parallel()
	open := map[string]attr.Value{"build_on_push": types.BoolUnknown(), "deployment_type": types.StringUnknown(), "custom_url": types.StringUnknown()}
	unset := map[string]attr.Value{"build_on_push": types.BoolNull(), "deployment_type": types.StringNull()}
	set := map[string]attr.Value{"build_on_push": types.BoolValue(true), "deployment_type": text("dev")}
	sha := map[string]attr.Value{"image_uri": text("registry.example.com/chat:1"), "repo_commit_sha": types.StringUnknown()}
	image := imageModel(open)
	image.SourceRevisionConfig = revisionConfig(sha)
	unknownSource := gitModel(open, nil)
	unknownSource.Source = types.StringUnknown()
	unknownBoth := imageModel(nil)
	unknownBoth.SourceConfig = types.ObjectUnknown(attributeTypes("source_config"))
	unknownBoth.SourceRevisionConfig = types.ObjectUnknown(attributeTypes("source_revision_config"))
	for name, test := range map[string]struct {
		planned, config, want model
	}{
		"repository, nothing configured": {
			gitModel(open, nil), gitModel(unset, nil), gitModel(map[string]attr.Value{"custom_url": types.StringUnknown()}, nil),
		},
		"repository, all configured": {gitModel(set, nil), gitModel(set, nil), gitModel(set, nil)},
		"repository, tier in state":  {gitModel(map[string]attr.Value{"deployment_type": text("dev")}, nil), gitModel(unset, nil), gitModel(map[string]attr.Value{"deployment_type": text("dev")}, nil)},
		// Removing the flag turns builds on push off, which is the default.
		"repository, flag removed": {gitModel(map[string]attr.Value{"build_on_push": types.BoolValue(true)}, nil), gitModel(unset, nil), gitModel(nil, nil)},
		"image":                    {image, imageModel(nil), imageModel(map[string]attr.Value{"custom_url": types.StringUnknown()})},
		"source is unknown":        {unknownSource, gitModel(unset, nil), unknownSource},
		"nothing is known":         {unknownBoth, unknownBoth, unknownBoth},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := test.planned.withDefaults(test.config)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(model{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("names of variables", func(t *testing.T) {
		t.Parallel()
		planned, config := imageModel(nil), environmentOf([]string{"A", "1"}, nil, []string{"B", "2"})
		got := planned.withDefaults(config)
		want := types.SetValueMust(types.StringType, []attr.Value{text("A"), text("B")})
		if !got.EnvironmentNames.Equal(want) || !got.SecretsWO.Equal(config.SecretsWO) {
			t.Errorf("names = %s, secrets_wo = %s; want the names, and secrets_wo as configured", got.EnvironmentNames, got.SecretsWO)
		}
	})
}

func TestPlanUpdateRefusesToLoseVariables(t *testing.T) {
	t.Parallel()
	current := accepted("A", "1").holding(secretsOf("A", "1", "X", "****"))
	planned := environmentOf([]string{"A", "2"}, nil, nil)
	for ownership, want := range map[string][]string{
		ownershipAll: nil, ownershipDeclared: {"error environment_ownership: Variables can't be preserved"},
	} {
		planned.EnvironmentOwnership = text(ownership)
		_, diags := planUpdate(t.Context(), &framework.ProviderData{}, planned, imageModel(nil), current, false)
		if diff := cmp.Diff(want, frameworktest.Lines(diags)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ownership, diff)
		}
	}
}
