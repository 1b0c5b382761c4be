package share

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs/{run_id}/share", Methods: rest.Methods{http.MethodGet: get, http.MethodPut: put, http.MethodDelete: remove}},
		{Path: "/public/{share_token}/{runs}", Public: true, Methods: rest.Methods{http.MethodGet: list}},
		{Path: "/public/{share_token}/run", Public: true, Methods: rest.Methods{http.MethodGet: getShared}},
		{Path: "/public/{share_token}/run/{run_id}", Public: true, Methods: rest.Methods{http.MethodGet: getRun}},
		{Path: "/public/{share_token}/runs/query", Public: true, Queries: true, Methods: rest.Methods{http.MethodPost: query}},
		{Path: "/public/{share_token}/feedbacks", Public: true, Methods: rest.Methods{http.MethodGet: listFeedback}},
		{Path: "/public/{share_token}/{rest...}", Public: true, Methods: rest.Methods{http.MethodGet: nothingElse, http.MethodPost: nothingElse}},
	}
}

// Version2 is Version1 for version 2.
func Version2() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs/{run_id}/share", Methods: rest.Methods{http.MethodPost: put, http.MethodDelete: remove}},
		{Path: "/public/{share_token}/runs/query", Public: true, Queries: true, Methods: rest.Methods{http.MethodPost: queryV2}},
		{Path: "/public/{share_token}/run/{run_id}", Public: true, Methods: rest.Methods{http.MethodGet: getRunV2}},
	}
}
