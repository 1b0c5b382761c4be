package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// answerOf returns the service's response to the creation of m, including the values that it adds.
func answerOf(t *testing.T, m model, change ...func(*api.Deployment)) api.Deployment {
	t.Helper()
	request, diags := m.toCreate()
	frameworktest.NoDiags(t, diags)
	revision := "r1"
	answer := api.Deployment{
		Name: request.Name, Source: request.Source, ID: m.ID.ValueString(), CreatedAt: "2026-01-02T03:04:05Z",
		UpdatedAt: "2026-01-02T03:04:05Z", Status: api.DeploymentReady, LatestRevisionID: &revision, ActiveRevisionID: &revision,
		Secrets: request.Secrets,
		SourceConfig: api.SourceConfig{
			IntegrationID: (*string)(request.SourceConfig.IntegrationID.Value), RepoURL: request.SourceConfig.RepoURL.Value,
			DeploymentType: request.SourceConfig.DeploymentType.Value, BuildOnPush: request.SourceConfig.BuildOnPush.Value,
			CustomURL: request.SourceConfig.CustomURL.Value, ResourceSpec: request.SourceConfig.ResourceSpec.Value,
			ListenerID: (*string)(request.SourceConfig.ListenerID.Value), ListenerConfig: request.SourceConfig.ListenerConfig.Value,
			InstallCommand: request.SourceConfig.InstallCommand.Value, BuildCommand: request.SourceConfig.BuildCommand.Value,
		},
		SourceRevisionConfig: api.SourceRevisionConfig{
			RepoRef: request.SourceRevisionConfig.RepoRef.Value, GraphConfigPath: request.SourceRevisionConfig.GraphConfigPath.Value,
			ImageURI: request.SourceRevisionConfig.ImageURI.Value,
		},
	}
	for _, c := range change {
		c(&answer)
	}
	return answer
}

func everyModel() map[string]model {
	full := imageModel(map[string]attr.Value{
		"custom_url": text("https://chat.example.com"), "listener_id": text("6ba7b810-9dad-41d1-80b4-00c04fd430c9"),
		"listener_config": listenerConfig(text("agents")), "install_command": text("npm ci"), "build_command": text("npm run build"),
		"resource_spec": specObject(map[string]attr.Value{"cpu": types.Float64Value(0.5), "labels": frameworktest.StringMap()}),
	})
	full.Environment, full.Secrets = frameworktest.StringMap("B", "2"), frameworktest.StringMap("C", "")
	full.EnvironmentNames = types.SetValueMust(types.StringType, []attr.Value{text("B"), text("C")})
	full.Triggers, full.DeletionProtection, full.SecretsWOVersion = frameworktest.StringMap("a", "1"), types.BoolValue(true), number64(3)
	return map[string]model{
		"image": imageModel(nil), "everything": full, "repository": gitModel(nil, map[string]attr.Value{"repo_commit_sha": types.StringNull()}),
	}
}

// TestRefreshChangesNothing checks that a refresh doesn't change the state if the service returns what was written.
func TestRefreshChangesNothing(t *testing.T) {
	t.Parallel()
	for name, m := range everyModel() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newModel(m, answerOf(t, m), api.RevisionDeployed, fingerprints{})
			if diff := cmp.Diff(m, got, cmp.AllowUnexported(model{})); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// TestImportNeedsNoChange checks that a deployment imported by ID differs from its configuration in nothing that would be
// sent.
func TestImportNeedsNoChange(t *testing.T) {
	t.Parallel()
	for name, m := range everyModel() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := answerOf(t, m)
			current := fingerprints{}.holding(answer.Secrets)
			imported := newModel(importedModel(m.ID), answer, api.RevisionDeployed, current)
			for name, pair := range map[string][2]attr.Value{
				"wait_for_deployed": {imported.WaitForDeployed, types.BoolValue(true)}, "on_failed_create": {imported.OnFailedCreate, text("taint")},
				"deletion_protection":   {imported.DeletionProtection, types.BoolValue(false)},
				"environment_ownership": {imported.EnvironmentOwnership, text("all")},
				"environment":           {imported.Environment, types.MapNull(types.StringType)}, "environment_names": {imported.EnvironmentNames, m.EnvironmentNames},
			} {
				if !pair[0].Equal(pair[1]) {
					t.Errorf("%s = %s, want %s", name, pair[0], pair[1])
				}
			}
			c := newChange(m, imported, current, answer.SourceConfig.ResourceSpec)
			if c.write() || c.waits() {
				t.Errorf("the plan after the import has the change %+v, want none", c)
			}
		})
	}
}

// importedModel returns the state after an import, before its first refresh.
func importedModel(id types.String) model {
	m := imageModel(nil)
	m.ID, m.Name, m.Source = id, types.StringNull(), types.StringNull()
	m.SourceConfig = types.ObjectNull(attributeTypes("source_config"))
	m.SourceRevisionConfig = types.ObjectNull(attributeTypes("source_revision_config"))
	m.EnvironmentOwnership, m.OnFailedCreate = types.StringNull(), types.StringNull()
	m.WaitForDeployed, m.DeletionProtection = types.BoolNull(), types.BoolNull()
	m.EnvironmentNames = types.SetNull(types.StringType)
	return m
}

