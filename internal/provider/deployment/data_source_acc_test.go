package deployment_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// post creates a deployment as another user would, and returns its ID. more changes the body.
func post(plane *providertest.Plane, name string, more func(body map[string]any)) string {
	body := map[string]any{
		"name": name, "source": "external_container",
		"source_config": plane.SourceConfig("external_container", map[string]any{
			"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
		}),
		"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1.0.0"},
		"secrets":                []any{},
	}
	if more != nil {
		more(body)
	}
	var made api.Deployment
	plane.Call("POST", "/v2/deployments", body, &made)
	return made.ID
}

const dataAddress = "data.agentplane_deployment.test"

func TestAccDeploymentDataSource(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		id := post(plane, "chat", func(body map[string]any) {
			body["secrets"] = []any{map[string]any{"name": "TOKEN", "value": "canary-of-the-data-source"}}
			body["source_config"].(map[string]any)["resource_spec"] = map[string]any{
				"cpu": 1, "volumes": []any{map[string]any{"name": "cache", "emptyDir": map[string]any{}}},
			}
		})
		look := func(variable, value string) resource.TestStep {
			spec := []string{"source_config", "resource_spec"}
			at := func(more ...string) tfjsonpath.Path { return tfPath(append(slices.Clone(spec), more...)) }
			return resource.TestStep{
				ConfigDirectory: config.StaticDirectory("testdata/data_single"),
				ConfigVariables: config.Variables{variable: config.StringVariable(value)},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("id"), text(id)),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("name"), text("chat")),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("latest_revision_status"), text(plane.FirstStatus())),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("active_revision_id"), knownvalue.Null()),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("environment_names"), knownvalue.SetExact([]knownvalue.Check{text("TOKEN")})),
					// Every attribute, with the defaults of the service.
					statecheck.ExpectKnownValue(dataAddress, at("cpu_limit"), knownvalue.Float64Exact(2)),
					statecheck.ExpectKnownValue(dataAddress, at("queue_cpu_limit"), knownvalue.Float64Exact(2)),
					statecheck.ExpectKnownValue(dataAddress, at("memory_mb"), knownvalue.Null()),
					statecheck.ExpectKnownValue(dataAddress, at("volumes").AtSliceIndex(0).AtMapKey("empty_dir_json"), text("{}")),
				},
				Check: func(s *terraform.State) error {
					if strings.Contains(s.String(), "canary-of-the-data-source") {
						return errors.New("the state contains the value of a secret")
					}
					return nil
				},
			}
		}
		refused := func(variables config.Variables, want string) resource.TestStep {
			return resource.TestStep{
				ConfigDirectory: config.StaticDirectory("testdata/data_single"), ConfigVariables: variables, ExpectError: words(want),
			}
		}
		both := config.Variables{"id": config.StringVariable(id), "name": config.StringVariable("chat")}
		providertest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(),
			Steps: []resource.TestStep{
				look("id", id),
				look("name", "chat"),
				refused(config.Variables{"name": config.StringVariable("Chat")}, `No deployment of this workspace is named "Chat"`),
				refused(config.Variables{"name": config.StringVariable("cha")}, `No deployment of this workspace is named "cha"`),
				refused(config.Variables{"id": config.StringVariable(plane.ListenerID)}, `Cannot read deployment .* not found`),
				refused(config.Variables{"id": config.StringVariable("chat")}, `must be a UUID`),
				refused(both, `Invalid Attribute Combination`),
				refused(nil, `Invalid Attribute Combination`),
				refused(nil, `Exactly one of id and name must be set, but none is`),
			},
		})
	})
}

// TestAccDeploymentsDataSource_filters lists different deployments with every filter. Special characters reach the service
// unchanged.
func TestAccDeploymentsDataSource_filters(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	var ids []string
	for _, name := range []string{"chat", "chat-eu", "research"} {
		ids = append(ids, post(plane, name, func(body map[string]any) {
			body["source_revision_config"] = map[string]any{"image_uri": "registry.example.com/agents/a:1.0." + fmt.Sprint(len(ids))}
		}))
	}
	post(plane, "repo", func(body map[string]any) {
		body["source"] = "git_host"
		body["source_config"] = plane.SourceConfig("git_host", map[string]any{
			"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "deployment_type": "dev",
		})
		body["source_revision_config"] = map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"}
	})
	plane.Clock.Advance(providertest.Rollout)
	late := post(plane, "late", nil)

	str := config.StringVariable
	tests := []struct {
		filter map[string]config.Variable
		want   []string
	}{
		{nil, []string{"chat", "chat-eu", "late", "repo", "research"}},
		{map[string]config.Variable{"name": str("chat")}, []string{"chat"}},
		{map[string]config.Variable{"name_contains": str("chat")}, []string{"chat", "chat-eu"}},
		{map[string]config.Variable{"name_contains": str("a&name=chat#?/%20+ü")}, nil},
		{map[string]config.Variable{"status": str("READY")}, []string{"chat", "chat-eu", "repo", "research"}},
		{map[string]config.Variable{"status": str("AWAITING_DATABASE")}, []string{"late"}},
		{map[string]config.Variable{"deployment_type": str("dev")}, []string{"repo"}},
		{map[string]config.Variable{"image_version": str("1.0.1")}, []string{"chat-eu"}},
		{map[string]config.Variable{"ids": config.ListVariable(str(ids[2]), str(late))}, []string{"late", "research"}},
		{map[string]config.Variable{"ids": config.ListVariable(str(ids[2])), "name": str("chat")}, nil},
		{map[string]config.Variable{"ids": config.ListVariable([]config.Variable{}...)}, nil},
	}
	var all []resource.TestStep
	for _, test := range tests {
		variables := config.Variables{}
		if test.filter != nil {
			variables["filter"] = config.ObjectVariable(test.filter)
		}
		all = append(all, resource.TestStep{
			ConfigDirectory: config.StaticDirectory("testdata/data_list"), ConfigVariables: variables,
			Check: listed(test.want),
		})
	}
	all = append(all, resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/data_list"), ExpectError: words(`value must be one of: ."AWAITING_DATABASE"`),
		ConfigVariables: config.Variables{"filter": config.ObjectVariable(map[string]config.Variable{"status": str("NOPE")})},
	})
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: all})
}

// listed expects exactly these names in any order.
func listed(want []string) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		var got []string
		for _, name := range s.RootModule().Outputs["names"].Value.([]any) {
			got = append(got, name.(string))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("deployments (-want +got):\n%s", diff)
		}
		return nil
	}
}
