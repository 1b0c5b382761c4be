package authservice_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func imports(p *plane, changes ...object) string {
	p.T.Helper()
	body := devservertest.With(object{"provider_id": "mail", "access_token": "imported", "scopes": []string{"read"}}, changes...)
	return devservertest.Into[api.OAuthTokenImportResponse](p.Do(http.MethodPost, "/v2/auth/tokens/import", body).Want(http.StatusOK)).TokenID
}

// TestScopesWiden checks that a flow for more scopes also requests the present ones, and replaces the token instead of adding one.
func TestScopesWiden(t *testing.T) {
	t.Parallel()
	p, server := loggedIn(t)
	id := tokens(p)[0].ID
	server.answer(http.StatusOK, object{"access_token": "access-2"})
	flow := login(p, object{"scopes": []string{"write"}})
	devservertest.Same(t, "scope of the flow", "read write", flow.query.Get("scope"))
	want := []api.OAuthTokenSummary{{
		ID: id, ProviderID: "mail", Scopes: []string{"read", "write"}, IsDefault: true,
		CreatedAt: "2026-05-02T10:00:00.000000Z", UpdatedAt: "2026-05-02T10:00:00.000000Z",
	}}
	devservertest.Same(t, "tokens", want, tokens(p))
	devservertest.Same(t, "token", "access-2", token(authenticate(p, object{"scopes": []string{"write", "read"}})))
	devservertest.Same(t, "events", []string{"refreshed", "created"}, events(p))

	// Without a new refresh token, the first one stays.
	server.answer(http.StatusOK, object{"access_token": "access-3", "expires_in": 60})
	login(p, object{"scopes": []string{"send"}})
	server.asked()
	authenticate(p)
	if asked := server.asked(); len(asked) != 1 || asked[0].form.Get("refresh_token") != "refresh-1" {
		t.Errorf("a token that is about to expire is refreshed by %+v, want one request with refresh-1", asked)
	}
}

