package session

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: listSessions, http.MethodPost: createSession}},
		{Path: "/sessions/{session_id}", Methods: rest.Methods{
			http.MethodGet:    getSession,
			http.MethodPatch:  patchSession,
			http.MethodDelete: deleteSession,
		}},
		{Path: "/sessions/{session_id}/dashboard", Queries: true, Methods: rest.Methods{http.MethodPost: dashboard}},
		{Path: "/sessions/resolutions", Methods: rest.Methods{http.MethodGet: resolveSession}},
	}
}

// Version2 is Version1 for version 2.
func (s *Service) Version2() []rest.Endpoint {
	return []rest.Endpoint{{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: listSessionsV2}}}
}
