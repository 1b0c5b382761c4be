package share

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func Version1() []rest.Endpoint {
	return append(
		public(
			rest.Endpoint{Path: "/public/{share_token}/{runs}", Methods: rest.Methods{http.MethodGet: list}},
			rest.Endpoint{Path: "/public/{share_token}/run", Methods: rest.Methods{http.MethodGet: getShared}},
			rest.Endpoint{Path: "/public/{share_token}/run/{run_id}", Methods: rest.Methods{http.MethodGet: getRun}},
			rest.Endpoint{Path: "/public/{share_token}/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: query}},
			rest.Endpoint{Path: "/public/{share_token}/feedbacks", Methods: rest.Methods{http.MethodGet: listFeedback}},
		),
		rest.Endpoint{Path: "/runs/{run_id}/share", Methods: rest.Methods{http.MethodGet: get, http.MethodPut: put, http.MethodDelete: remove}},
		rest.Endpoint{
			Path: "/public/{share_token}/{rest...}", Public: true,
			Methods: rest.Methods{http.MethodGet: nothingElse, http.MethodPost: nothingElse},
		},
	)
}

// Version2 is Version1 for version 2.
func Version2() []rest.Endpoint {
	return append(
		public(
			rest.Endpoint{Path: "/public/{share_token}/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: queryV2}},
			rest.Endpoint{Path: "/public/{share_token}/run/{run_id}", Methods: rest.Methods{http.MethodGet: getRunV2}},
		),
		rest.Endpoint{Path: "/runs/{run_id}/share", Methods: rest.Methods{http.MethodPost: put, http.MethodDelete: remove}},
	)
}

// public returns endpoints that need a token and no key, and count for the workspace of the run.
func public(endpoints ...rest.Endpoint) []rest.Endpoint {
	for i := range endpoints {
		endpoints[i].Public, endpoints[i].Owner = true, owner
	}
	return endpoints
}