// TestSeveralAccounts adds an account with force_new. The default account is used unless a request names another.
func TestSeveralAccounts(t *testing.T) {
	t.Parallel()
	p, server := loggedIn(t)
	server.answer(http.StatusOK, object{"access_token": "access-2"})
	login(p, object{"force_new": true, "is_default": false})
	all := tokens(p)
	if len(all) != 2 || !all[0].IsDefault || all[1].IsDefault {
		t.Fatalf("tokens = %+v, want two, the first as default", all)
	}
	devservertest.Same(t, "default token", "access-1", token(authenticate(p)))
	devservertest.Same(t, "token by its ID", "access-2", token(authenticate(p, object{"token_id": all[1].ID})))
	path := "/v2/auth/tokens/" + all[1].ID + "/metadata"
	patched := devservertest.Into[api.OAuthTokenSummary](
		p.Do(http.MethodPatch, path, object{"provider_account_label": "work", "is_default": true}).Want(http.StatusOK))
	if !patched.IsDefault || patched.ProviderAccountLabel == nil || *patched.ProviderAccountLabel != "work" {
		t.Errorf("patched = %+v, want the default with the label work", patched)
	}
	if all = tokens(p); all[0].IsDefault || !all[1].IsDefault {
		t.Errorf("tokens = %+v, want the second as default", all)
	}
	devservertest.Same(t, "default token", "access-2", token(authenticate(p)))
	kept := devservertest.Into[api.OAuthTokenSummary](p.Do(http.MethodPatch, path, object{"provider_account_label": nil}).Want(http.StatusOK))
	devservertest.Same(t, "a patch with null changed the token", patched, kept)
	p.Do(http.MethodDelete, "/v2/auth/tokens/"+all[1].ID, nil).Want(http.StatusNoContent)
	p.Do(http.MethodDelete, "/v2/auth/tokens/"+all[1].ID, nil).Want(http.StatusNotFound)
	if got := token(authenticate(p)); got != "access-1" { // The only token left.
		t.Errorf("token without a default = %s, want access-1", got)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
	provide(p, server.provider("mail"))
	id := imports(p, object{"refresh_token": "r", "expires_in_seconds": 60, "metadata": object{"team": object{"id": 7}}})
	got := authenticate(p) // It expires within a minute, so it is refreshed.
	if token(got) != "access-1" || string(got.Metadata["team"]) != `{"id":7}` || string(got.Metadata["token_id"]) != strconv.Quote(id) {
		t.Errorf("authenticate = %+v, want access-1 with the metadata", got)
	}
	if asked := server.asked(); len(asked) != 1 || asked[0].form.Get("refresh_token") != "r" {
		t.Errorf("the token endpoint got %v, want one request with the refresh token r", asked)
	}
	imports(p, object{"access_token": "second"})
	if all := tokens(p); len(all) != 2 || all[0].IsDefault || !all[1].IsDefault || all[1].ExpiresAt != nil {
		t.Errorf("tokens = %+v, want two, the second as default without an expiry", all)
	}
	p.Do(http.MethodPost, "/v2/auth/tokens/import", object{"provider_id": "none", "access_token": "a"}).Want(http.StatusNotFound)
	r := p.Do(http.MethodPost, "/v2/auth/tokens/import", object{"provider_id": "mail", "access_token": "", "expires_in_seconds": 0}).
		Want(http.StatusUnprocessableEntity)
	devservertest.Same(t, "problems", []string{"access_token string_too_short", "expires_in_seconds greater_than_equal"}, devservertest.Problems(r))
}

func TestTokensExist(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	provide(p, providerBody("mail"))
	provide(p, providerBody("chat", object{"provider_type": "slack"}))
	check := func(step string, mail, chat bool) {
		t.Helper()
		batch := devservertest.Into[api.OAuthTokenStatusBatchResponse](p.Do(http.MethodPost, "/v2/auth/tokens/exists/batch",
			object{"provider_ids": []string{"mail", "chat", "none"}}).Want(http.StatusOK))
		one := devservertest.Get[api.OAuthTokenStatusResponse](p, "/v2/auth/tokens/exists?provider_id=mail")
		slack := devservertest.Get[api.OAuthTokenStatusResponse](p, "/v2/auth/tokens/workspace/slack/exists")
		devservertest.Same(t, step, map[string]bool{"mail": mail, "chat": chat, "none": false}, batch.HasToken)
		if one.HasToken != mail || slack.HasToken != chat {
			t.Errorf("%s: tokens exist for mail: %v, for Slack: %v; want %v, %v", step, one.HasToken, slack.HasToken, mail, chat)
		}
	}
	check("at first", false, false)
	imports(p)
	imports(p)
	imports(p, object{"provider_id": "chat"})
	check("imported", true, true)
	if got := devservertest.Get[[]api.OAuthTokenSummary](p, "/v2/auth/tokens?provider_id=chat"); len(got) != 1 || got[0].ProviderID != "chat" {
		t.Errorf("tokens of chat = %+v, want one", got)
	}
	r := p.Do(http.MethodDelete, "/v2/auth/tokens?provider_id=mail", nil).Want(http.StatusOK)
	devservertest.Same(t, "response", api.OAuthTokensDeleteResponse{Message: "Tokens revoked", ProviderID: "mail"}, devservertest.Into[api.OAuthTokensDeleteResponse](r))
	check("mail deleted", false, true)
	p.Do(http.MethodDelete, "/v2/auth/tokens/workspace/slack", nil).Want(http.StatusOK)
	check("Slack deleted", false, false)
	for method, path := range map[string]string{http.MethodGet: "/v2/auth/tokens/exists", http.MethodDelete: "/v2/auth/tokens"} {
		devservertest.Same(t, "problems", []string{"provider_id missing"}, devservertest.Problems(p.Do(method, path, nil).Want(http.StatusUnprocessableEntity)))
	}
	many := slices.Repeat([]string{"mail"}, 1001)
	p.Do(http.MethodPost, "/v2/auth/tokens/exists/batch", object{"provider_ids": many}).Want(http.StatusUnprocessableEntity)
}

// TestTokenEvents checks that events are kept when their tokens are deleted, and can be listed by provider.
func TestTokenEvents(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	provide(p, providerBody("mail"))
	provide(p, providerBody("chat"))
	p.Do(http.MethodPatch, "/v2/auth/tokens/"+imports(p)+"/metadata", object{"provider_account_label": "work"})
	imports(p, object{"provider_id": "chat"})
	p.Do(http.MethodDelete, "/v2/auth/tokens?provider_id=mail", nil).Want(http.StatusOK)
	p.Do(http.MethodDelete, "/v2/auth/providers/mail", nil).Want(http.StatusOK)
	got := devservertest.Get[[]api.TokenEventSummary](p, "/v2/auth/token-events?provider_id=mail")
	want := []api.TokenEventSummary{
		{
			ProviderID: "mail", EventType: api.TokenRevoked, Reason: new("all tokens of the provider deleted"), Source: new("api"),
			ProviderAccountLabel: new("work"), Scopes: []string{"read"}, CreatedAt: "2026-05-02T10:00:00.000000Z",
		},
		{ProviderID: "mail", EventType: api.TokenCreated, Source: new("import"), Scopes: []string{"read"}, CreatedAt: "2026-05-02T10:00:00.000000Z"},
	}
	for i := range got {
		got[i].ID = ""
	}
	devservertest.Same(t, "events", want, got)
	if latest := devservertest.Get[[]api.TokenEventSummary](p, "/v2/auth/token-events?limit=1"); len(latest) != 1 || latest[0].EventType != api.TokenRevoked {
		t.Errorf("latest event = %+v, want one revocation", latest)
	}
	for _, limit := range []string{"0", "201", "x"} {
		p.Do(http.MethodGet, "/v2/auth/token-events?limit="+limit, nil).Want(http.StatusUnprocessableEntity)
	}
}

// TestDeletedProvider checks that a provider's tokens are deleted with it.
func TestDeletedProvider(t *testing.T) {
	t.Parallel()
	p, _ := loggedIn(t)
	flow := begin(p, object{"force_new": true})
	p.Do(http.MethodDelete, "/v2/auth/providers/mail", nil).Want(http.StatusOK)
	if all := tokens(p); len(all) > 0 {
		t.Errorf("tokens = %+v, want none", all)
	}
	devservertest.Same(t, "wait", api.AuthWaitNotFound, waitFor(p, flow.authID).Status)
}
