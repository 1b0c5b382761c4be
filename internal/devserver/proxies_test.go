package devserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestProxiedURLs checks that the URLs that the server writes are those of the proxy that a client has used, if the proxy is trusted.
func TestProxiedURLs(t *testing.T) {
	t.Parallel()
	for trusted, base := range map[string]string{"127.0.0.1": "https://public.test", "10.0.0.0/8": ""} {
		cfg := devserver.Config{Hosts: []string{"public.test"}}
		devservertest.Must(t, cfg.SetProxies(trusted))
		p := devservertest.New(t, cfg)
		if base == "" {
			base = p.Web.URL
		}
		p = p.As("X-Tenant-Id", devservertest.WorkspaceA, "X-Forwarded-For", "198.51.100.1", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "public.test",
			"X-Request-Id", "chosen")
		answer := p.Do(http.MethodPost, "/runs", devservertest.RootRun()).Want(http.StatusAccepted)
		if id := answer.Header.Get("X-Request-Id"); (id == "chosen") != (trusted == "127.0.0.1") {
			t.Errorf("%s trusted: request ID %s", trusted, id)
		}
		run := devservertest.RootRun()
		p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
		token := devservertest.Into[object](p.Do(http.MethodPost, "/feedback/tokens", object{"run_id": run["id"], "feedback_key": "k"}).Want(http.StatusOK))
		p.Do(http.MethodPost, "/v2/auth/providers", object{
			"provider_id": "mail", "name": "Mail", "client_id": "c", "client_secret": "s", "auth_url": "https://login.test/a", "token_url": "https://login.test/t",
		}).Want(http.StatusOK)
		provider := devservertest.Get[object](p, "/v2/auth/providers/mail")
		page := p.Do(http.MethodGet, "/ui/workspaces/"+devservertest.WorkspaceA+"/deployments", nil).Want(http.StatusOK)
		for what, got := range map[string]any{
			"feedback link": token["url"], "redirect URI": provider["default_redirect_uri"], "command on a page": string(page.Body),
		} {
			if text, is := got.(string); !is || !strings.Contains(text, base+"/") {
				t.Errorf("%s trusted: the %s has no URL of %s: %v", trusted, what, base, got)
			}
		}
		toy := p.Do(http.MethodGet, "/toy-login/authorize", nil)
		if away := toy.Status == http.StatusForbidden; away != (trusted == "127.0.0.1") {
			t.Errorf("%s trusted: status of the toy login for a client on another machine: %d", trusted, toy.Status)
		}
	}
}

// TestProxiedGuard checks that neither a website whose name resolves to the server nor another one gets past a trusted proxy, or past the
// server by saying what a proxy would say: a browser beside a proxy has the same address.
func TestProxiedGuard(t *testing.T) {
	t.Parallel()
	const proxied, local = "public.test", "127.0.0.1:8124"
	for name, tc := range map[string]struct {
		trusted, host string
		header        []string
		want          int
	}{
		"proxy":                     {"127.0.0.1", local, []string{"X-Forwarded-Host", proxied}, 202},
		"proxy that keeps the host": {"127.0.0.1", proxied, []string{"X-Forwarded-Host", proxied}, 202},
		"proxy for another name":    {"127.0.0.1", local, []string{"X-Forwarded-Host", "rebound.example"}, 403},
		"rebound, and forged":       {"127.0.0.1", "rebound.example", []string{"X-Forwarded-Host", "localhost", "Sec-Fetch-Site", "same-origin"}, 403},
		"rebound, not trusted":      {"10.0.0.0/8", "rebound.example", []string{"X-Forwarded-Host", "localhost"}, 403},
		"name that isn't believed":  {"10.0.0.0/8", local, []string{"X-Forwarded-Host", "rebound.example"}, 202},
		"own page":                  {"127.0.0.1", local, []string{"X-Forwarded-Host", proxied, "Origin", "https://public.test"}, 202},
		"own page, not trusted":     {"10.0.0.0/8", local, []string{"X-Forwarded-Host", proxied, "Origin", "https://public.test"}, 403},
		"other website":             {"127.0.0.1", local, []string{"X-Forwarded-Host", proxied, "Origin", "https://site.example"}, 403},
		"other website, fetched":    {"127.0.0.1", local, []string{"X-Forwarded-Host", proxied, "Sec-Fetch-Site", "cross-site"}, 403},
	} {
		cfg := devserver.Config{Hosts: []string{proxied}}
		devservertest.Must(t, cfg.SetProxies(tc.trusted))
		p := devservertest.New(t, cfg)
		run := `{"name": "a", "run_type": "chain", "inputs": {}, "session_name": "agents"}`
		if got := send(t, p, http.MethodPost, "/runs", tc.host, run, tc.header...); got != tc.want {
			t.Errorf("%s: status %d, want %d", name, got, tc.want)
		}
	}
}
