package deployment

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestToCreate(t *testing.T) {
	t.Parallel()
	withAll := imageModel(map[string]attr.Value{
		"custom_url": text("https://chat.example.com"), "listener_id": text("l1"), "listener_config": listenerConfig(text("agents")),
		"install_command": text("npm ci"), "build_command": text("npm run build"),
		"resource_spec": specObject(map[string]attr.Value{"cpu": types.Float64Value(0.5), "labels": frameworktest.StringMap()}),
	})
	withAll.Environment, withAll.SecretsWO = frameworktest.StringMap("B", "2"), frameworktest.StringMap("A", "1")
	computed := gitModel(map[string]attr.Value{"custom_url": types.StringUnknown(), "install_command": types.StringUnknown()},
		map[string]attr.Value{"repo_commit_sha": types.StringUnknown()})
	for name, test := range map[string]struct {
		m    model
		want string
	}{
		"image": {imageModel(nil), `{"name":"chat","source":"external_container","source_config":{},` +
			`"source_revision_config":{"image_uri":"registry.example.com/chat:1"},"secrets":[]}`},
		"image with everything": {withAll, `{"name":"chat","source":"external_container","source_config":{` +
			`"custom_url":"https://chat.example.com","resource_spec":{"cpu":0.5,"labels":{}},"listener_id":"l1",` +
			`"listener_config":{"k8s_namespace":"agents"},"install_command":"npm ci","build_command":"npm run build"},` +
			`"source_revision_config":{"image_uri":"registry.example.com/chat:1"},` +
			`"secrets":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}`},
		"repository, computed ones unknown": {computed, `{"name":"chat","source":"git_host","source_config":{` +
			`"integration_id":"6ba7b810-9dad-41d1-80b4-00c04fd430c9","repo_url":"https://git.example.com/example-org/chat",` +
			`"deployment_type":"prod","build_on_push":false},"source_revision_config":{"repo_ref":"main",` +
			`"graph_config_path":"graph.json"},"secrets":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, diags := test.m.toCreate()
			frameworktest.NoDiags(t, diags)
			if diff := cmp.Diff(test.want, jsonOf(t, request)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestToPatch expects a PATCH between two deployments to contain only the effective difference.
func TestToPatch(t *testing.T) {
	t.Parallel()
	spec := func(given map[string]attr.Value) map[string]attr.Value {
		return map[string]attr.Value{"resource_spec": specObject(given)}
	}
	changed := func(m model, change func(*model)) model {
		change(&m)
		return m
	}
	git := gitModel(nil, nil)
	failed := changed(git, func(m *model) { m.LatestRevisionStatus = text("BUILD_FAILED") })
	other := map[string]attr.Value{"cpu": types.Float64Value(2)}
	whole := specOf(t, `{"cpu":1,"cpu_limit":2,"max_scale":3,"gpu":"L4"}`)
	current := api.Deployment{SourceConfig: api.SourceConfig{ResourceSpec: &whole}, Secrets: secretsOf("A", "1", "X", "9")}
	for name, test := range map[string]struct {
		planned, state model
		want           string
	}{
		"nothing": {git, git, `{}`},
		"ref and push flag together": {
			gitModel(map[string]attr.Value{"build_on_push": types.BoolValue(true)}, map[string]attr.Value{"repo_ref": text("next")}), git,
			`{"source_config":{"build_on_push":true},"source_revision_config":{"repo_ref":"next"}}`,
		},
		"no revision":               {gitModel(map[string]attr.Value{"install_command": text("yarn")}, nil), git, `{"source_config":{"install_command":"yarn"}}`},
		"a failed rollout":          {failed, failed, `{"source_revision_config":{"repo_ref":"main","graph_config_path":"graph.json"}}`},
		"a failed rollout, changed": {changed(gitModel(nil, map[string]attr.Value{"repo_ref": text("fix")}), func(m *model) { m.LatestRevisionStatus = failed.LatestRevisionStatus }), failed, `{"source_revision_config":{"repo_ref":"fix"}}`},
		"a failed rollout, environment changed": {
			changed(failed, func(m *model) { m.Environment = frameworktest.StringMap("A", "2") }), failed, `{"secrets":[{"name":"A","value":"2"}]}`,
		},
		"triggers": {
			changed(git, func(m *model) { m.Triggers = frameworktest.StringMap("a", "2") }), changed(git, func(m *model) { m.Triggers = frameworktest.StringMap("a", "1") }),
			`{"source_revision_config":{"repo_ref":"main","graph_config_path":"graph.json"}}`,
		},
		"a spec over what is held": {
			imageModel(spec(other)), imageModel(spec(map[string]attr.Value{"cpu": types.Float64Value(1)})),
			`{"source_config":{"resource_spec":{"cpu":2,"gpu":"L4","max_scale":3}}}`,
		},
		"environment": {
			changed(git, func(m *model) { m.Environment = frameworktest.StringMap("A", "2") }), git, `{"secrets":[{"name":"A","value":"2"}]}`,
		},
		"environment emptied": {changed(git, func(m *model) { m.Secrets = frameworktest.StringMap() }), git, `{"secrets":[]}`},
		"environment, others carried over": {
			changed(git, func(m *model) {
				m.Environment, m.EnvironmentOwnership = frameworktest.StringMap("A", "2"), text(ownershipDeclared)
			}), git, `{"secrets":[{"name":"A","value":"2"},{"name":"X","value":"9"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChange(test.planned, test.state, fingerprints{}, nil)
			patch, diags := test.planned.toPatch(c, current, fingerprints{})
			frameworktest.NoDiags(t, diags)
			if diff := cmp.Diff(test.want, jsonOf(t, patch)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a spec where none is held", func(t *testing.T) {
		t.Parallel()
		planned := imageModel(spec(other))
		patch, diags := planned.toPatch(change{resourceSpec: because("source_config.resource_spec.cpu")}, api.Deployment{}, fingerprints{})
		frameworktest.NoDiags(t, diags)
		if got, want := jsonOf(t, patch), `{"source_config":{"resource_spec":{"cpu":2}}}`; got != want {
			t.Errorf("patch = %s, want %s", got, want)
		}
	})
	t.Run("others can't be carried over", func(t *testing.T) {
		t.Parallel()
		planned := imageModel(nil)
		planned.Environment, planned.EnvironmentOwnership = frameworktest.StringMap("A", "2"), text(ownershipDeclared)
		_, diags := planned.toPatch(change{environment: because("environment")}, api.Deployment{Secrets: secretsOf("X", "****")}, fingerprints{})
		if !diags.HasError() {
			t.Error("toPatch: no error, want one")
		}
	})
}

// TestEmptiedListReachesTheService checks that setting a list to [] empties it at the service.
func TestEmptiedListReachesTheService(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	created := p.create(t, "chat", func(request *api.DeploymentCreateRequest) {
		request.SourceConfig.ResourceSpec = api.Some(specOf(t, `{"cpu":1,"labels":{"a":"b"}}`))
	})
	state := imageModel(map[string]attr.Value{"resource_spec": specObject(map[string]attr.Value{"labels": frameworktest.StringMap("a", "b")})})
	planned := imageModel(map[string]attr.Value{"resource_spec": specObject(map[string]attr.Value{"labels": frameworktest.StringMap()})})
	c := newChange(planned, state, fingerprints{}, nil)
	if !c.resourceSpec.any() {
		t.Fatal("emptying labels isn't detected as a change")
	}
	patch, diags := planned.toPatch(c, *p.get(t, created.ID), fingerprints{})
	frameworktest.NoDiags(t, diags)
	if _, err := p.client.PatchDeployment(t.Context(), created.ID, patch); err != nil {
		t.Fatal(err)
	}
	if whole := p.get(t, created.ID).SourceConfig.ResourceSpec; len(whole.Labels) != 0 || *whole.CPU != 1 {
		t.Errorf("spec at the service = %s, want no labels and cpu 1", jsonOf(t, whole))
	}
	if got := p.sent(http.MethodPatch, "/v2/"); got != 1 {
		t.Errorf("%d PATCH requests, want 1", got)
	}
}
