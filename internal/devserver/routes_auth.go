package devserver

import "net/http"

// Endpoints are those of the service's own description.
func (s *authService) Endpoints() []endpoint {
	return []endpoint{
		{Path: "/v2/auth/providers", Methods: methods{
			http.MethodGet:  s.listOAuthProviders,
			http.MethodPost: s.createOAuthProvider,
		}},
		{Path: "/v2/auth/providers/{provider_id}", Methods: methods{
			http.MethodGet:    s.getOAuthProvider,
			http.MethodPatch:  s.patchOAuthProvider,
			http.MethodDelete: s.deleteOAuthProvider,
		}},
	}
}
