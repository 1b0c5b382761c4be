package authservice_test

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestAuthorizationRequest expects a request as in RFC 6749, 4.1.1, with the parameters of RFC 7636.
func TestAuthorizationRequest(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	callback := p.Web.URL + "/v2/auth/callback/mail"
	for name, tc := range map[string]struct {
		provider, request object
		want              url.Values
	}{
		"least": {object{}, object{"scopes": []string{}}, url.Values{}},
		"parameters": {
			object{"authorization_params": object{"prompt": "consent", "state": "mine", "redirect_uri": "https://evil.example"}},
			object{"scopes": []string{"b", "a", "b"}}, url.Values{"prompt": {"consent"}, "scope": {"a b"}},
		},
		"elsewhere": {
			object{"allowed_redirect_uris": []string{"https://front.example/end", "https://other.example"}},
			object{"scopes": []string{}}, url.Values{"redirect_uri": {"https://front.example/end"}},
		},
		"here among others": {
			object{"allowed_redirect_uris": []string{"https://front.example/end", callback}}, object{"scopes": []string{}}, url.Values{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := p.As("X-Tenant-Id", devservertest.WorkspaceA[:35]+string("0123456789abcdef"[len(name)%16]))
			p.T = t
			provide(p, providerBody("mail", tc.provider))
			flow := begin(p, tc.request)
			devservertest.Same(t, "authorization URL", "https://mail.example/auth", flow.url.Scheme+"://"+flow.url.Host+flow.url.Path)
			if len(flow.query.Get("state")) < 26 { // 128 bits.
				t.Errorf("state = %q, want at least 128 random bits", flow.query.Get("state"))
			}
			flow.query.Del("state")
			want := url.Values{"response_type": {"code"}, "client_id": {"c"}, "redirect_uri": {callback}}
			maps.Copy(want, tc.want)
			devservertest.Same(t, "query", want, flow.query)
		})
	}
}

