package devserver_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func authenticate(p *plane, changes ...object) api.AuthAuthenticateResponse {
	p.T.Helper()
	body := devservertest.With(object{"provider": "toy-login", "scopes": []string{"read"}}, changes...)
	return devservertest.Into[api.AuthAuthenticateResponse](p.Do(http.MethodPost, "/v2/auth/authenticate", body).Want(http.StatusOK))
}

// decide submits a user's decision at the toy login as a browser does, and returns the final page.
func decide(p *plane, address, decision string) (status int, shown string) {
	p.T.Helper()
	page, err := http.Get(address) //nolint:noctx,gosec // As a browser does.
	devservertest.Must(p.T, err)
	text, err := io.ReadAll(page.Body)
	_ = page.Body.Close()
	if err != nil || page.StatusCode != http.StatusOK || !strings.Contains(string(text), "This is not a real login") {
		p.T.Fatalf("login page: status %d, %s, %v; want 200 and that it isn't a real login", page.StatusCode, text, err)
	}
	end, err := http.PostForm(address, url.Values{"user": {"alice"}, "decision": {decision}}) //nolint:noctx,gosec // As a browser does.
	devservertest.Must(p.T, err)
	defer end.Body.Close()
	if text, err = io.ReadAll(end.Body); err != nil {
		p.T.Fatal(err)
	}
	return end.StatusCode, string(text)
}

// TestToyLogin checks that a seeded server offers a login that works offline.
func TestToyLogin(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Address: devservertest.OwnAddress}).WithSeed(devservertest.WorkspaceA)
	if p.Seeded.ProviderID != "toy-login" {
		t.Fatalf("seeded = %+v, want the provider toy-login", p.Seeded)
	}
	denied := authenticate(p)
	if status, shown := decide(p, *denied.URL, "deny"); status != http.StatusBadRequest || !strings.Contains(shown, "access_denied") {
		t.Errorf("after denying: status %d, want 400 with access_denied: %s", status, shown)
	}
	if status, shown := decide(p, *authenticate(p).URL, "allow"); status != http.StatusOK || !strings.Contains(shown, "Toy login is connected.") {
		t.Errorf("after allowing: status %d, want 200 and that it is connected: %s", status, shown)
	}
	first := authenticate(p)
	if first.Status != api.AuthCompleted {
		t.Fatalf("authenticate after the login = %+v, want completed", first)
	}
	p.Clock.Advance(3590e9)
	if again := authenticate(p); again.Status != api.AuthCompleted || *again.Token == *first.Token {
		t.Errorf("authenticate after the refresh = %+v, want completed with a new token", again)
	}
	p.WithSeed(devservertest.WorkspaceA) // Seeding again changes nothing.
	if again := authenticate(p); again.Status != api.AuthCompleted {
		t.Errorf("authenticate after seeding again = %+v, want completed", again)
	}
}

func TestToyLoginRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Address: devservertest.OwnAddress}).WithSeed(devservertest.WorkspaceA)
	address, err := url.Parse(*authenticate(p).URL)
	devservertest.Must(t, err)
	for name, change := range map[string]url.Values{
		"client":           {"client_id": {"other"}},
		"redirect":         {"redirect_uri": {"https://evil.example/"}},
		"redirect, hidden": {"redirect_uri": {"http://127.0.0.1@evil.example/"}},
		"script":           {"redirect_uri": {"javascript://localhost/%0aalert(1)"}},
		"response type":    {"response_type": {"token"}},
		"challenge":        {"code_challenge_method": {"S512"}},
	} {
		query := address.Query()
		maps.Copy(query, change)
		other := *address
		other.RawQuery = query.Encode()
		p.Do(http.MethodGet, "/toy-login/authorize?"+query.Encode(), nil).Want(http.StatusBadRequest)
		r, err := http.PostForm(other.String(), url.Values{"user": {"a"}, "decision": {"allow"}}) //nolint:noctx // As a browser does.
		devservertest.Must(t, err)
		_ = r.Body.Close()
		if r.StatusCode != http.StatusBadRequest || r.Header.Get("Location") != "" {
			t.Errorf("%s: status %d, header %v; want 400 without a redirect", name, r.StatusCode, r.Header)
		}
	}
	for name, tc := range map[string]struct {
		form url.Values
		want string
	}{
		"no client":  {url.Values{"grant_type": {"authorization_code"}}, "invalid_client"},
		"bad secret": {url.Values{"client_id": {"dev-server"}, "client_secret": {"x"}, "grant_type": {"authorization_code"}}, "invalid_client"},
	} {
		r, err := http.PostForm(p.Web.URL+"/toy-login/token", tc.form) //nolint:noctx // As a client does.
		devservertest.Must(t, err)
		var answer struct{ Error string }
		err = json.NewDecoder(r.Body).Decode(&answer)
		_ = r.Body.Close()
		if err != nil || answer.Error != tc.want {
			t.Errorf("%s: response = %v, %v; want the error %q", name, answer, err, tc.want)
		}
	}
	away := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/toy-login/authorize?"+address.RawQuery, http.NoBody)
	away.RemoteAddr = "192.0.2.1:1"
	answer := httptest.NewRecorder()
	p.ServeHTTP(answer, away)
	if answer.Code != http.StatusForbidden {
		t.Errorf("request from another machine: status %d, want 403", answer.Code)
	}
}

