package pages_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// submit sends the form of a page with a browser's headers.
func submit(t *testing.T, p *plane, path string, form url.Values, header ...string) (status int, answered http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Web.URL+path, strings.NewReader(form.Encode()))
	devservertest.Must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := p.Web.Client().Do(r) // Not the default one: any server that a parallel test stops closes its connections.
	devservertest.Must(t, err)
	_ = answer.Body.Close()
	return answer.StatusCode, answer.Header
}

// TestConnect begins a login for the key's user, which requests the scopes of the form and those already granted.
func TestConnect(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{
		{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}, User: "ada"},
		{Value: "key-b", Workspaces: []string{devservertest.WorkspaceA}, User: "bob"},
	}})
	ada := p.As("X-Api-Key", "key-a")
	ada.Do(http.MethodPost, "/v2/auth/providers", object{
		"provider_id": "calendar", "name": "Calendar", "client_id": "agents", "client_secret": canary,
		"auth_url": "https://login.example.com/authorize?tenant=a", "token_url": "https://login.example.com/token",
	}).Want(http.StatusOK)
	ada.Do(http.MethodPost, "/v2/auth/tokens/import", object{"provider_id": "calendar", "access_token": canary, "scopes": []string{"calendar.read"}}).Want(http.StatusOK)
	basic := map[string]string{"ada": "Basic eDprZXktYQ==", "bob": "Basic eDprZXktYg=="} // x:key-a, x:key-b
	for user, scope := range map[string]string{"ada": "calendar.read mail.send", "bob": "mail.send"} {
		status, header := submit(t, p, "/ui/oauth/calendar/connect", url.Values{"scopes": {" mail.send "}}, "Authorization", basic[user])
		target, err := url.Parse(strings.TrimPrefix(header.Get("Refresh"), "0; url="))
		if err != nil || status != http.StatusOK {
			t.Fatal(status, err)
		}
		query := target.Query()
		if state := query.Get("state"); len(state) < 20 {
			t.Errorf("%s: state = %q, want at least 20 characters", user, state)
		}
		query.Del("state")
		want := url.Values{
			"client_id": {"agents"}, "redirect_uri": {p.Web.URL + "/v2/auth/callback/calendar"}, "response_type": {"code"}, "scope": {scope}, "tenant": {"a"},
		}
		if diff := cmp.Diff(want, query); diff != "" || target.Host != "login.example.com" {
			t.Errorf("%s: URL %s, want login.example.com; query (-want +got):\n%s", user, target, diff)
		}
		page := string(p.As("Authorization", basic[user]).Do(http.MethodGet, "/ui/oauth", nil).Want(http.StatusOK).Body)
		if strings.Contains(page, "Connect again") != (user == "ada") || !strings.Contains(page, `<code title="`+user+`"`) {
			t.Errorf("the page for %s has the wrong user or button:\n%s", user, page)
		}
	}
}

// TestConnectBelongsToItsBrowser checks that a login that a browser has begun can't end in another one, whose user would give their token to
// the one who began it. Refused attempts don't end it.
func TestConnectBelongsToItsBrowser(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{AllowLoopback: true, Keys: []devserver.Key{{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}}}})
	ada := p.As("X-Api-Key", "key-a")
	granting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token": "access", "token_type": "Bearer"}`)
	}))
	t.Cleanup(granting.Close)
	ada.Do(http.MethodPost, "/v2/auth/providers", object{
		"provider_id": "calendar", "name": "Calendar", "client_id": "agents", "auth_url": "https://login.example.com/authorize", "token_url": granting.URL,
	}).Want(http.StatusOK)
	begin := func() (state, cookie string) {
		t.Helper()
		status, header := submit(t, p, "/ui/oauth/calendar/connect", nil, "Authorization", "Basic eDprZXktYQ==") // x:key-a
		target, err := url.Parse(strings.TrimPrefix(header.Get("Refresh"), "0; url="))
		if err != nil || status != http.StatusOK {
			t.Fatal(status, err)
		}
		cookie, attributes, _ := strings.Cut(header.Get("Set-Cookie"), "; ")
		if attributes != "Path=/; Max-Age=600; HttpOnly; SameSite=Lax" {
			t.Errorf("attributes of the cookie = %q", attributes)
		}
		return target.Query().Get("state"), cookie
	}
	state, cookie := begin()
	otherState, other := begin()
	name, _, _ := strings.Cut(cookie, "=")
	_, otherValue, _ := strings.Cut(other, "=")
	for what, given := range map[string]string{
		"no cookie": "", "the cookie of another login": other, "its value under this login's name": name + "=" + otherValue, "an empty one": name + "=",
	} {
		r := p.As("Cookie", given).Do(http.MethodGet, "/v2/auth/callback/calendar?code=c&state="+state, nil).Want(http.StatusBadRequest)
		if !strings.Contains(string(r.Body), "belongs to another user or browser") {
			t.Errorf("%s: page = %s, want that the login may belong to another browser", what, r.Body)
		}
	}
	p.As("Cookie", other+"; "+cookie).Do(http.MethodGet, "/v2/auth/callback/calendar?code=c&state="+state, nil).Want(http.StatusOK)
	// A front end has the user's key instead.
	ada.Do(http.MethodPost, "/v2/auth/callback/calendar", object{"code": "c", "state": otherState}).Want(http.StatusOK)
}

