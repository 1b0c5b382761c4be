package authservice_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// providerBody is the minimum for an OAuth provider, with changes.
func providerBody(slug string, changes ...object) object {
	return devservertest.With(object{
		"provider_id": slug, "name": "Mail", "client_id": "c", "auth_url": "https://mail.example/auth",
		"token_url": "https://mail.example/token",
	}, changes...)
}

func provide(p *plane, body object) api.OAuthProviderResponse {
	p.T.Helper()
	return devservertest.Into[api.OAuthProviderResponse](p.Do(http.MethodPost, "/v2/auth/providers", body).Want(http.StatusOK))
}

func TestOAuthProviderLifecycle(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	if none := devservertest.Get[[]api.OAuthProviderResponse](p, "/v2/auth/providers"); len(none) != 0 {
		t.Errorf("providers at first = %+v, want none", none)
	}
	made := provide(p, providerBody("mail"))
	want := api.OAuthProviderResponse{
		ID: made.ID, OrganizationID: made.OrganizationID, ProviderID: "mail", Name: "Mail", ClientID: "c",
		AuthURL: "https://mail.example/auth", TokenURL: "https://mail.example/token", CodeChallengeMethod: new("S256"),
		TokenEndpointAuthMethod: "client_secret_post", AuthorizationParams: map[string]string{},
		AllowedRedirectURIs: []string{}, DefaultRedirectURI: new(p.Web.URL + "/v2/auth/callback/mail"),
		CreatedAt: "2026-05-02T10:00:00.000000Z", UpdatedAt: "2026-05-02T10:00:00.000000Z",
	}
	check := func(step string, answered api.OAuthProviderResponse) {
		t.Helper()
		all := devservertest.Get[[]api.OAuthProviderResponse](p, "/v2/auth/providers")
		one := devservertest.Get[api.OAuthProviderResponse](p, "/v2/auth/providers/mail")
		devservertest.Same(t, step, []api.OAuthProviderResponse{want, want, want}, append(all, one, answered))
	}
	check("created", made)
	for i, step := range []struct {
		name   string
		body   object
		change func()
	}{
		{"nulls keep", object{"name": nil, "client_secret": nil, "authorization_params": nil, "uses_pkce": nil}, func() {}},
		{"what can't be changed is ignored", object{"provider_id": "x", "provider_type": "slack", "token_endpoint_auth_method": "none"}, func() {}},
		{"everything", object{
			"name": "Post", "client_id": "d", "client_secret": "hush", "auth_url": "a", "token_url": "t", "uses_pkce": true,
			"code_challenge_method": "plain", "authorization_params": object{"prompt": "consent"},
			"allowed_redirect_uris": []string{"https://b", "https://a"},
		}, func() {
			want.Name, want.ClientID, want.AuthURL, want.TokenURL, want.UsesPKCE = "Post", "d", "a", "t", true
			want.CodeChallengeMethod, want.AuthorizationParams = new("plain"), map[string]string{"prompt": "consent"}
			want.AllowedRedirectURIs = []string{"https://b", "https://a"}
		}},
		{"one of them", object{"uses_pkce": false}, func() { want.UsesPKCE = false }},
		{"empty ones", object{"authorization_params": object{}, "allowed_redirect_uris": []string{}}, func() {
			want.AuthorizationParams, want.AllowedRedirectURIs = map[string]string{}, []string{}
		}},
	} {
		step.change()
		want.UpdatedAt = fmt.Sprintf("2026-05-02T10:00:00.00000%dZ", i+1) // The clock stands still.
		r := p.Do(http.MethodPatch, "/v2/auth/providers/mail", step.body).Want(http.StatusOK)
		check(step.name, devservertest.Into[api.OAuthProviderResponse](r))
	}
	deleted := devservertest.Into[api.MessageResponse](p.Do(http.MethodDelete, "/v2/auth/providers/mail", nil).Want(http.StatusOK))
	if deleted.Message != "OAuth provider 'mail' deleted." {
		t.Errorf("message of the deletion = %q, want that mail is deleted", deleted.Message)
	}
	for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete} {
		p.Do(method, "/v2/auth/providers/mail", object{}).Want(http.StatusNotFound).WantDetail("OAuth provider 'mail' not found.")
	}
	provide(p, providerBody("mail")) // The slug is available again.
}

