package tracing

import (
	"net/http"
	"regexp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// elsewhere are parts of the API that this service doesn't implement, by the segment of paths that names them.
var elsewhere = map[string]string{
	"comparative": "comparative experiments", "evaluators": "evaluators", "issues": "issues",
	"commits": "prompts", "repos": "prompts", "prompts": "prompts", "likes": "prompts", "hub": "prompts",
	"annotation-queues": "annotation queues", "insights": "insights", "sandboxes": "sandboxes", "workspaces": "workspaces",
	"runs/rules": "automation rules", "alerts": "alerts", "sql": "SQL", "agents": "agents", "charts": "custom charts",
	"bulk-exports": "bulk exports", "orgs": "organizations", "api-key": "API keys", "service-accounts": "API keys",
}

// area finds that segment. Clients add prefixes to paths, and insights belong to a project.
var area = regexp.MustCompile(`^(?:/api)?(?:/v[12])?(?:/platform)?(?:/sessions/[^/]+)?/(runs/rules|[a-z-]+)(?:/|$)`)

// ElsewherePaths are the paths of these parts that would be an object of this service otherwise.
func ElsewherePaths() []string {
	return []string{"/runs/rules", "/v1/runs/rules", "/v2/runs/rules", "/api/runs/rules", "/api/v1/runs/rules", "/api/v2/runs/rules"}
}

// Elsewhere returns the endpoint for a request that no other serves. Its answer says that this server lacks a
// part of the API, so that clients don't look for it at another path.
func Elsewhere(r *http.Request) rest.Endpoint {
	found := area.FindStringSubmatch(r.URL.Path)
	if len(found) < 2 || elsewhere[found[1]] == "" {
		return rest.Endpoint{}
	}
	return rest.Endpoint{Neutral: true, Public: true, Methods: rest.Methods{r.Method: func(*rest.Call) (rest.Answer, error) {
		return rest.Answer{}, form.Missing("This service only traces and evaluates agents: use another service for %s. "+
			"See What the dev server doesn't have in the guide Send traces.", elsewhere[found[1]])
	}}}
}
