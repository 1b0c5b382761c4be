package authservice_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// clientSecret needs encoding in a form, and twice in a header (RFC 6749, 2.3.1).
const clientSecret = "s&s:% +"

// authMethods are the authentication methods of the authorization server's clients. Their IDs are also the slugs of the providers.
var authMethods = map[string]string{
	"basic": "client_secret_basic", "post": "client_secret_post", "none": "none", "plain-code": "client_secret_basic", "wrong": "client_secret_post",
}

// issued is a dev server, and an authorization server from npm with clients.
type issued struct {
	*plane
	issuer string
}

// newIssued starts an authorization server, and registers it with a dev server once for each client. Without npm, it skips the test,
// unless AGENTPLANE_TEST_NPM is set.
func newIssued(t *testing.T) issued {
	t.Helper()
	scripts := devservertest.InstallNPM(t)
	s := issued{plane: devservertest.New(t, devserver.Config{})}
	clients := []object{}
	for id, method := range authMethods {
		client := object{
			"client_id": id, "token_endpoint_auth_method": method, "redirect_uris": []string{s.Web.URL + "/v2/auth/callback/" + id},
			"grant_types": []string{"authorization_code", "refresh_token"}, "pkce": id != "plain-code",
		}
		if method != "none" {
			client["client_secret"] = clientSecret
		}
		clients = append(clients, client)
	}
	encoded, err := json.Marshal(clients)
	devservertest.Must(t, err)
	node := exec.CommandContext(t.Context(), "node", "oidc.mjs")
	node.Dir, node.Env = scripts, append(os.Environ(), "CLIENTS="+string(encoded))
	if _, err := node.StdinPipe(); err != nil { // The server exits when this process does, for whatever reason.
		t.Fatal(err)
	}
	out, err := node.StdoutPipe()
	devservertest.Must(t, err)
	devservertest.Must(t, node.Start())
	t.Cleanup(func() { _ = node.Wait() }) // The test's context has killed it.
	for lines := bufio.NewScanner(out); s.issuer == "" && lines.Scan(); {
		if issuer, is := strings.CutPrefix(lines.Text(), "issuer "); is {
			s.issuer = issuer
		}
	}
	if s.issuer == "" {
		t.Fatal("the authorization server didn't start")
	}
	for id, method := range authMethods {
		changes := object{
			"auth_url": s.issuer + "/auth", "token_url": s.issuer + "/token", "client_id": id, "uses_pkce": id != "plain-code",
			"token_endpoint_auth_method": method, "client_secret": clientSecret,
			"authorization_params": object{"prompt": "consent"}, // Required for a refresh token (OpenID Connect Core, 11).
		}
		if id == "wrong" {
			changes["client_secret"] = "another"
		}
		provide(s.plane, providerBody(id, changes))
	}
	return s
}

// in returns s for a subtest.
func (s issued) in(t *testing.T) issued {
	t.Helper()
	p := *s.plane
	p.T = t
	return issued{&p, s.issuer}
}

// request returns a request for a token that can be refreshed.
func request(slug string, changes ...object) object {
	return devservertest.With(object{"provider": slug, "scopes": []string{"openid", "offline_access"}}, changes...)
}

// promptField contains what a page of the authorization server asks the user for.
var promptField = regexp.MustCompile(`name="prompt" value="(\w+)"`)

