package devserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestNothingIsKeptBeforeAKey_unraced sends requests with parts of nearly a megabyte, as much as net/http accepts. Those without a key must leave
// nothing behind, those with one no more than a log entry. A part of a request keeps all of its first line alive.
func TestNothingIsKeptBeforeAKey_unraced(t *testing.T) { // Not parallel: it measures the heap.
	const requests, size = 8, 900 << 10
	const workspace = "aaaaaaaa-0000-4000-8000-000000000000"
	s, err := New(Config{Keys: []Key{{Value: "k", Workspaces: []string{workspace}}}})
	assert.Must(t, err)
	defer s.Close()
	web := httptest.NewServer(s)
	defer web.Close()
	client := &http.Transport{}
	long := strings.Repeat("x", size)
	login := url.Values{"client_id": {s.toy.Client().ID}, "redirect_uri": {"http://localhost/"}, "response_type": {"code"}}.Encode()
	for name, tc := range map[string]struct {
		method, path, body, host, key string
		status                        int
	}{
		"query":                {method: "GET", path: "/v2/deployments?name=" + long, status: 401},
		"path":                 {method: "GET", path: "/v2/deployments/" + long, status: 401},
		"path of nothing":      {method: "GET", path: "/" + long, status: 404},
		"path of a shared run": {method: "GET", path: "/public/" + long + "/run", status: 404},
		"method":               {method: long, path: "/v2/deployments", status: 405},
		"wrong key":            {method: "GET", path: "/v2/deployments", key: long, status: 401},
		"host":                 {method: "GET", path: "/v2/deployments", host: long, status: 403},
		"page":                 {method: "GET", path: "/ui/" + long, status: 401},
		"state of a login":     {method: "GET", path: "/v2/auth/callback/mail?code=a&state=" + long, status: 400},
		"toy login": {
			method: "POST", path: "/toy-login/authorize?" + login + "&scope=" + long, body: "user=a&decision=allow", status: 414,
		},
		"query with a key":  {method: "GET", path: "/v2/deployments?name=" + long, key: "k", status: 200},
		"path with a key":   {method: "GET", path: "/v2/deployments/" + long, key: "k", status: 422},
		"method with a key": {method: long, path: "/v2/deployments", key: "k", status: 405},
	} {
		t.Run(name, func(t *testing.T) {
			before := heap()
			for i := range requests {
				request, err := http.NewRequestWithContext(t.Context(), tc.method, web.URL+tc.path, strings.NewReader(tc.body))
				assert.Must(t, err)
				request.Host = tc.host
				request.Header.Set("X-Api-Key", tc.key)
				request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				response, err := client.RoundTrip(request)
				assert.Must(t, err)
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				if response.StatusCode != tc.status && i == 0 {
					t.Errorf("status %d, want %d", response.StatusCode, tc.status)
				}
			}
			client.CloseIdleConnections()
			web.CloseClientConnections()
			if grown := int64(heap()) - int64(before); grown > 1<<20 { //nolint:gosec // It is small.
				t.Errorf("the heap has grown by %d KiB, want at most 1 MiB for %d requests", grown>>10, requests)
			}
		})
	}
}