// TestTokenRequest expects a request as in RFC 6749, 4.1.3 and 2.3.1, with the verifier of RFC 7636.
func TestTokenRequest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		provider object
		want     tokenRequest
	}{
		"post":      {object{"client_secret": "s&s"}, tokenRequest{form: url.Values{"client_id": {"c"}, "client_secret": {"s&s"}}}},
		"basic":     {object{"client_secret": "s&s", "token_endpoint_auth_method": "client_secret_basic"}, tokenRequest{id: "c", word: "s%26s"}},
		"none":      {object{"client_secret": "s&s", "token_endpoint_auth_method": "none"}, tokenRequest{form: url.Values{"client_id": {"c"}}}},
		"no secret": {object{}, tokenRequest{form: url.Values{"client_id": {"c"}}}},
		"S256":      {object{"uses_pkce": true}, tokenRequest{form: url.Values{"client_id": {"c"}, "code_verifier": {"S256"}}}},
		"plain": {
			object{"uses_pkce": true, "code_challenge_method": "plain"},
			tokenRequest{form: url.Values{"client_id": {"c"}, "code_verifier": {"plain"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
			provide(p, server.provider("mail", tc.provider))
			flow := login(p)
			asked := server.asked()
			if len(asked) != 1 {
				t.Fatalf("the token endpoint got %d requests, want 1", len(asked))
			}
			got, want := asked[0], tc.want
			if verifier := got.form.Get("code_verifier"); verifier != "" {
				challenge := verifier
				if flow.query.Get("code_challenge_method") == "S256" {
					digest := sha256.Sum256([]byte(verifier))
					challenge = base64.RawURLEncoding.EncodeToString(digest[:])
				}
				if challenge != flow.query.Get("code_challenge") || len(verifier) < 43 {
					t.Errorf("the verifier %q doesn't match the challenge %q", verifier, flow.query.Get("code_challenge"))
				}
				got.form.Set("code_verifier", flow.query.Get("code_challenge_method"))
			}
			if want.form == nil {
				want.form = url.Values{}
			}
			want.form["grant_type"], want.form["code"] = []string{"authorization_code"}, []string{"the-code"}
			want.form["redirect_uri"] = []string{p.Web.URL + "/v2/auth/callback/mail"}
			devservertest.Same(t, "token request", want, got, cmp.AllowUnexported(tokenRequest{}))
		})
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
	provide(p, server.provider("mail"))
	flow := begin(p)
	devservertest.Same(t, "wait before the login", (api.AuthWaitResponse{Status: api.AuthWaitPending}), waitFor(p, flow.authID))
	r := back(p, "mail", url.Values{"state": flow.query["state"], "code": {"the-code"}}).Want(http.StatusOK)
	if body := string(r.Body); !strings.Contains(body, "Mail is connected.") || r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("page = %s, header %v; want the confirmation, with no-referrer", body, r.Header)
	}
	if got := waitFor(p, flow.authID); got.Status != api.AuthWaitCompleted || got.Token == nil || *got.Token != "access-1" {
		t.Errorf("wait after the login = %+v, want completed with access-1", got)
	}
	got := authenticate(p)
	if got.Status != api.AuthCompleted || got.Token == nil || *got.Token != "access-1" || got.URL != nil {
		t.Errorf("authenticate after the login = %+v, want completed with access-1", got)
	}
	all := tokens(p)
	want := []api.OAuthTokenSummary{{
		ID: all[0].ID, ProviderID: "mail", Scopes: []string{"read"}, ExpiresAt: new("2026-05-02T11:00:00.000000Z"), IsDefault: true,
		CreatedAt: "2026-05-02T10:00:00.000000Z", UpdatedAt: "2026-05-02T10:00:00.000000Z",
	}}
	devservertest.Same(t, "tokens", want, all)
	if said := string(got.Metadata["token_id"]) + string(got.Metadata["expires_at"]); said != `"`+all[0].ID+`""2026-05-02T11:00:00.000000Z"` {
		t.Errorf("token_id and expires_at in the metadata = %s, want those of the token", said)
	}
	devservertest.Same(t, "events", []string{"created"}, events(p))
}

// TestStateIsRefused checks that a state is accepted only once, within ten minutes, at the callback of its provider.
func TestStateIsRefused(t *testing.T) {
	t.Parallel()
	p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
	provide(p, server.provider("mail"))
	provide(p, server.provider("chat"))
	refused := func(name, slug string, query url.Values) {
		t.Helper()
		r := back(p, slug, query).Want(http.StatusBadRequest)
		if !strings.Contains(string(r.Body), "This login is unknown") || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: page = %s, want \"This login is unknown\" as HTML", name, r.Body)
		}
		if strings.Contains(string(r.Body), "href") {
			t.Errorf("%s: page = %s, want no link to a workspace: the login has none", name, r.Body)
		}
		if asked := server.asked(); len(asked) > 0 {
			t.Errorf("%s: the token endpoint got %v, want no requests", name, asked)
		}
	}
	flow := begin(p)
	good := url.Values{"state": flow.query["state"], "code": {"c"}}
	refused("none", "mail", url.Values{"code": {"c"}})
	refused("another", "mail", url.Values{"code": {"c"}, "state": {"x"}})
	refused("another provider", "chat", good)
	p.Clock.Advance(10*time.Minute - time.Microsecond)
	back(p, "mail", good).Want(http.StatusOK)
	server.asked()
	refused("again", "mail", good)
	late := begin(p, object{"force_new": true})
	p.Clock.Advance(10 * time.Minute)
	refused("late", "mail", url.Values{"state": late.query["state"], "code": {"c"}})
	devservertest.Same(t, "wait for an expired flow", api.AuthWaitNotFound, waitFor(p, late.authID).Status)
}

// TestLoginFails checks that the user's page and the events say why a flow ended without a token.
func TestLoginFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		returned url.Values
		status   int
		reply    object
		want     string
	}{
		"denied":       {url.Values{"error": {"access_denied"}, "error_description": {"The user said <no>."}}, 200, nil, "access_denied: The user said <no>."},
		"no code":      {url.Values{}, 200, nil, "the authorization server sent no code"},
		"refused code": {url.Values{"code": {"c"}}, 400, object{"error": "invalid_grant", "access_token": "hush"}, "invalid_grant"},
		"no token":     {url.Values{"code": {"c"}}, 200, object{"hush": "hush"}, "the token endpoint returned no valid token"},
		"broken":       {url.Values{"code": {"c"}}, 502, object{"hush": "hush"}, "the token endpoint returned status 502"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
			server.answer(tc.status, tc.reply)
			provide(p, server.provider("mail"))
			flow := begin(p)
			tc.returned["state"] = flow.query["state"]
			r := back(p, "mail", tc.returned).Want(http.StatusBadRequest)
			if body := string(r.Body); !strings.Contains(body, "The login failed") || strings.Contains(body, "hush") || strings.Contains(body, "<no>") {
				t.Errorf("page = %s, want \"The login failed\", escaped and without the secret", body)
			}
			devservertest.Same(t, "wait", api.AuthWaitNotFound, waitFor(p, flow.authID).Status)
			devservertest.Same(t, "events", []string{"failed: " + tc.want}, events(p))
		})
	}
}

