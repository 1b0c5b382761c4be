package deployment_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// valuesOf returns the values of a deployment of a source, all of which are unknown in plans of testdata/undecided.
func valuesOf(plane *providertest.Plane, source string) map[string]any {
	values := map[string]any{
		"name": "tf-acc-undecided", "source": source,
		"integration_id": nil, "repo_url": nil, "deployment_type": nil, "build_on_push": nil, "install_command": nil,
		"repo_ref": nil, "graph_config_path": nil,
		"custom_url": nil, "listener_id": nil, "listener_config": nil, "resource_spec": nil, "image_uri": nil,
		"environment": map[string]any{"A": "a"}, "token": "secret", "secrets_wo": map[string]any{"W": "w"}, "triggers": map[string]any{"T": "1"},
	}
	if source == "git_host" {
		maps.Copy(values, map[string]any{
			"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "deployment_type": "prod",
			"build_on_push": false, "install_command": "npm ci", "repo_ref": "main", "graph_config_path": "graph.json",
		})
		return values
	}
	maps.Copy(values, map[string]any{
		"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
		"custom_url": "https://chat.example.com", "image_uri": "registry.example.com/agents/chat:1.0.0",
		"resource_spec": map[string]any{"cpu": 2, "memory_mb": 2048, "labels": map[string]any{"team": "chat"}},
	})
	return values
}

// unknowing makes steps whose plans have only unknown values.
type unknowing struct {
	plane      *providertest.Plane
	generation int
}

func (u *unknowing) step(t *testing.T, values map[string]any) resource.TestStep {
	t.Helper()
	encoded, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	u.generation++
	return step(u.plane, "undecided", config.Variables{
		"values": config.StringVariable(string(encoded)), "generation": config.StringVariable(fmt.Sprint(u.generation)),
	})
}

func with(values, other map[string]any) map[string]any {
	values = maps.Clone(values)
	maps.Copy(values, other)
	return values
}

// TestAccUndecided_replaced expects one error for unknown values that turn out to require a replacement, nothing sent, and the next
// apply to replace the deployment. The provider knows that it is asked within an apply, because that has changed a listener before.
func TestAccUndecided_replaced(t *testing.T) {
	t.Parallel()
	type changes func(plane *providertest.Plane) map[string]any
	for name, test := range map[string]struct {
		source string
		other  changes
		says   string
	}{
		"source": {"external_container", func(plane *providertest.Plane) map[string]any {
			return with(valuesOf(plane, "git_host"), map[string]any{"name": "tf-acc-undecided"})
		}, `a change to: source from "external_container" to "git_host"; .*source_config.listener_id from "\S+" to null; .*`},
		"listener_id": {"external_container", func(plane *providertest.Plane) map[string]any {
			var listener struct {
				ID string `json:"id"`
			}
			plane.Call("POST", "/dev/listeners", map[string]any{"compute_id": "another", "k8s_namespaces": []string{plane.K8sNamespace}}, &listener)
			return map[string]any{"listener_id": listener.ID}
		}, `a change to: source_config.listener_id from "\S+" to "\S+"\.`},
		"repo_url": {"git_host", func(*providertest.Plane) map[string]any {
			return map[string]any{"repo_url": "https://git.example.com/example-org/research-agent"}
		}, `a change to: source_config.repo_url from "\S+chat" to "\S+research-agent"\.`},
		"several": {"git_host", func(*providertest.Plane) map[string]any {
			return map[string]any{"name": "tf-acc-other", "deployment_type": "dev", "repo_ref": "next"}
		}, `a change to: name from "\S+" to "\S+"; source_config.deployment_type from "prod" to "dev"\.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			s, u := spyOn(t, plane, nil), &unknowing{plane: plane}
			values := valuesOf(plane, test.source)
			other := with(values, test.other(plane))
			stopped := u.step(t, other)
			stopped.ExpectError = words(`Resource must be replaced .*` + test.says + ` .* Apply again`)
			stopped.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}
			replaced := u.step(t, other)
			replaced.ConfigVariables["generation"] = stopped.ConfigVariables["generation"]
			replaced.PreConfig = func() {
				if err := s.expectWrites(2, 1)(nil); err != nil { // The listener too.
					t.Error(err)
				}
			}
			replaced.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace)}
			replaced.Check = expectRequests(plane, map[string]int{"POST": 2, "DELETE": 1})
			created := u.step(t, values)
			steps := []resource.TestStep{created, stopped, replaced}
			for i := range steps {
				steps[i].ConfigDirectory, steps[i].Config = nil, afterListener(t, "testdata/undecided/main.tf", "var.generation")
			}
			run(t, plane, steps...)
		})
	}
}

// afterListener is a configuration whose upstream waits for a listener, which every apply changes.
func afterListener(t *testing.T, name, version string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return "resource \"agentplane_listener\" \"first\" {\n  compute_id     = \"first\"\n  version        = " + version + "\n" +
		"  compute_config = { k8s_namespaces = [\"agents\"] }\n}\n" +
		strings.Replace(string(text), "\"upstream\" {", "\"upstream\" {\n  depends_on = [agentplane_listener.first]", 1)
}