// TestConnectRefuses checks that other websites can't begin a login, even if the browser adds the key.
func TestConnectRefuses(t *testing.T) {
	t.Parallel()
	const path, mine = "/ui/oauth/toy-login/connect", "Basic eDprZXktYQ=="
	open := devservertest.New(t, devserver.Config{Address: devservertest.OwnAddress}).As().WithSeed(devserver.DefaultWorkspaceID)
	keyed := devservertest.New(t, devserver.Config{
		Address: devservertest.OwnAddress, Keys: []devserver.Key{{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}}},
	}).WithSeed(devservertest.WorkspaceA)
	for name, tc := range map[string]struct {
		plane  *plane
		path   string
		header []string
		want   int
	}{
		"own page":                     {open, path, []string{"Sec-Fetch-Site", "same-origin"}, http.StatusOK},
		"own origin":                   {open, path, []string{"Origin", open.Web.URL}, http.StatusOK},
		"another website":              {open, path, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"another origin":               {open, path, []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		"no origin to tell":            {open, path, []string{"Origin", "null"}, http.StatusForbidden},
		"a key":                        {keyed, path, []string{"Authorization", mine, "Sec-Fetch-Site", "same-origin"}, http.StatusOK},
		"no key":                       {keyed, path, nil, http.StatusUnauthorized},
		"another website, with a key":  {keyed, path, []string{"Authorization", mine, "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"a neighbour, with a key":      {keyed, path, []string{"Authorization", mine, "Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		"another workspace":            {keyed, "/ui/workspaces/" + devservertest.WorkspaceB + "/oauth/toy-login/connect", []string{"Authorization", mine}, http.StatusForbidden},
		"a provider that is not there": {open, "/ui/oauth/none/connect", nil, http.StatusNotFound},
	} {
		status, header := submit(t, tc.plane, tc.path, url.Values{}, tc.header...)
		if status != tc.want || (header.Get("Refresh") != "") != (tc.want == http.StatusOK) {
			t.Errorf("%s: status %d, header %v; want status %d, and a redirect only with 200", name, status, header, tc.want)
		}
	}
	open.Do(http.MethodGet, path, nil).Want(http.StatusNotFound)
	if status, _ := submit(t, open, path, url.Values{"scopes": {strings.Repeat("x", 1<<17)}}); status != http.StatusBadRequest {
		t.Errorf("a form of 128 KiB: status %d, want 400", status)
	}
}

// TestConnectInBrowser_unraced checks that the button leads through the login and back to the page, with and without scripts.
func TestConnectInBrowser_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "a login in Chromium", 15*time.Second)
	p := devservertest.New(t, devserver.Config{Address: devservertest.OwnAddress}).As().WithSeed(devserver.DefaultWorkspaceID)
	browser := devservertest.NewBrowser(t)
	for _, withScripts := range []bool{true, false} {
		b := newTab(browser, t)
		if !withScripts {
			b.withoutScripts()
		}
		b.open(p.Web.URL + "/ui/oauth")
		b.click(`form[action="/ui/oauth/toy-login/connect"] button`).click(`button[value="allow"]`).click(`a[href$="/oauth"]`).wait(`tr[id^="token-"]`)
		if missing := lacks(b.tree(), []node{{"StaticText", "connected"}, {"button", "Connect again"}}); len(missing) > 0 {
			t.Errorf("scripts %v: the page lacks %q", withScripts, missing)
		}
	}
	if tokens := devservertest.Get[[]api.OAuthTokenSummary](p, "/v2/auth/tokens"); len(tokens) != 1 {
		t.Errorf("two logins made %d tokens, want one that is replaced", len(tokens))
	}
}
