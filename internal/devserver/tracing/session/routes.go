package session

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: listSessions, http.MethodPost: rest.WithBody(createSession)}},
		{Path: "/sessions/{session_id}", Methods: rest.Methods{
			http.MethodGet:    rest.WithNamed(session, getSession),
			http.MethodPatch:  rest.WithNamed(session, patchSession),
			http.MethodDelete: rest.WithNamed(session, deleteSession),
		}},
		{Path: "/sessions/{session_id}/dashboard", Queries: true, Methods: rest.Methods{http.MethodPost: rest.WithNamed(session, dashboard)}},
		{Path: "/sessions/resolutions", Methods: rest.Methods{http.MethodGet: resolveSession}},
	}
}

// Version2 is Version1 for version 2.
func (s *Service) Version2() []rest.Endpoint {
	return []rest.Endpoint{{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: listSessionsV2}}}
}