func TestNewModelShowsTheService(t *testing.T) {
	t.Parallel()
	before := everyModel()["everything"]
	empty, another := "", "another"
	for name, test := range map[string]struct {
		change  func(*api.Deployment)
		current fingerprints
		want    func(*model)
	}{
		"image changed": {
			func(d *api.Deployment) { d.SourceRevisionConfig.ImageURI = &another }, fingerprints{},
			func(m *model) {
				m.SourceRevisionConfig = revisionConfig(map[string]attr.Value{"image_uri": text(another)})
			},
		},
		"commands are not echoed": {
			func(d *api.Deployment) { d.SourceConfig.InstallCommand, d.SourceConfig.BuildCommand = nil, nil }, fingerprints{}, func(*model) {},
		},
		"another command": {
			func(d *api.Deployment) { d.SourceConfig.BuildCommand = &another }, fingerprints{},
			func(m *model) { m.SourceConfig = frameworktest.With(m.SourceConfig, "build_command", text(another)) },
		},
		"URL cleared": {
			func(d *api.Deployment) { d.SourceConfig.CustomURL = nil }, fingerprints{},
			func(m *model) { m.SourceConfig = frameworktest.With(m.SourceConfig, "custom_url", types.StringNull()) },
		},
		"listener_config is not echoed": {func(d *api.Deployment) { d.SourceConfig.ListenerConfig = nil }, fingerprints{}, func(*model) {}},
		"listener_config is empty": {
			func(d *api.Deployment) { d.SourceConfig.ListenerConfig = &api.ListenerConfig{} }, fingerprints{}, func(*model) {},
		},
		"spec is not reported": {func(d *api.Deployment) { d.SourceConfig.ResourceSpec = nil }, fingerprints{}, func(*model) {}},
		"spec is gone": {
			func(d *api.Deployment) { d.SourceConfig.ResourceSpec = &api.ResourceSpec{} }, fingerprints{},
			func(m *model) {
				m.SourceConfig = frameworktest.With(m.SourceConfig, "resource_spec", specObject(map[string]attr.Value{"labels": frameworktest.StringMap()}))
			},
		},
		"nothing deployed": {
			func(d *api.Deployment) { d.ActiveRevisionID, d.LatestRevisionID, d.ImageVersion = nil, nil, &empty }, fingerprints{},
			func(m *model) {
				m.ActiveRevisionID, m.LatestRevisionID, m.ImageVersion = types.StringNull(), types.StringNull(), text("")
			},
		},
		"dates are not answered": {
			func(d *api.Deployment) { d.CreatedAt, d.UpdatedAt, d.Status = "", "", "" }, fingerprints{},
			func(m *model) {
				m.CreatedAt, m.UpdatedAt, m.Status = types.StringNull(), types.StringNull(), types.StringNull()
			},
		},
		"variables masked":       {func(d *api.Deployment) { d.Secrets = secretsOf("B", "****", "C", "****") }, fingerprints{}, func(*model) {}},
		"variables not reported": {func(d *api.Deployment) { d.Secrets = nil }, fingerprints{Unreported: true}, func(*model) {}},
		"variables gone": {
			func(d *api.Deployment) { d.Secrets = nil }, fingerprints{}, func(m *model) {
				m.Environment, m.Secrets, m.EnvironmentNames = frameworktest.StringMap(), frameworktest.StringMap(), types.SetValueMust(types.StringType, nil)
			},
		},
		"a variable more": {
			func(d *api.Deployment) { d.Secrets = append(d.Secrets, secretsOf("X", "9")...) }, fingerprints{}, func(m *model) {
				m.EnvironmentNames = types.SetValueMust(types.StringType, []attr.Value{text("B"), text("C"), text("X")})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := before
			test.want(&want)
			got := newModel(before, answerOf(t, before, test.change), api.RevisionDeployed, test.current)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(model{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNewModelNeverHoldsWriteOnlyValues checks that write-only values are never stored in state.
func TestNewModelNeverHoldsWriteOnlyValues(t *testing.T) {
	t.Parallel()
	m := imageModel(nil)
	m.SecretsWO = frameworktest.StringMap("A", "canary")
	got := newModel(m, answerOf(t, m), "", fingerprints{})
	if saved := applied(t.Context(), m, got); !got.SecretsWO.IsNull() || !saved.SecretsWO.IsNull() {
		t.Errorf("secrets_wo = %s after reading, %s after saving; want null", got.SecretsWO, saved.SecretsWO)
	}
	if !got.LatestRevisionStatus.IsNull() {
		t.Errorf("latest_revision_status = %s, want null", got.LatestRevisionStatus)
	}
}
