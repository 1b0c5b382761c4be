package devserver_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// send sends a request with the Host and other headers of a browser.
func send(t *testing.T, p *devservertest.Plane, method, path, host, body string, header ...string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.Web.URL+path, strings.NewReader(body))
	devservertest.Must(t, err)
	request.Host = host
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	devservertest.Must(t, err)
	defer response.Body.Close()
	return response.StatusCode
}

// TestHosts checks that a website whose name resolves to the server (DNS rebinding) can read nothing, with or without keys.
func TestHosts(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Hosts: []string{"plane.test"}})
	for host, want := range map[string]int{
		"127.0.0.1:8124": http.StatusOK, "192.0.2.7": http.StatusOK, "[::1]:8124": http.StatusOK, "[::1]": http.StatusOK, "localhost:1": http.StatusOK,
		"LocalHost": http.StatusOK, "plane.test": http.StatusOK, "PLANE.test:8124": http.StatusOK,
		"rebound.example": http.StatusForbidden, "rebound.example:8124": http.StatusForbidden, "localhost.example": http.StatusForbidden,
		"other.plane.test": http.StatusForbidden,
	} {
		for _, path := range []string{"/v2/deployments", "/ui/deployments", "/api-host/v2/deployments", "/healthz"} {
			if got := send(t, p, http.MethodGet, path, host, ""); got != want {
				t.Errorf("%s with host %s: status %d, want %d", path, host, got, want)
			}
		}
	}
}

// TestRefusedToken checks that a link to a name that the server doesn't know leaves no token in its log.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := devservertest.New(t, devserver.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	send(t, p, http.MethodGet, "/public/hush/r", "rebound.example", "")
	if text := log.String(); !strings.Contains(text, "path=/public/***/r") {
		t.Errorf("log = %s, want the path without its token", text)
	}
}

// TestForeignSites checks that without keys, no other website can change anything through a browser, while clients and the
// server's own pages can.
func TestForeignSites(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	const host = "localhost:8124"
	run := `{"name": "a", "run_type": "chain", "inputs": {}, "session_name": "agents"}`
	for name, tc := range map[string]struct {
		path   string
		body   string
		header []string
		want   int
	}{
		"plain text run":    {"/runs", run, []string{"Origin", "https://site.example", "Content-Type", "text/plain"}, http.StatusForbidden},
		"fault":             {"/dev/faults", `{"drop": true, "match": "GET /never"}`, []string{"Origin", "https://site.example"}, http.StatusForbidden},
		"listener":          {"/dev/listeners", `{}`, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"same site":         {"/runs", run, []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		"opaque origin":     {"/runs", run, []string{"Origin", "null"}, http.StatusForbidden},
		"own page":          {"/runs", run, []string{"Origin", "http://" + host}, http.StatusAccepted},
		"own page, fetched": {"/runs", run, []string{"Sec-Fetch-Site", "same-origin"}, http.StatusAccepted},
		"client":            {"/runs", run, nil, http.StatusAccepted},
	} {
		if got := send(t, p, http.MethodPost, tc.path, host, tc.body, tc.header...); got != tc.want {
			t.Errorf("%s: status %d, want %d", name, got, tc.want)
		}
	}
	keyed := devservertest.New(t, devserver.Config{Keys: []devserver.Key{{Value: "hush", Workspaces: []string{devservertest.WorkspaceA}}}})
	if got := send(t, keyed, http.MethodPost, "/runs", host, run, "Origin", "https://site.example", "X-Api-Key", "hush"); got != http.StatusAccepted {
		t.Errorf("request of a website that has a key: status %d, want 202", got)
	}
}
