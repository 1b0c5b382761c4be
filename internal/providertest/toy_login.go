package providertest

import (
	"net/http/httptest"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/toylogin"
)

// ProvideToyLogin registers an OAuth provider whose login accepts everybody, for tests with a browser.
func (p *Plane) ProvideToyLogin(providerID string) {
	p.t.Helper()
	toy := toylogin.New(time.Now)
	listening := httptest.NewServer(toy)
	p.t.Cleanup(listening.Close)
	p.Call("POST", "/v2/auth/providers", map[string]any{
		"provider_id": providerID, "name": "Toy", "client_id": toy.Client().ID, "client_secret": toy.Client().Secret,
		"auth_url": toylogin.AuthURL(listening.URL), "token_url": toylogin.TokenURL(listening.URL), "uses_pkce": true,
	}, nil)
}
