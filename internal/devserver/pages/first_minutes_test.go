package pages_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestHome checks that the shortest addresses lead to the first page.
func TestHome(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	p.Web.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for path, want := range map[string]string{
		"/ui": "/ui/deployments", "/ui/": "/ui/deployments",
		"/ui/workspaces/" + devservertest.WorkspaceA: "/ui/workspaces/" + devservertest.WorkspaceA + "/deployments",
		"/ui/workspaces/%2F%2Fevil.example":          "/ui/workspaces/%2F%2Fevil.example/deployments",
	} {
		if r := p.Do(http.MethodGet, path, nil).Want(http.StatusFound); r.Header.Get("Location") != want {
			t.Errorf("%s leads to %s, want %s", path, r.Header.Get("Location"), want)
		}
	}
}

// TestFirstSteps checks that an empty server says what to do next with its own address, workspace and dialect, and shows no key.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{
		Dialect: api.LangSmith, Keys: []devserver.Key{{Value: "secret-key", Workspaces: []string{devservertest.WorkspaceB}}},
	}).As("X-Api-Key", "secret-key")
	for _, path := range []string{"/", "/ui/projects"} {
		text := read(p, path)
		for _, want := range []string{
			`base_url     = "` + p.Web.URL + `"`, `workspace_id = "` + devservertest.WorkspaceB + `"`, `dialect      = "langsmith"`,
			"export LANGSMITH_ENDPOINT=" + p.Web.URL + "\n", "export OTEL_EXPORTER_OTLP_ENDPOINT=" + p.Web.URL + "/otel\n", "terraform apply",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s doesn't contain %s", path, want)
			}
		}
		if strings.Contains(text, "secret-key") {
			t.Errorf("%s contains the key", path)
		}
	}
	if text := read(devservertest.New(t, devserver.Config{}).As(), "/"); !strings.Contains(text, "accepts any key, or none") || strings.Contains(text, "dialect ") {
		t.Error("the page of a server without keys asks for one, or names the default dialect")
	}
}

// TestFirstMinutes_unraced opens an empty server and sees what to do next; without scripts, too.
func TestFirstMinutes_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "an empty server in Chromium", 15*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	onScreens(t, func(b *tab) {
		b.open(p.Web.URL + "/ui")
		b.sees("There are no deployments in this workspace.", "Deploy with Terraform").says(`base_url     = "` + p.Web.URL + `"`)
		b.follow("Projects", "Send traces").sees("Send traces", "LANGSMITH_ENDPOINT="+p.Web.URL)
	})
}

// TestRestarted_unraced checks that an open page says how to log in again after the server was restarted with another key.
func TestRestarted_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "a restarted server in Chromium", 30*time.Second)
	var servers [2]*httputil.ReverseProxy
	for i, key := range []string{"old", "new"} {
		p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{{Value: key, Workspaces: []string{devservertest.WorkspaceA}}}})
		address, err := url.Parse(p.Web.URL)
		devservertest.Must(t, err)
		servers[i] = httputil.NewSingleHostReverseProxy(address)
	}
	var restarted atomic.Bool
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := 0
		if restarted.Load() {
			at = 1
		}
		servers[at].ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	b := newTab(devservertest.NewBrowser(t), t)
	b.do(chromedp.EmulateViewport(1440, 900))
	b.open(strings.Replace(front.URL, "http://", "http://x:old@", 1) + "/ui/deployments").until(`document.querySelector("[data-live-reload]").hidden`)
	b.expectErrors()
	restarted.Store(true)
	front.CloseClientConnections()
	b.says("The server no longer accepts the key").sees("Reload the page, and enter the key", "Reload the page")
}