// TestFinalize checks that a front end can finish a flow only with the key of the flow's user.
func TestFinalize(t *testing.T) {
	t.Parallel()
	ann, bob, eve := people(t)
	server := newTokenServer(t)
	provide(ann, server.provider("mail"))
	provide(eve, server.provider("mail"))
	flow := begin(ann)
	body := object{"state": flow.query.Get("state"), "code": "c"}
	for name, other := range map[string]*plane{"another user": bob, "another workspace": eve} {
		r := other.Do(http.MethodPost, "/v2/auth/callback/mail", body)
		if r.Status != http.StatusBadRequest || len(server.asked()) > 0 {
			t.Errorf("%s: status %d, want 400 and no token request: %s", name, r.Status, r.Body)
		}
	}
	ann.As("X-Api-Key", "none").Do(http.MethodPost, "/v2/auth/callback/mail", body).Want(http.StatusUnauthorized)
	ann.Do(http.MethodPost, "/v2/auth/callback/mail", object{"code": "c"}).Want(http.StatusUnprocessableEntity)
	r := ann.Do(http.MethodPost, "/v2/auth/callback/mail", body).Want(http.StatusOK)
	if got := devservertest.Into[api.MessageResponse](r); got.Message != "Mail is connected. You can close this window." {
		t.Errorf("response = %+v, want that Mail is connected", got)
	}
	devservertest.Same(t, "wait", api.AuthWaitCompleted, waitFor(ann, flow.authID).Status)
}

func TestSetup(t *testing.T) {
	t.Parallel()
	p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
	provide(p, server.provider("mail"))
	r := p.As().Do(http.MethodGet, "/v2/auth/setup/mail?setup_action=install&installation_id=7", nil).Want(http.StatusOK)
	if !strings.Contains(string(r.Body), "The app is installed.") {
		t.Errorf("page = %s, want \"The app is installed.\"", r.Body)
	}
	p.As().Do(http.MethodGet, "/v2/auth/setup/mail?installation_id=x", nil).Want(http.StatusBadRequest)
	flow := begin(p)
	p.As().Do(http.MethodGet, "/v2/auth/setup/mail?setup_action=install&installation_id=7&code=c&state="+flow.query.Get("state"), nil).
		Want(http.StatusOK)
	devservertest.Same(t, "wait", api.AuthWaitCompleted, waitFor(p, flow.authID).Status)
}

func TestAuthenticateRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	provide(p, providerBody("mail"))
	provide(p, providerBody("odd", object{"auth_url": "javascript:alert(1)"}))
	provide(p, providerBody("pkce", object{"uses_pkce": true, "code_challenge_method": "S512"}))
	provide(p, providerBody("calendar"))
	others := imports(p, object{"provider_id": "calendar"})
	for name, tc := range map[string]struct {
		body   object
		status int
		detail string
	}{
		"no such provider": {object{"provider": "none"}, 404, "OAuth provider 'none' not found."},
		"no such token": {
			object{"token_id": "00000000-0000-4000-8000-000000000000"}, 404, "OAuth token ID 00000000-0000-4000-8000-000000000000 not found.",
		},
		"a token of another provider": {object{"token_id": others}, 404, "OAuth token ID " + others + " not found."},
		"no web address":              {object{"provider": "odd"}, 400, "The 'auth_url' of OAuth provider 'odd' is not a valid URL: javascript:alert(1)"},
		"no such method":              {object{"provider": "pkce"}, 400, "The 'code_challenge_method' of OAuth provider 'pkce' is 'S512'. Use S256 or plain."},
	} {
		body := devservertest.With(object{"provider": "mail", "scopes": []string{}}, tc.body)
		p.Do(http.MethodPost, "/v2/auth/authenticate", body).Want(tc.status).WantDetail(tc.detail)
		_ = name
	}
	r := p.Do(http.MethodPost, "/v2/auth/authenticate", object{"scopes": "read", "token_id": "x", "user_id": ""}).Want(http.StatusUnprocessableEntity)
	devservertest.Same(t, "problems", []string{"provider missing", "scopes list_type", "token_id uuid_parsing"}, devservertest.Problems(r))
	p.Do(http.MethodPost, "/v2/auth/authenticate", object{"provider": "mail", "scopes": []string{}, "user_id": ""}).
		Want(http.StatusUnprocessableEntity)
}
