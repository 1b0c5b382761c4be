package controlplane_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestInstallLinks connects accounts by links, as a browser does, without a key.
func TestInstallLinks(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Keys: []devserver.Key{{Value: "sesame", Workspaces: []string{devservertest.WorkspaceA, devservertest.WorkspaceB}}}})
	browser := product{p.As()}
	browser.Web.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p.plane = p.As("X-Api-Key", "sesame", "X-Tenant-Id", devservertest.WorkspaceA)
	const github, forge = "/v2/integrations/github", "/v2/integrations/forge-github"
	follow := func(link any, want string) string {
		t.Helper()
		at, ours := strings.CutPrefix(link.(string), p.Web.URL)
		if !ours {
			t.Fatalf("link = %v, want one of this server", link)
		}
		to := browser.say(http.MethodGet, at, nil, http.StatusSeeOther).Header.Get("Location")
		if !strings.HasPrefix(to, want) {
			t.Errorf("the link leads to %s, want %s", to, want)
		}
		return strings.TrimPrefix(to, want)
	}
	wantNames := func(app string, want ...any) {
		t.Helper()
		var got []any
		for _, i := range p.get(app + "/installations")["items"].([]any) {
			got = append(got, i.(object)["name"])
		}
		devservertest.Same(t, app, want, got)
	}
	link := p.object(http.MethodPost, "/api-host"+github+"/installation-link", nil, http.StatusOK)["install_url"]
	if !strings.HasPrefix(link.(string), p.Web.URL+"/api-host/") {
		t.Errorf("link = %v, want one below the client's prefix", link)
	}
	wantNames(github)
	for range 2 {
		follow(link, p.Web.URL+"/ui/integrations")
		wantNames(github, "installed-org")
	}

	start := p.object(http.MethodPost, forge+"/installation-link", object{"return_to": "https://example.com/done"}, http.StatusOK)["install_url"]
	session := forge + "/picker-sessions/" + follow(start, "https://example.com/done?session_id=")
	wantNames(forge)
	want := object{"return_to": "https://example.com/done", "installs": []any{
		object{"installation_id": 1e6, "account_login": "picked-org", "account_type": "Organization", "already_in_org": false},
	}}
	devservertest.Same(t, "session", want, p.get(session))
	for _, refused := range []object{{"action": "ATTACH"}, {"action": "ATTACH", "installation_id": 1}} {
		p.say(http.MethodPost, session+"/selection", refused, http.StatusBadRequest)
	}
	p.say(http.MethodPost, session+"/selection", object{"action": "LEAVE"}, http.StatusUnprocessableEntity)
	p.object(http.MethodPost, session+"/selection", object{"action": "ATTACH", "installation_id": 1e6}, http.StatusOK)
	wantNames(forge, "picked-org")
	follow(p.object(http.MethodPost, session+"/selection", object{"action": "INSTALL_NEW"}, http.StatusOK)["redirect_url"], "https://example.com/done")
	wantNames(forge, "picked-org", "forge-org")

	product{p.As("X-Api-Key", "sesame", "X-Tenant-Id", devservertest.WorkspaceB)}.say(http.MethodGet, session, nil, http.StatusNotFound)
	p.say(http.MethodPost, forge+"/installation-link", object{"return_to": "javascript:alert(1)"}, http.StatusUnprocessableEntity)
	browser.say(http.MethodGet, "/install-links/unknown", nil, http.StatusNotFound)
	p.Clock.Advance(time.Hour)
	browser.say(http.MethodGet, strings.TrimPrefix(start.(string), p.Web.URL), nil, http.StatusNotFound)
}

// TestInstallationPages reads lists by their cursors.
func TestInstallationPages(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	p.WithSeed(devservertest.WorkspaceA)
	for list, want := range map[string]int{
		"/v2/integrations/github/installations":                                             1,
		"/v2/integrations/github/installations/" + p.Seeded.IntegrationID + "/repositories": 3,
	} {
		seen, cursor := map[any]bool{}, "0"
		for pages := 1; ; pages++ {
			page := p.get(list + "?page_size=2&cursor=" + cursor)
			for _, item := range page["items"].([]any) {
				seen[item.(object)["id"]] = true
			}
			next, more := page["next_cursor"].(string)
			if cursor = next; more != (pages < (want+1)/2) {
				t.Fatalf("%s: page %d has the cursor %v", list, pages, page["next_cursor"])
			}
			if !more {
				break
			}
		}
		if len(seen) != want {
			t.Errorf("%s: %d items, want %d", list, len(seen), want)
		}
	}
	p.say(http.MethodGet, "/v2/integrations/github/installations?cursor=", nil, http.StatusUnprocessableEntity)
}

// TestDeletionOfAgents keeps the tracing project of an agent, whatever the request says.
func TestDeletionOfAgents(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	for name, agent := range map[string]any{"bound": object{"agent_id": "assistant", "environment": "staging"}, "free": nil} {
		path := "/v2/deployments/" + p.object(http.MethodPost, "/v2/deployments", internal(name, "internal_docker", object{"agent": agent}), http.StatusCreated)["id"].(string)
		p.say(http.MethodDelete, path+"?delete_tracing_project=true", nil, http.StatusNoContent)
		projects := devservertest.Into[[]object](p.say(http.MethodGet, "/api/v1/sessions?name="+name, nil, http.StatusOK))
		if kept := len(projects) == 1; kept != (agent != nil) {
			t.Errorf("%s: the tracing project is kept: %t", name, kept)
		}
	}
}
