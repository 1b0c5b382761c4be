package integration_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// repositories returns a step that reads the data source of an integration's repositories.
func repositories(id string, more config.Variables) resource.TestStep {
	variables := config.Variables{"id": config.StringVariable(id)}
	maps.Copy(variables, more)
	return resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/repositories"), ConfigVariables: variables}
}

// expectRepositories expects the repositories in order, with every attribute.
func expectRepositories(owner string, branches map[string]string, names ...string) []statecheck.StateCheck {
	want := make([]knownvalue.Check, len(names))
	for i, name := range names {
		branch := branches[name]
		if branch == "" {
			branch = "main"
		}
		want[i] = knownvalue.ObjectExact(map[string]knownvalue.Check{
			"id":             knownvalue.NotNull(),
			"name":           knownvalue.StringExact(name),
			"owner":          knownvalue.StringExact(owner),
			"url":            knownvalue.StringExact("https://git.example.com/" + owner + "/" + name),
			"default_branch": knownvalue.StringExact(branch),
		})
	}
	return []statecheck.StateCheck{statecheck.ExpectKnownValue(
		"data.agentplane_integration_repositories.test", tfjsonpath.New("repositories"), knownvalue.ListExact(want))}
}

// TestAccIntegrationRepositoriesDataSource reads the repositories of one of two integrations, with and without filters.
func TestAccIntegrationRepositoriesDataSource(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		install(plane, "another-org")
		branches := map[string]string{"support-agent": "trunk"}
		var steps []resource.TestStep
		for _, test := range []struct {
			filters map[string]string
			want    []string
		}{
			{nil, []string{"chat", "research-agent", "support-agent"}},
			{map[string]string{"name": "support-agent"}, []string{"support-agent"}},
			{map[string]string{"owner": seeded}, []string{"chat", "research-agent", "support-agent"}},
			{map[string]string{"name": "chat", "owner": seeded}, []string{"chat"}},
			{map[string]string{"name": "chat", "owner": "another-org"}, nil},
			{map[string]string{"name": "agent"}, nil}, // Part of a name doesn't match.
			{map[string]string{"name": "a&b=c"}, nil},
		} {
			variables := config.Variables{}
			for name, value := range test.filters {
				variables[name] = config.StringVariable(value)
			}
			step := repositories(plane.IntegrationID, variables)
			step.ConfigStateChecks = expectRepositories(seeded, branches, test.want...)
			steps = append(steps, step)
		}
		providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
	})
}

// TestAccIntegrationRepositoriesDataSource_many reads lists of several lengths: the service returns each at once.
func TestAccIntegrationRepositoriesDataSource_many(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		for _, total := range []int{0, 1, 100, 101, 250} {
			t.Run(fmt.Sprint(total), func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				names := make([]string, total)
				given := make([]map[string]any, total)
				for i := range total {
					names[i] = fmt.Sprintf("agent-%03d", i)
					given[i] = map[string]any{"name": names[i]}
				}
				var integration struct {
					ID string `json:"id"`
				}
				plane.Call(http.MethodPost, "/dev/integrations", map[string]any{"name": "large-org", "repositories": given}, &integration)
				step := repositories(integration.ID, nil)
				step.ConfigStateChecks = expectRepositories("large-org", nil, names...)
				providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{step}})
				queries := map[string]bool{}
				path, want := "/v1/integrations/git_host/*/repos", map[string]bool{"limit=100&offset=0": true}
				if plane.Dialect().LangSmithAPI {
					path, want = "/v2/integrations/github/installations/*/repositories", map[string]bool{"page_size=100": true}
					for read := 100; read < total; read += 100 {
						want[fmt.Sprintf("cursor=%d&page_size=100", read)] = true
					}
				}
				for _, request := range plane.Requests(http.MethodGet, path) {
					queries[request.Query] = true
				}
				if cmp.Diff(want, queries) != "" {
					t.Errorf("queries = %v, want %v", queries, want)
				}
			})
		}
	})
}

// TestAccIntegrationRepositoriesDataSource_workspace reads from a workspace other than the provider's.
func TestAccIntegrationRepositoriesDataSource_workspace(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, func(cfg *devserver.Config) {
		cfg.Keys[0].Workspaces = append(cfg.Keys[0].Workspaces, elsewhere)
	})
	there := plane.In(elsewhere)
	step := repositories(install(there, "their-org"), config.Variables{"workspace_id": config.StringVariable(elsewhere)})
	step.ConfigStateChecks = expectRepositories("their-org", map[string]string{"support-agent": "trunk"}, "chat", "research-agent", "support-agent")
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{step}})
}

// TestAccIntegrationRepositoriesDataSource_refused expects a clear error for every list that can't be read.
func TestAccIntegrationRepositoriesDataSource_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	steps := []resource.TestStep{repositories(elsewhere, nil), repositories(elsewhere, nil)}
	for i, want := range []string{`Cannot list repositories`, `Integration ID ` + elsewhere + ` not found. Status: 404`} {
		steps[i].ExpectError = providertest.Words(want)
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}
