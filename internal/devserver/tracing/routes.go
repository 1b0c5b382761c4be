package tracing

import (
	"net/http"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
)

// Endpoints returns the endpoints of both API versions at each of their paths. Clients strip known prefixes from the
// configured URL, and add their own prefixes to paths.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(rest.Below(s.version1(), "", "/v1", "/api", "/api/v1"), rest.Below(s.version2(), "/v2", "/api/v2"), s.OTLPEndpoints())
}

// DevEndpoints are endpoints that the service itself doesn't have.
func (s *Service) DevEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Dev: true, Path: "/dev/sessions/{session_id}/series", Methods: rest.Methods{http.MethodGet: s.sessionSeries}},
	}
}

func (s *Service) version1() []rest.Endpoint {
	return slices.Concat(outOfScope(), s.Prices.Endpoints(), s.Version1(), feedback.Endpoints(), []rest.Endpoint{
		{Path: "/info", Public: true, Methods: rest.Methods{http.MethodGet: s.info}},
		{Path: "/runs/group", Queries: true, Methods: rest.Methods{http.MethodPost: s.groupRuns}},
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: s.listSessions, http.MethodPost: s.createSession}},
		{Path: "/sessions/{session_id}", Methods: rest.Methods{
			http.MethodGet:    s.getSession,
			http.MethodPatch:  s.patchSession,
			http.MethodDelete: s.deleteSession,
		}},
		{Path: "/sessions/{session_id}/dashboard", Queries: true, Methods: rest.Methods{http.MethodPost: s.dashboard}},
		{Path: "/sessions/resolutions", Methods: rest.Methods{http.MethodGet: s.resolveSession}},
		{Path: "/settings", Methods: rest.Methods{http.MethodGet: s.settings}},
	})
}

func (s *Service) version2() []rest.Endpoint {
	return append(s.Version2(), []rest.Endpoint{
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: s.listSessionsV2}},
		{Path: "/threads/stats", Queries: true, Methods: rest.Methods{http.MethodPost: s.threadsStats}},
		{Path: "/threads/query", Queries: true, Methods: rest.Methods{http.MethodPost: s.queryThreads}},
		{Path: "/threads/{thread_id}/traces", Methods: rest.Methods{http.MethodGet: s.listThreadTraces}},
		{Path: "/threads/{thread_id}/stats", Methods: rest.Methods{http.MethodGet: s.threadStats}},
	}...)
}