// lockedBuffer is a log that several goroutines can write to.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// TestSecretsOfLoginsAreKept checks that no file, log or page contains tokens, client secrets, codes or states, and that they survive a restart.
func TestSecretsOfLoginsAreKept(t *testing.T) {
	t.Parallel()
	const secret, imported, variable = "canary-client-secret", "canary-imported-token", "canary-variable"
	dir := t.TempDir()
	var log lockedBuffer
	cfg := devserver.Config{
		Data: filepath.Join(dir, "data.db"), Address: devservertest.OwnAddress, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}
	p := devservertest.New(t, cfg).WithSeed(devservertest.WorkspaceA)
	began := authenticate(p)
	decide(p, *began.URL, "allow")
	state, err := url.Parse(*began.URL)
	devservertest.Must(t, err)
	token := *authenticate(p).Token
	p.Do(http.MethodPost, "/v2/auth/providers", object{
		"provider_id": "mail", "name": "Mail", "client_id": "c", "client_secret": secret, "auth_url": "https://a.example", "token_url": "https://a.example",
	}).Want(http.StatusOK)
	p.Do(http.MethodPost, "/v2/auth/tokens/import", object{"provider_id": "mail", "access_token": imported, "refresh_token": imported}).Want(http.StatusOK)
	p.Do(http.MethodPost, "/v2/auth/agents/a/providers/mail/tokens", object{"access_token": imported}).Want(http.StatusCreated)
	p.Do(http.MethodPost, "/v2/auth/tokens/import", object{"provider_id": "mail", "accessToken": imported}).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodPost, "/v2/auth/callback/mail", object{"code": imported, "state": imported}).Want(http.StatusBadRequest)
	p.Do(http.MethodGet, "/v2/auth/callback/mail?code="+imported+"&state="+imported, nil).Want(http.StatusBadRequest)

	deployed := p.Create(p.RepoRequest("chat", object{"secrets": []any{object{"name": "A", "value": "canary-first-value"}}}))
	p.Do(http.MethodPatch, "/v2/deployments/"+deployed.ID, object{"secrets": []any{object{"name": "A", "value": variable}}}).Want(http.StatusOK)
	deployed = p.Deployment(deployed.ID)
	for name, status := range map[string]int{"chat": http.StatusConflict, "no_name": http.StatusUnprocessableEntity} {
		p.Do(http.MethodPost, "/v2/deployments", p.RepoRequest(name, object{"secrets": []any{object{"name": "A", "value": variable}}})).Want(status)
	}

	places := map[string][]byte{}
	for _, path := range []string{"/dev/requests", "/ui/workspaces/" + devservertest.WorkspaceA + "/requests", "/v2/auth/tokens", "/v2/auth/token-events", "/v2/auth/providers"} {
		places[path] = p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	devservertest.Must(t, err)
	for _, file := range files {
		if places[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	p.Stop()
	places["log"] = log.buf.Bytes()
	for place, text := range places {
		for _, canary := range []string{secret, imported, variable, "canary-first-value", token, state.Query().Get("state")} {
			if bytes.Contains(text, []byte(canary)) {
				t.Errorf("the secret %s is in %s", canary, place)
			}
		}
	}
	if len(places) < 8 { // The database, its side files, the key, and the pages and logs above.
		t.Errorf("searched %d places, want at least 8", len(places))
	}

	again := devservertest.New(t, cfg)
	if got := authenticate(again); got.Status != api.AuthCompleted || *got.Token != token {
		t.Errorf("authenticate after a restart = %+v, want completed with the same token", got)
	}
	devservertest.Same(t, "secrets of the deployment after a restart", deployed.Secrets, again.Deployment(deployed.ID).Secrets)
}
