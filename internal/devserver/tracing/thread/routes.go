package thread

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func Version1() []rest.Endpoint {
	return []rest.Endpoint{{Path: "/runs/group", Queries: true, Methods: rest.Methods{http.MethodPost: groupRuns}}}
}

// Version2 is Version1 for version 2.
func Version2() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/threads/stats", Queries: true, Methods: rest.Methods{http.MethodPost: threadsStats}},
		{Path: "/threads/query", Queries: true, Methods: rest.Methods{http.MethodPost: queryThreads}},
		{Path: "/threads/{thread...}", Methods: rest.Methods{
			http.MethodGet: getThread, http.MethodPost: shareThread, http.MethodDelete: unshareThread,
		}},
	}
}
