package deployment_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const otherWorkspace = "11111111-2222-4333-8444-555555555555"

// importing imports into the state that the next steps use.
func importing(applied resource.TestStep, id string) resource.TestStep {
	return resource.TestStep{
		ConfigDirectory: applied.ConfigDirectory, ConfigVariables: applied.ConfigVariables,
		ResourceName: address, ImportState: true, ImportStatePersist: true, ImportStateId: id,
	}
}

// adopted expects an empty plan after an import, or, if the service hides settings, that the configured
// ones are adopted into state.
func adopted(plane *providertest.Plane) plancheck.PlanCheck {
	if plane.Dialect().HidesSettings {
		return plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)
	}
	return plancheck.ExpectEmptyPlan()
}

// TestAccImport_resourceSpec imports a spec without defaults.
func TestAccImport_resourceSpec(t *testing.T) {
	forEachEcho(t, func(t *testing.T, plane *providertest.Plane, s *spy) {
		id := makeDeployment(plane, "tf-acc-spec", map[string]any{"custom_url": "https://chat.example.com", "resource_spec": map[string]any{
			"cpu": 1, "cpu_limit": 2, "memory_mb": 512, "memory_limit_mb": 2048, "labels": map[string]string{"team": "agents"},
			"volumes": []any{map[string]any{"name": "scratch", "emptyDir": map[string]any{}}},
		}}, nil)
		wanted := spec("cpu", 1, "memory_mb", 512, "memory_limit_mb", 2048, "labels", variables("team", "agents"),
			"volumes", config.ListVariable(config.ObjectVariable(map[string]config.Variable{
				"name": config.StringVariable("scratch"), "empty_dir_json": config.StringVariable("{}"),
			})))
		wanted["custom_url"] = config.StringVariable("https://chat.example.com")
		matching := specStep(plane, wanted, s.expectWrites(0, 0), adopted(plane))
		run(t, plane, importing(matching, id), matching)
	})
}

// TestAccImport_resourceSpecOmitted imports a deployment with a spec that the configuration doesn't mention: nothing is
// sent, and nothing is lost.
func TestAccImport_resourceSpecOmitted(t *testing.T) {
	forEachEcho(t, func(t *testing.T, plane *providertest.Plane, s *spy) {
		id := makeDeployment(plane, "tf-acc-spec", map[string]any{"resource_spec": map[string]any{"cpu": 1}}, nil)
		omitted := specStep(plane, nil, all(s.expectWrites(0, 0), expectRevisions(plane, 1)), updates(false)...)
		run(t, plane, importing(omitted, id), omitted)
	})
}

// TestAccImport_gitHost imports a deployment of a repository.
func TestAccImport_gitHost(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		s := spyOn(t, plane, nil)
		settings := map[string]any{
			"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "deployment_type": "dev",
			"build_on_push": true,
		}
		configured := config.Variables{
			"deployment_type": config.StringVariable("dev"), "build_on_push": config.BoolVariable(true),
			"delete_tracing_project": config.BoolVariable(false),
		}
		if !plane.Dialect().HidesSettings { // Otherwise they are sent, because the service's values can't be read.
			for name, command := range map[string]string{"install_command": "npm ci", "build_command": "npm run build"} {
				settings[name], configured[name] = command, config.StringVariable(command)
			}
		}
		plane.Call(http.MethodPost, "/v2/deployments", map[string]any{
			"name": "tf-acc-repo", "source": "git_host", "secrets": []any{}, "source_config": settings,
			"source_revision_config": map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"},
		}, nil)
		plane.Clock.Advance(providertest.Rollout)
		matching := step(plane, "git_host", configured)
		matching.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
		matching.Check = s.expectWrites(0, 0)
		run(t, plane, importing(matching, "name:tf-acc-repo"), matching)
	})
}

var identityType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"workspace_id": tftypes.String, "id": tftypes.String}}

