package devserver_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

const fixtures = `{
  "keys": [{"value": "k1", "user": "ana"}, {"value": "k2", "workspaces": ["AAAAAAAA-0000-4000-8000-000000000000"]}],
  "workspaces": [{
    "listeners": [
      {"id": "11111111-0000-4000-8000-000000000001", "compute_id": "one", "compute_config": {"k8s_namespaces": ["agents"]}, "version": "1.2"},
      {"compute_id": "two", "compute_type": "vm"}
    ],
    "integrations": [{"id": "22222222-0000-4000-8000-000000000001", "name": "acme", "repositories": [
      {"name": "chat", "refs": [{"ref": "wip", "build_error": "boom"}]}
    ]}],
    "model_prices": [{"name": "tiny", "match_pattern": "^tiny$", "prompt_cost": "0.001", "completion_cost": "0.002"}],
    "deployments": [
      {"id": "33333333-0000-4000-8000-000000000001", "name": "chat", "source": "git_host",
       "source_config": {"integration_id": "22222222-0000-4000-8000-000000000001", "repo_url": "https://git.example.com/acme/chat",
         "deployment_type": "dev", "build_on_push": false},
       "source_revision_config": {"repo_ref": "main", "graph_config_path": "graph.json"}, "secrets": [{"name": "A", "value": "b"}]}
    ]
  }, {"id": "aaaaaaaa-0000-4000-8000-000000000000", "listeners": [{"compute_id": "one"}]}]
}`

func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, dialect := range api.Dialects {
		t.Run(dialect.Name, func(t *testing.T) {
			t.Parallel()
			computeType := api.ComputeType("vm")
			if dialect.LangSmithAPI {
				computeType = api.ComputeTypeK8s
			}
			given, err := devserver.ReadFixtures(strings.NewReader(strings.ReplaceAll(fixtures, `"vm"`, strconv.Quote(string(computeType)))))
			devservertest.Must(t, err)
			p := devservertest.New(t, devserver.Config{Dialect: dialect, Keys: given.Keys, Rollout: time.Hour, Lag: time.Minute})
			for range 2 { // The second time, nothing is added.
				devservertest.Must(t, p.Register(t.Context(), given))
			}
			first, second := p.As("X-Api-Key", "k1"), p.As("X-Api-Key", "k2")
			listeners := devservertest.Get[api.List[api.Listener]](first, "/v2/listeners").Resources
			want := []api.Listener{
				{ID: "11111111-0000-4000-8000-000000000001", ComputeType: "k8s", ComputeID: "one", Version: new("1.2"),
					ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: []string{"agents"}}},
				{ComputeType: computeType, ComputeID: "two"},
			}
			for i := range listeners {
				listeners[i].CreatedAt, listeners[i].UpdatedAt = "", ""
			}
			if len(listeners) == 2 {
				want[1].ID = listeners[1].ID
			}
			devservertest.Same(t, "listeners", want, listeners)
			deployment := devservertest.Get[object](first, "/v2/deployments/33333333-0000-4000-8000-000000000001")
			if deployment["status"] != "READY" || deployment["active_revision_id"] != deployment["latest_revision_id"] {
				t.Errorf("deployment = %v, want it deployed at once", deployment)
			}
			repositories := devservertest.Get[[]api.Repository](first, dialect.Path("/v1/integrations/git_host/22222222-0000-4000-8000-000000000001/repos"))
			if len(repositories) != 1 || repositories[0].Name != "chat" {
				t.Errorf("repositories = %+v, want chat", repositories)
			}
			if prices := string(first.Do(http.MethodGet, "/api/v1/model-price-map", nil).Want(http.StatusOK).Body); strings.Count(prices, `"tiny"`) != 1 {
				t.Errorf("prices = %s, want tiny once", prices)
			}
			if others := devservertest.Get[api.List[api.Listener]](second, "/v2/listeners").Resources; len(others) != 1 {
				t.Errorf("listeners of the other workspace = %+v, want one", others)
			}
		})
	}
}

func TestFixtures_wrong(t *testing.T) {
	t.Parallel()
	in := func(list, element string) string { return `{"workspaces": [{"` + list + `": [` + element + `]}]}` }
	for name, test := range map[string]struct{ file, want string }{
		"no JSON":               {"keys:", "fixtures: invalid character"},
		"two documents":         {"{} {}", "fixtures: there is more after the JSON object"},
		"an unknown list":       {`{"workspace": []}`, `unknown field "workspace"`},
		"a key without value":   {`{"keys": [{}]}`, "fixtures: keys[0]: the key is empty"},
		"an odd workspace":      {`{"workspaces": [{"id": "a"}]}`, `fixtures: workspaces[0].id "a" is not a UUID`},
		"an unknown field":      {in("listeners", `{"compute_id": "a", "namespaces": []}`), `fixtures: workspaces[0].listeners[0]: json: unknown field "namespaces"`},
		"a missing field":       {in("integrations", `{}`), "fixtures: workspaces[0].integrations[0]: name: Field required"},
		"an odd ID":             {in("integrations", `{"id": "1", "name": "a"}`), "fixtures: workspaces[0].integrations[0]: id: Input should be a valid UUID"},
		"an odd ref":            {in("integrations", `{"name": "a", "repositories": [{"name": "b", "refs": [{"ref": "refs/heads/c"}]}]}`), "integrations[0]: Source configuration error"},
		"an unknown repository": {in("deployments", `{"name": "a", "source": "git_host", "source_config": {}, "source_revision_config": {}, "secrets": []}`), "deployments[0]: Source configuration error"},
		"an odd price":          {in("model_prices", `{}`), "fixtures: workspaces[0].model_prices[0]: name: Field required; match_pattern: Field required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given, err := devserver.ReadFixtures(strings.NewReader(test.file))
			if err == nil {
				err = devservertest.New(t, devserver.Config{}).Register(t.Context(), given)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
		})
	}
}
