package authservice

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Service is the Auth service.
type Service struct{}

// Endpoints are those of the service's own description.
func (s *Service) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/v2/auth/providers", Methods: rest.Methods{
			http.MethodGet:  s.listOAuthProviders,
			http.MethodPost: s.createOAuthProvider,
		}},
		{Path: "/v2/auth/providers/{provider_id}", Methods: rest.Methods{
			http.MethodGet:    s.getOAuthProvider,
			http.MethodPatch:  s.patchOAuthProvider,
			http.MethodDelete: s.deleteOAuthProvider,
		}},
	}
}