// consent goes through the authorization server's pages of a login as a user does, and returns the query of the URL that
// sends the browser back.
func (s issued) consent(at *url.URL) url.Values {
	s.T.Helper()
	jar, err := cookiejar.New(nil)
	devservertest.Must(s.T, err)
	browser := &http.Client{Jar: jar, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(next.URL.String(), s.Web.URL) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	r := s.browse(browser, http.MethodGet, at.String(), nil)
	for range 4 {
		if r.Status == http.StatusSeeOther || r.Status == http.StatusFound {
			back, err := url.Parse(r.Header.Get("Location"))
			devservertest.Must(s.T, err)
			return back.Query()
		}
		page := r.Header.Get("X-Page")
		prompt := promptField.FindSubmatch(r.Body)
		if r.Status != http.StatusOK || prompt == nil {
			s.T.Fatalf("%s: status %d, want a redirect or a prompt: %s", page, r.Status, r.Body)
		}
		r = s.browse(browser, http.MethodPost, page, url.Values{"prompt": {string(prompt[1])}, "login": {"ann"}, "password": {"any"}})
	}
	s.T.Fatal("the authorization server doesn't stop prompting")
	return nil
}

// browse opens a page. The reply's header X-Page is the URL after redirects.
func (s issued) browse(browser *http.Client, method, address string, form url.Values) devservertest.Reply {
	s.T.Helper()
	r, err := http.NewRequestWithContext(s.T.Context(), method, address, strings.NewReader(form.Encode()))
	devservertest.Must(s.T, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := browser.Do(r)
	devservertest.Must(s.T, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	response.Header.Set("X-Page", response.Request.URL.String())
	return devservertest.Reply{T: s.T, Err: err, Status: response.StatusCode, Header: response.Header, Body: body}
}

// login completes a flow, and returns the query with which the browser came back.
func (s issued) login(slug string, changes ...object) url.Values {
	s.T.Helper()
	came := s.consent(begin(s.plane, request(slug, changes...)).url)
	back(s.plane, slug, came).Want(http.StatusOK)
	return came
}

// wantUser fails the test unless the authorization server accepts the token as ann's.
func (s issued) wantUser(access string) {
	s.T.Helper()
	r, err := http.NewRequestWithContext(s.T.Context(), http.MethodGet, s.issuer+"/me", http.NoBody)
	devservertest.Must(s.T, err)
	r.Header.Set("Authorization", "Bearer "+access)
	response, err := http.DefaultClient.Do(r)
	devservertest.Must(s.T, err)
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != `{"sub":"ann"}` {
		s.T.Errorf("user info for the token = %s, %v; want ann", body, err)
	}
}

// revoke revokes a token at the authorization server (RFC 7009), and with it the whole grant.
func (s issued) revoke(slug, access string) {
	s.T.Helper()
	form := url.Values{"token": {access}, "client_id": {slug}}
	r, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.issuer+"/token/revocation", nil)
	devservertest.Must(s.T, err)
	switch authMethods[slug] {
	case "client_secret_basic":
		r.SetBasicAuth(slug, url.QueryEscape(clientSecret))
		form.Del("client_id")
	case "client_secret_post":
		form.Set("client_secret", clientSecret)
	}
	r.Body = io.NopCloser(strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(r)
	devservertest.Must(s.T, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.T.Fatalf("revoking: status %d, want 200", response.StatusCode)
	}
}

// wantRefused fails the test unless the browser gets a page with the given text.
func (s issued) wantRefused(slug string, came url.Values, says string) {
	s.T.Helper()
	if r := back(s.plane, slug, came).Want(http.StatusBadRequest); !strings.Contains(string(r.Body), says) {
		s.T.Errorf("page = %s, want %q", r.Body, says)
	}
}

// wantEvent fails the test unless the newest event begins with the given text.
func (s issued) wantEvent(begins string) {
	s.T.Helper()
	if told := events(s.plane); len(told) == 0 || !strings.HasPrefix(told[0], begins) {
		s.T.Errorf("events = %q, want the first to begin with %q", told, begins)
	}
}

// TestNPMAuthorizationServer logs in at an independent authorization server. What ends a login before the token endpoint is asked is in
// TestStateIsRefused and TestLoginFails.
func TestNPMAuthorizationServer(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "npm authorization server", 10*time.Second)
	all := newIssued(t)
	for _, slug := range []string{"basic", "post", "none", "plain-code"} {
		t.Run(slug, func(t *testing.T) { testIssuedLife(all.in(t), slug) })
	}
	t.Run("wrong secret", func(t *testing.T) {
		s := all.in(t)
		s.wantRefused("wrong", s.consent(begin(s.plane, request("wrong")).url), "The login failed: invalid_client")
		s.wantEvent("failed: invalid_client")
	})
	t.Run("replayed", func(t *testing.T) {
		s := all.in(t)
		came := s.login("basic", object{"force_new": true})
		s.wantRefused("basic", came, "This login is unknown")
		// A thief of a code can begin another login to get a valid state. The authorization server detects the reused code and revokes the grant.
		came.Set("state", begin(s.plane, request("basic", object{"force_new": true})).query.Get("state"))
		s.wantRefused("basic", came, "The login failed: invalid_grant")
		s.wantEvent("failed: invalid_grant")
	})
	t.Run("discovered", func(t *testing.T) { testIssuedDiscovery(all.in(t)) })
}

// testIssuedLife logs in, refreshes twice, because a refresh token can be used once, and revokes.
func testIssuedLife(s issued, slug string) {
	s.T.Helper()
	flow := begin(s.plane, request(slug))
	if uses := flow.query.Has("code_challenge"); uses != (slug != "plain-code") {
		s.T.Errorf("request uses PKCE: %v, want %v", uses, !uses)
	}
	back(s.plane, slug, s.consent(flow.url)).Want(http.StatusOK)
	access := token(authenticate(s.plane, request(slug)))
	s.wantUser(access)
	for range 2 {
		s.Clock.Advance(56 * time.Minute)
		refreshed := token(authenticate(s.plane, request(slug)))
		if refreshed == access {
			s.T.Error("the token was not refreshed")
		}
		access = refreshed
		s.wantUser(access)
		s.wantEvent("refreshed")
	}
	s.revoke(slug, access)
	s.Clock.Advance(56 * time.Minute)
	authenticate(s.plane, request(slug))
	s.wantEvent("failed: invalid_grant")
	s.Clock.Advance(4 * time.Minute)
	if got := authenticate(s.plane, request(slug)); got.Status != api.AuthPending {
		s.T.Errorf("authenticate after the token was revoked = %+v, want pending", got)
	}
}

// testIssuedDiscovery registers with the authorization server of an MCP server at the same URL, and gets a token for that
// server only (RFC 8707).
func testIssuedDiscovery(s issued) {
	s.T.Helper()
	mcp := s.issuer + "/mcp"
	discover(s.plane, mcp).Want(http.StatusOK)
	scopes := object{"scopes": []string{"read"}}
	s.login("tools", scopes)
	_, rest, _ := strings.Cut(token(authenticate(s.plane, request("tools", scopes))), ".")
	claims, _, _ := strings.Cut(rest, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(claims)
	var said struct{ Aud, Sub, Scope string }
	if err == nil {
		err = json.Unmarshal(decoded, &said)
	}
	if err != nil || said.Aud != mcp || said.Sub != "ann" || said.Scope != "read" {
		s.T.Errorf("token = %s, %v; want the MCP server as audience, ann and the scope read", decoded, err)
	}
}
