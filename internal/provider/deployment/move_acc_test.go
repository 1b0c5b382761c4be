package deployment_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const vendorAddress = "registry.terraform.io/langchain-ai/langsmith"

// newVendorPlane starts a control plane that the vendor's provider can manage.
func newVendorPlane(t *testing.T) *providertest.Plane {
	t.Helper()
	return speaking(t, api.LangSmith)
}

// vendorState returns a state of the vendor's resource for the deployment with this ID.
func vendorState(t *testing.T, plane *providertest.Plane, name, id string) []byte {
	t.Helper()
	state, err := os.ReadFile(filepath.Join("testdata", "vendor_states", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(os.Expand(string(state), func(name string) string {
		return map[string]string{
			"id": id, "integration_id": plane.IntegrationID, "listener_id": plane.ListenerID,
			"k8s_namespace": plane.K8sNamespace, "workspace_id": providertest.WorkspaceID,
		}[name]
	}))
}

// move moves a state of another resource here.
func (d *driver) move(address, from string, version int64, state []byte) (kept, []*tfprotov6.Diagnostic) {
	d.t.Helper()
	moved, err := d.server.MoveResourceState(d.t.Context(), &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: address, SourceTypeName: from, SourceSchemaVersion: version,
		SourceState: &tfprotov6.RawState{JSON: state}, TargetTypeName: driven,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return kept{d.decoded(moved.TargetState), moved.TargetPrivate, moved.TargetIdentity}, moved.Diagnostics
}

// TestAccMove expects states of each version of the vendor's resource to move without changes, and without requests that
// write. A plan without a refresh can't know whether write-only values are the same.
func TestAccMove(t *testing.T) {
	t.Parallel()
	type body = map[string]any
	repository := body{
		"repo_url": "https://git.example.com/example-org/chat", "deployment_type": "dev", "build_on_push": true,
	}
	chat := body{"image_uri": "registry.example.com/agents/chat:1.0.0"}
	for name, test := range map[string]struct {
		version int64
		// made is sent to create the deployment, in addition to name and image; config is the new configuration.
		made, config body
		environment  bool
	}{
		"repository": {
			1, body{
				"source": "git_host", "source_config": repository, "display_name": "Support agent",
				"source_revision_config": body{"repo_ref": "main", "graph_config_path": "graph.json"},
				"secrets":                []body{{"name": "LOG_LEVEL", "value": "info"}, {"name": "KEY", "value": "k-1"}},
			}, body{
				"source": "git_host", "source_config": repository, "display_name": "Support agent",
				"source_revision_config": body{"repo_ref": "main", "graph_config_path": "graph.json"},
				"environment":            body{"LOG_LEVEL": "info"}, "secrets_wo": body{"KEY": "k-1"},
			}, true,
		},
		"image": {
			1, body{
				"source_config":     body{"resource_spec": body{"cpu": 1, "cpu_limit": 2, "min_scale": 1, "labels": body{"team": "agents"}}},
				"secret_references": []body{{"name": "TOKEN", "secret_name": "agent", "secret_key": "token"}},
			}, body{
				"source_config":     body{"resource_spec": body{"cpu": 1, "cpu_limit": 2, "min_scale": 1, "labels": body{"team": "agents"}}},
				"secret_references": body{"TOKEN": body{"secret_name": "agent", "secret_key": "token"}},
				"triggers":          body{"secrets_version": "1"},
			}, false,
		},
		"variables": {
			1, body{"secrets": []body{{"name": "LOG_LEVEL", "value": "info"}}, "secret_references": []body{}},
			body{
				"source_config": body{"resource_spec": body{}}, "environment": body{"LOG_LEVEL": "info"}, "secret_references": body{},
				"triggers": body{"secrets_version": "1"},
			}, false,
		},
		"first_version": {
			0, body{"display_name": "Chat"}, body{"display_name": "Chat", "triggers": body{"secrets_version": "1"}}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := newVendorPlane(t)
			whole := func(given body) body {
				full := body{"name": "tf-acc-moved", "source": "external_container", "source_revision_config": chat}
				maps.Copy(full, given)
				place := body{"listener_id": plane.ListenerID, "listener_config": body{"k8s_namespace": plane.K8sNamespace}}
				if full["source"] == "git_host" {
					place = body{"integration_id": plane.IntegrationID}
				}
				if more, ok := full["source_config"].(body); ok {
					maps.Copy(place, more)
				}
				full["source_config"] = place
				return full
			}
			made := whole(test.made)
			if made["secrets"] == nil {
				made["secrets"] = []body{}
			}
			displayName := made["display_name"]
			delete(made, "display_name")
			made["source_config"] = plane.SourceConfig(api.Source(made["source"].(string)), made["source_config"].(body))
			var created api.Deployment
			plane.Call(http.MethodPost, "/v2/deployments", made, &created)
			plane.Clock.Advance(providertest.Rollout)
			if displayName != nil {
				plane.Call(http.MethodPatch, "/v2/deployments/"+created.ID, body{"display_name": displayName}, nil)
			}
			written := len(plane.Requests("PATCH", "/v2/deployments/*"))

			d := drive(t, plane)
			moved, diags := d.move(vendorAddress, "langsmith_deployment", test.version, vendorState(t, plane, name, created.ID))
			if len(diags) > 0 {
				t.Fatal(told(diags))
			}
			if got, want := moved.text("workspace_id"), providertest.WorkspaceID; got != want {
				t.Errorf("workspace_id = %q, want %q", got, want)
			}
			config := whole(test.config)
			planned, diags := d.plan(moved, config)
			if same := planned.state.Equal(moved.state); hasError(diags) || !same && !test.environment {
				t.Errorf("plan without a refresh, want no changes: %s\nstate: %s\nplan: %s", told(diags), moved.state, planned.state)
			}
			d.settled(moved, config)
			if sent := len(plane.Requests("PATCH", "/v2/deployments/*")); sent != written {
				t.Errorf("sent %d PATCHes, want none", sent-written)
			}
		})
	}
}

// TestAccMove_refused expects a clear error for anything else.
func TestAccMove_refused(t *testing.T) {
	t.Parallel()
	plane := newVendorPlane(t)
	d := drive(t, plane)
	state := string(vendorState(t, plane, "image", "0b0c7c0e-5a0a-4c3e-9a5e-0c8d1f2a3b4c"))
	for name, test := range map[string]struct{ address, from, state, want string }{
		"other resource": {vendorAddress, "langsmith_project", state, "does not include support for the given source resource"},
		"other provider": {"registry.terraform.io/acme/other", "langsmith_deployment", state, "does not include support for the given source resource"},
		"no ID":          {vendorAddress, "langsmith_deployment", "{}", "Use a removed block"},
		"other types":    {vendorAddress, "langsmith_deployment", strings.Replace(state, `"tf-acc-moved"`, "7", 1), "Use a removed block"},
	} {
		moved, diags := d.move(test.address, test.from, 1, []byte(test.state))
		if !strings.Contains(told(diags), test.want) || !moved.state.IsNull() {
			t.Errorf("%s: diagnostics = %s\nstate = %s, want a clear error and no state", name, told(diags), moved.state)
		}
	}
}
