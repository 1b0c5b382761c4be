package session

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: s.listSessions, http.MethodPost: s.createSession}},
		{Path: "/sessions/{session_id}", Methods: rest.Methods{
			http.MethodGet:    s.getSession,
			http.MethodPatch:  s.patchSession,
			http.MethodDelete: s.deleteSession,
		}},
		{Path: "/sessions/{session_id}/dashboard", Queries: true, Methods: rest.Methods{http.MethodPost: s.dashboard}},
		{Path: "/sessions/resolutions", Methods: rest.Methods{http.MethodGet: s.resolveSession}},
	}
}

// Version2 is Version1 for version 2.
func (s *Service) Version2() []rest.Endpoint {
	return []rest.Endpoint{{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: s.listSessionsV2}}}
}

// DevEndpoints are endpoints that the service itself doesn't have.
func (s *Service) DevEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Dev: true, Path: "/dev/sessions/{session_id}/series", Methods: rest.Methods{http.MethodGet: s.sessionSeries}},
	}
}
