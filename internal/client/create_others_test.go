package client

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// losesCreates hangs up on every POST, after which reads get what list returns, instead of the empty list.
func losesCreates[T any](empty string, list func() T) http.HandlerFunc {
	return appearing(empty, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			hangUp(w, r)
			return
		}
		answerWith(http.StatusOK, list())(w, r)
	})
}

// lost is the result of a create whose reply was lost.
type lost struct {
	id   string
	err  error
	text string // Part of the reason for refusing to adopt; empty: adopted.
}

func (l lost) check(t *testing.T, s *service, path, name string) {
	t.Helper()
	if diff := cmp.Diff([]string{"GET " + path, "POST " + path, "GET " + path}, s.calls()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if l.text == "" {
		if l.err != nil || l.id != "4a000001-0000-4000-8000-000000000000" {
			t.Errorf("created %q, %v; want 4a000001-0000-4000-8000-000000000000", l.id, l.err)
		}
		return
	}
	unknown, ok := errors.AsType[*OutcomeUnknownError](l.err)
	if !ok || unknown.ID != "4a000001-0000-4000-8000-000000000000" || unknown.Name != name || unknown.Path != path || !strings.Contains(unknown.Reason, l.text) {
		t.Errorf("error = %v, want an OutcomeUnknownError with 4a000001-0000-4000-8000-000000000000, %s and %q", l.err, name, l.text)
	}
	if strings.Contains(l.err.Error(), "hunter22") {
		t.Errorf("error %q shows a secret", l.err)
	}
}

func TestLostOAuthProviderIsAdoptedOnlyWhenProvablyOurs(t *testing.T) {
	t.Parallel()
	type provider = api.OAuthProviderResponse
	for name, test := range map[string]struct {
		change func(*provider)
		want   string
	}{
		"as made":      {func(*provider) {}, ""},
		"other client": {func(p *provider) { p.ClientID = "x" }, "it differs in client_id"},
		"other URL":    {func(p *provider) { p.TokenURL = "x" }, "it differs in token_url"},
		"PKCE":         {func(p *provider) { p.UsesPKCE = true }, "it differs in uses_pkce"},
		"other params": {func(p *provider) { p.AuthorizationParams["prompt"] = "none" }, "it differs in authorization_params.prompt"},
		"more defaults": {func(p *provider) {
			p.CodeChallengeMethod, p.AuthorizationParams["added"] = new("S256"), "by the service"
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, losesCreates(`[]`, func() []provider {
				p := provider{
					ID: "4a000001-0000-4000-8000-000000000000", ProviderID: "mail", Name: "Mail", ClientID: "c",
					AuthURL: "https://a", TokenURL: "https://t", AuthorizationParams: map[string]string{"prompt": "consent"},
				}
				test.change(&p)
				return []provider{{ID: "4a000000-0000-4000-8000-000000000000", ProviderID: "mail-2"}, p}
			}))
			p, err := c.CreateOAuthProvider(t.Context(), api.OAuthProviderCreateRequest{
				ProviderID: "mail", Name: "Mail", ClientID: "c", ClientSecret: api.Some("hunter22"), AuthURL: "https://a",
				TokenURL: "https://t", UsesPKCE: api.Some(false),
				AuthorizationParams: api.Some(map[string]string{"prompt": "consent"}),
			})
			got := lost{err: err, text: test.want}
			if p != nil {
				got.id = p.ID
			}
			got.check(t, s, "/v2/auth/providers", "mail")
		})
	}
}

func TestLostAgentProviderTokenIsAdoptedOnlyWhenProvablyOurs(t *testing.T) {
	t.Parallel()
	type connection = api.AgentConnectionResponse
	old := connection{ID: "4a000000-0000-4000-8000-000000000000", AgentID: "bot", OAuthTokenID: "t0", ProviderID: "mail"}
	for name, test := range map[string]struct {
		change func(*connection)
		want   string
	}{
		"as made":        {func(*connection) {}, ""},
		"other scopes":   {func(a *connection) { a.Scopes = nil }, "it differs in scopes"},
		"other label":    {func(a *connection) { a.ProviderAccountLabel = new("bot") }, "it differs in provider_account_label"},
		"other lifetime": {func(a *connection) { a.ExpiresAt = new("2026-05-02T10:00:00Z") }, "it differs in expires_in_seconds"},
		"other provider": {func(a *connection) { a.ProviderID = "chat" }, "nothing with that provider_id exists yet"},
		"known before":   {func(a *connection) { a.ID = old.ID }, "nothing with that provider_id exists yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, losesCreates(`{"data":[]}`, func() api.AgentConnectionListResponse {
				made := connection{
					ID: "4a000001-0000-4000-8000-000000000000", AgentID: "bot", OAuthTokenID: "t1", ProviderID: "mail", Scopes: []string{"read"},
				}
				test.change(&made)
				return api.AgentConnectionListResponse{Data: []connection{old, made}}
			}))
			a, adopted, err := c.CreateAgentProviderToken(t.Context(), "bot", "mail", api.UpsertAgentProviderTokenRequest{
				AccessToken: "hunter22", Scopes: api.Some([]string{"read"}),
			}, []connection{old})
			if got := s.calls(); got[0] != "POST /v2/auth/agents/bot/providers/mail/tokens" || slices.Contains(got[1:], got[0]) {
				t.Errorf("requests = %v, want one creation, first", got)
			}
			if test.want == "" {
				if err != nil || !adopted || a.ID != "4a000001-0000-4000-8000-000000000000" {
					t.Errorf("%+v, adopted = %t, %v; want the token that was made", a, adopted, err)
				}
				return
			}
			unknown, ok := errors.AsType[*OutcomeUnknownError](err)
			if !ok || adopted || !strings.Contains(unknown.Reason, test.want) || unknown.ID == old.ID || strings.Contains(err.Error(), "hunter22") {
				t.Errorf("adopted = %t, error = %v; want an OutcomeUnknownError with %q", adopted, err, test.want)
			}
		})
	}
}