func TestOAuthProviderTakesEverything(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	made := provide(p, providerBody("Team_chat.2", object{
		"client_secret": "hush", "uses_pkce": true, "code_challenge_method": "plain", "provider_type": "slack",
		"token_endpoint_auth_method": "none", "authorization_params": object{"a": "b"}, "allowed_redirect_uris": []string{"u"},
	}))
	slack := api.OAuthProviderSlack
	want := api.OAuthProviderResponse{
		ID: made.ID, OrganizationID: made.OrganizationID, ProviderID: "Team_chat.2", Name: "Mail", ClientID: "c",
		AuthURL: "https://mail.example/auth", TokenURL: "https://mail.example/token", UsesPKCE: true,
		CodeChallengeMethod: new("plain"), ProviderType: &slack, TokenEndpointAuthMethod: "none",
		AuthorizationParams: map[string]string{"a": "b"}, AllowedRedirectURIs: []string{"u"},
		DefaultRedirectURI: new(p.Web.URL + "/v2/auth/callback/Team_chat.2"),
		CreatedAt:          "2026-05-02T10:00:00.000000Z", UpdatedAt: "2026-05-02T10:00:00.000000Z",
	}
	devservertest.Same(t, "provider", want, made)
}

func TestOAuthProviderRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	provide(p, providerBody("taken"))
	p.Do(http.MethodPost, "/v2/auth/providers", providerBody("taken")).Want(http.StatusConflict).
		WantDetail("OAuth provider 'taken' already exists.")
	for name, tc := range map[string]struct {
		body object
		want []string
	}{
		"nothing": {object{}, []string{
			"provider_id missing", "name missing", "client_id missing", "auth_url missing", "token_url missing",
		}},
		"slug":        {providerBody("a/b"), []string{"provider_id string_pattern_mismatch"}},
		"reserved":    {providerBody("mcp-discover"), []string{"provider_id value_error"}},
		"empty slug":  {providerBody(""), []string{"provider_id string_pattern_mismatch"}},
		"type":        {providerBody("a", object{"provider_type": "github"}), []string{"provider_type enum"}},
		"auth method": {providerBody("a", object{"token_endpoint_auth_method": "mtls"}), []string{"token_endpoint_auth_method enum"}},
		"params":      {providerBody("a", object{"authorization_params": object{"a": 1}}), []string{"authorization_params.a string_type"}},
		"uris":        {providerBody("a", object{"allowed_redirect_uris": "u"}), []string{"allowed_redirect_uris list_type"}},
		"secret":      {providerBody("a", object{"client_secret": 7}), []string{"client_secret string_type"}},
	} {
		r := p.Do(http.MethodPost, "/v2/auth/providers", tc.body).Want(http.StatusUnprocessableEntity)
		devservertest.Same(t, name, tc.want, devservertest.Problems(r))
	}
	r := p.Do(http.MethodPatch, "/v2/auth/providers/taken", object{"uses_pkce": "yes"}).Want(http.StatusUnprocessableEntity)
	devservertest.Same(t, "problems of a patch", []string{"uses_pkce bool_type"}, devservertest.Problems(r))
}

func TestOAuthProvidersOfWorkspaces(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	other := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	first := provide(p, providerBody("mail"))
	other.Do(http.MethodGet, "/v2/auth/providers/mail", nil).Want(http.StatusNotFound)
	second := provide(other, providerBody("mail"))
	if first.ID == second.ID || first.OrganizationID == second.OrganizationID {
		t.Errorf("the second workspace's provider = %+v, want an ID and an organization of its own", second)
	}
	if again := provide(p, providerBody("chat")); again.OrganizationID != first.OrganizationID {
		t.Errorf("the same workspace has the organizations %s and %s, want one", first.OrganizationID, again.OrganizationID)
	}
}

// TestClientSecretStaysInside checks that no response and no recorded request contains the secret.
func TestClientSecretStaysInside(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	const secret = "hunter22"
	answers := []devservertest.Reply{
		p.Do(http.MethodPost, "/v2/auth/providers", providerBody("mail", object{"client_secret": secret})).Want(200),
		p.Do(http.MethodPost, "/v2/auth/providers", providerBody("mail", object{"client_secret": secret})).Want(409),
		p.Do(http.MethodPost, "/v2/auth/providers", providerBody("a/b", object{"client_secret": secret})).Want(422),
		p.Do(http.MethodPost, "/v2/auth/providers", providerBody("a", object{"client_secret": []string{secret}})).Want(422),
		p.Do(http.MethodPatch, "/v2/auth/providers/mail", object{"client_secret": secret}).Want(200),
		p.Do(http.MethodGet, "/v2/auth/providers", nil).Want(200),
		p.Do(http.MethodGet, "/dev/requests", nil).Want(200),
	}
	for i, r := range answers {
		if strings.Contains(string(r.Body), secret) {
			t.Errorf("response %d contains the secret: %s", i, r.Body)
		}
	}
	recorded, err := json.Marshal(p.Requests())
	devservertest.Must(t, err)
	if strings.Contains(string(recorded), secret) || !strings.Contains(string(recorded), `"client_secret":"***"`) {
		t.Errorf("recorded request = %s, want the secret masked", recorded)
	}
}
