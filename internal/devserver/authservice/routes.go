package authservice

import (
	"net/http"

	. "github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Endpoints are those of the service's own description.
func (s *AuthService) Endpoints() []Endpoint {
	return []Endpoint{
		{Path: "/v2/auth/providers", Methods: Methods{
			http.MethodGet:  s.listOAuthProviders,
			http.MethodPost: s.createOAuthProvider,
		}},
		{Path: "/v2/auth/providers/{provider_id}", Methods: Methods{
			http.MethodGet:    s.getOAuthProvider,
			http.MethodPatch:  s.patchOAuthProvider,
			http.MethodDelete: s.deleteOAuthProvider,
		}},
	}
}
