package pages_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
)

// TestPageHeaders: every page comes with the policy that it is written for, also one that says what went wrong.
func TestPageHeaders(t *testing.T) {
	t.Parallel()
	s := show(t, hostile)
	for name, path := range s.paths {
		r := s.Do(http.MethodGet, path, nil)
		wantStatus := http.StatusOK
		if name == "nothing" {
			wantStatus = http.StatusNotFound
		}
		if r.Status != wantStatus || r.Header.Get("Content-Security-Policy") != web.ContentSecurityPolicy ||
			r.Header.Get("Content-Type") != "text/html; charset=utf-8" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: status %d, header %v", name, r.Status, r.Header)
		}
		if strings.Contains(string(r.Body), "<script>alert") || strings.Contains(string(r.Body), canary) {
			t.Errorf("%s shows what it must not", name)
		}
	}
	for _, path := range []string{"/ui/nowhere", "/ui/runs/none", "/ui/traces/" + nobody, "/ui/projects/" + nobody} {
		if r := s.Do(http.MethodGet, path, nil).Want(http.StatusNotFound); !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s is answered by %s", path, r.Header.Get("Content-Type"))
		}
	}
	// Pages are looked at: nothing else is offered, and clients of the API are answered as before.
	s.Do(http.MethodPost, "/ui/deployments", object{}).Want(http.StatusNotFound)
	s.Do(http.MethodGet, "/nowhere", nil).Want(http.StatusNotFound).WantDetail("Not Found")
	assets := regexp.MustCompile(`"(/ui/assets/[^"]+)"`).FindAllSubmatch(s.Do(http.MethodGet, "/", nil).Body, -1)
	if len(assets) != 4 {
		t.Errorf("%d assets", len(assets))
	}
	for _, asset := range assets {
		s.Do(http.MethodGet, string(asset[1]), nil).Want(http.StatusOK)
	}
}

// TestPageKeys: with keys, a browser sends one as a password, and sees the workspaces that it opens only.
func TestPageKeys(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := devservertest.New(t, devserver.Config{
		Keys: []devserver.Key{{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}}}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	a := p.As("X-Api-Key", "key-a")
	d := a.Create(devservertest.ImageRequest("chat"))
	anonymous := p.As()
	refused := anonymous.Do(http.MethodGet, "/ui/deployments", nil).Want(http.StatusUnauthorized)
	if !strings.HasPrefix(refused.Header.Get("WWW-Authenticate"), "Basic ") || strings.Contains(string(refused.Body), "chat") {
		t.Errorf("header %v", refused.Header)
	}
	if logged := log.String(); !strings.Contains(logged, "path=/ui/deployments") || !strings.Contains(logged, "status=401") {
		t.Errorf("the log says nothing of a page that was refused:\n%s", logged)
	}
	anonymous.Do(http.MethodGet, "/ui/events?part=/ui/deployments/"+d.ID, nil).Want(http.StatusUnauthorized)
	browser := p.As("Authorization", "Basic eDprZXktYQ==") // x:key-a
	for path, status := range map[string]int{
		"/ui/deployments/" + d.ID: http.StatusOK, "/ui/workspaces/" + devservertest.WorkspaceA + "/deployments/" + d.ID: http.StatusOK,
		"/ui/workspaces/" + devservertest.WorkspaceB + "/deployments": http.StatusForbidden, "/ui/workspaces/none/deployments": http.StatusNotFound,
	} {
		r := browser.Do(http.MethodGet, path, nil).Want(status)
		if status == http.StatusOK && !strings.Contains(string(r.Body), "chat") {
			t.Errorf("%s doesn't show the deployment", path)
		}
	}
}

// TestPagePaging follows the links through a long list, forth and back, with its filter.
func TestPagePaging(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	for i := range 120 {
		p.Create(devservertest.ImageRequest(fmt.Sprintf("chat-%03d", i)))
	}
	p.Create(devservertest.ImageRequest("other"))
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	previous := regexp.MustCompile(`rel="prev" href="([^"]+)"`)
	path, seen := "/ui/deployments?name_contains=chat", map[string]bool{}
	var pages []string
	for path != "" {
		body := string(p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body)
		for _, name := range regexp.MustCompile(`>(chat-\d+)<`).FindAllStringSubmatch(body, -1) {
			seen[name[1]] = true
		}
		pages = append(pages, path)
		path = ""
		if link := next.FindStringSubmatch(body); link != nil {
			path = strings.ReplaceAll(link[1], "&amp;", "&")
		} else if back := strings.Join(previous.FindStringSubmatch(body), " "); !strings.Contains(back, "name_contains=chat") {
			t.Errorf("the last page leads back to %q", back)
		}
	}
	if len(pages) != 3 || len(seen) != 120 {
		t.Errorf("%d deployments on the pages %v, want 120 on 3", len(seen), pages)
	}
}

// TestEmptyPages: an empty list names the command that fills it.
func TestEmptyPages(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	for path, want := range map[string]string{
		"/": "terraform -chdir=examples/quickstart apply", "/ui/listeners": "-seed", "/ui/integrations": "-seed", "/ui/oauth": "-seed",
		"/ui/projects": "session_name",
	} {
		if body := string(p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body); !strings.Contains(body, want) {
			t.Errorf("%s doesn't name %s:\n%s", path, want, body)
		}
	}
}

// TestPagesBeyondTheEnd: a cursor of any size leads to an empty page.
func TestPagesBeyondTheEnd(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	p.Create(devservertest.ImageRequest("chat"))
	for _, list := range []string{"requests", "projects", "deployments", "listeners"} {
		const farthest = "OTIyMzM3MjAzNjg1NDc3NTgwNw" // 9223372036854775807
		p.Do(http.MethodGet, "/ui/"+list+"?cursor="+farthest, nil).Want(http.StatusOK)
	}
}

// TestRunAddress: the address that clients have of a run leads to its page, in whatever workspace it is, with what was said of it.
func TestRunAddress(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	run := devservertest.RootRun(object{"name": "named by its address"})
	p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/feedback", object{"run_id": run["id"], "key": "correct", "score": 0.25, "comment": "<b>no</b>"}).Want(http.StatusOK)
	path := devservertest.Get[object](p, "/runs/"+run["id"].(string))["app_path"].(string)
	page := string(p.As().Do(http.MethodGet, path, nil).Want(http.StatusOK).Body) // A browser says no workspace.
	for _, want := range []string{"named by its address", "correct", "0.25", "&lt;b&gt;no&lt;/b&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page doesn't show %s", want)
		}
	}
	elsewhere := strings.Replace(path, devservertest.WorkspaceA, devservertest.WorkspaceB, 1)
	p.As().Do(http.MethodGet, elsewhere, nil).Want(http.StatusNotFound)
}