func (r *rpc) identity(data *tfprotov6.ResourceIdentityData) map[string]string {
	r.t.Helper()
	if data == nil {
		r.t.Fatal("the response has no identity")
	}
	got := map[string]string{}
	for name, attribute := range decoded(r.t, data.IdentityData, identityType) {
		got[name] = plain(r.t, attribute)
	}
	return got
}

// TestAccImport_identityKept expects the identity to be set by the creation and kept by updates.
func TestAccImport_identityKept(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	created := d.made(kept{}, container(plane, nil))
	changed := container(plane, map[string]any{"custom_url": "https://chat.example.com"})
	updated := d.made(created, changed)
	r := &rpc{t: t}
	want := map[string]string{"workspace_id": providertest.WorkspaceID, "id": created.text("id")}
	for name, now := range map[string]kept{"create": created, "update": updated, "read": d.refreshed(updated)} {
		if diff := cmp.Diff(want, r.identity(now.identity)); diff != "" {
			t.Errorf("identity after the %s (-want +got):\n%s", name, diff)
		}
	}
}

// twoWorkspaces gives the key access to another workspace, too.
func twoWorkspaces(cfg *devserver.Config) {
	cfg.Keys = []devserver.Key{{Value: providertest.APIKey, Workspaces: []string{providertest.WorkspaceID, otherWorkspace}}}
}

// TestAccImport_empty checks that every resource refuses to import an empty ID.
func TestAccImport_empty(t *testing.T) {
	t.Parallel()
	rpc := providertest.NewDev(t).RPC()
	for name := range rpc.Schema.ResourceSchemas {
		t.Run(name, func(t *testing.T) {
			imported, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name})
			if err != nil {
				t.Fatal(err)
			}
			if told := providertest.Told(imported.Diagnostics); !strings.Contains(told, "ERROR: Invalid import ID") || strings.Contains(told, "Conversion") {
				t.Errorf("diagnostics = %s, want that the import ID is invalid", told)
			}
		})
	}
}

// TestAccImport_identity checks that every resource refuses identities that its import IDs wouldn't have. A workspace may be omitted.
func TestAccImport_identity(t *testing.T) {
	t.Parallel()
	rpc := providertest.NewDev(t).RPC()
	identities, err := rpc.Server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for name, schema := range identities.IdentitySchemas {
		all := map[string]any{}
		for _, attribute := range schema.IdentityAttributes {
			all[attribute.Name] = "6f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38"
		}
		forms := []map[string]any{all}
		if name == "agentplane_agent_connection" {
			forms = []map[string]any{except(all, "provider_id", "provider_account_label"), except(all, "id")}
		}
		told := func(identity map[string]any) string {
			imported, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
				TypeName: name, Identity: &tfprotov6.ResourceIdentityData{IdentityData: rpc.Value(identity)},
			})
			if err != nil {
				t.Fatal(err)
			}
			return providertest.Told(imported.Diagnostics)
		}
		for _, valid := range forms {
			for attribute := range valid {
				for _, wrong := range []string{"", "not valid", "name:chat", providertest.WorkspaceID + "/x"} {
					if slices.Contains([]string{"agent_id", "provider_account_label"}, attribute) && wrong != "" {
						continue // Any text.
					}
					cases++
					identity := maps.Clone(valid)
					identity[attribute] = wrong
					if got := told(identity); !strings.Contains(got, "ERROR: Invalid identity") || !strings.Contains(got, attribute+" is "+strconv.Quote(wrong)) {
						t.Errorf("%s: %v: diagnostics = %s, want that %s is wrong", name, identity, got, attribute)
					}
				}
			}
			if got := told(valid); strings.Contains(got, "Invalid identity") {
				t.Errorf("%s: %v: diagnostics = %s, want the identity to be accepted", name, valid, got)
			}
		}
	}
	if cases < 20 {
		t.Errorf("only %d identities were tried", cases)
	}
}

// except returns an object without some members.
func except(object map[string]any, names ...string) map[string]any {
	object = maps.Clone(object)
	maps.DeleteFunc(object, func(name string, _ any) bool { return slices.Contains(names, name) })
	return object
}
