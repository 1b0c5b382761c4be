package pages_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
)

// TestPageHeaders checks that every page, including error pages, has the content security policy.
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
			t.Errorf("%s: status %d, header %v; want status %d and an HTML page's security headers", name, r.Status, r.Header, wantStatus)
		}
		if strings.Contains(string(r.Body), "<script>alert") || strings.Contains(string(r.Body), canary) {
			t.Errorf("%s contains unescaped markup or a secret", name)
		}
		ids := map[string]int{}
		for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(string(r.Body), -1) {
			if ids[id[1]]++; ids[id[1]] > 1 {
				t.Errorf("%s has the ID %s twice", name, id[1])
			}
		}
		for _, link := range regexp.MustCompile(` href="#([^"]+)"`).FindAllStringSubmatch(string(r.Body), -1) {
			if ids[link[1]] == 0 {
				t.Errorf("%s has a link to #%s, which isn't there", name, link[1])
			}
		}
	}
	for _, path := range []string{"/ui/nowhere", "/ui/runs/none", "/ui/traces/" + nobody, "/ui/projects/" + nobody} {
		if r := s.Do(http.MethodGet, path, nil).Want(http.StatusNotFound); !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: Content-Type = %s, want text/html", path, r.Header.Get("Content-Type"))
		}
	}
	// Pages support no other methods, and API clients still get JSON.
	s.Do(http.MethodPost, "/ui/deployments", object{}).Want(http.StatusNotFound)
	s.Do(http.MethodGet, "/nowhere", nil).Want(http.StatusNotFound).WantDetail("Not Found")
	assets := map[string]bool{}
	for _, asset := range regexp.MustCompile(`"(/ui/assets/[^"#]+)`).FindAllSubmatch(s.Do(http.MethodGet, "/", nil).Body, -1) {
		assets[string(asset[1])] = true
	}
	if len(assets) != 3 {
		t.Errorf("%d assets, want 3", len(assets))
	}
	for asset := range assets {
		s.Do(http.MethodGet, asset, nil).Want(http.StatusOK)
	}
}

// TestPageKeys checks that a browser sends a key as its password, and only sees that key's workspaces.
func TestPageKeys(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := devservertest.New(t, devserver.Config{
		Keys: []devserver.Key{{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}}}, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: devserver.LevelAccess})),
	})
	a := p.As("X-Api-Key", "key-a")
	d := a.Create(devservertest.ImageRequest("chat"))
	anonymous := p.As()
	refused := anonymous.Do(http.MethodGet, "/ui/deployments", nil).Want(http.StatusUnauthorized)
	if !strings.HasPrefix(refused.Header.Get("WWW-Authenticate"), "Basic ") || strings.Contains(string(refused.Body), "chat") {
		t.Errorf("response without a key = %v %s, want a challenge and no data", refused.Header, refused.Body)
	}
	if logged := log.String(); !strings.Contains(logged, "path=/ui/deployments") || !strings.Contains(logged, "status=401") {
		t.Errorf("the log doesn't contain the refused request:\n%s", logged)
	}
	if open := followed(anonymous, "/ui/deployments", "").Want(http.StatusUnauthorized); open.Header.Get("WWW-Authenticate") != "" {
		t.Error("an open page that keeps itself up to date makes the browser show a dialog")
	}
	browser := p.As("Authorization", "Basic eDprZXktYQ==") // x:key-a
	for path, status := range map[string]int{
		"/ui/deployments/" + d.ID: http.StatusOK, "/ui/workspaces/" + devservertest.WorkspaceA + "/deployments/" + d.ID: http.StatusOK,
		"/ui/workspaces/" + devservertest.WorkspaceB + "/deployments": http.StatusForbidden, "/ui/workspaces/none/deployments": http.StatusNotFound,
	} {
		r := browser.Do(http.MethodGet, path, nil).Want(status)
		if status == http.StatusOK && !strings.Contains(string(r.Body), "chat") {
			t.Errorf("%s doesn't contain the deployment", path)
		}
	}
}

// TestPagePaging follows the links through a long filtered list, forwards and backwards.
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
			t.Errorf("link of the last page to the previous one = %q, want it to keep the filter", back)
		}
	}
	if len(pages) != 3 || len(seen) != 120 {
		t.Errorf("%d deployments on pages with %v, want 120 on 3 pages", len(seen), pages)
	}
}

// TestEmptyPages checks that an empty list shows the command that fills it.
func TestEmptyPages(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	for path, want := range map[string]string{
		"/": "terraform apply", "/ui/listeners": "-seed", "/ui/integrations": "-seed", "/ui/oauth": "-seed",
		"/ui/projects": "session_name", "/ui/datasets": "createDataset",
	} {
		if body := string(p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body); !strings.Contains(body, want) {
			t.Errorf("%s doesn't contain %s:\n%s", path, want, body)
		}
	}
}

// TestPagesBeyondTheEnd checks that a cursor beyond the end leads to an empty page.
func TestPagesBeyondTheEnd(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	p.Create(devservertest.ImageRequest("chat"))
	for _, list := range []string{"requests", "projects", "deployments", "listeners"} {
		const farthest = "OTIyMzM3MjAzNjg1NDc3NTgwNw" // 9223372036854775807
		p.Do(http.MethodGet, "/ui/"+list+"?cursor="+farthest, nil).Want(http.StatusOK)
	}
}

// TestRunAddress checks that the URL of a run that clients print leads to its page, in any workspace, including its feedback.
func TestRunAddress(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	run := devservertest.RootRun(object{"name": "named by its address"})
	p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/feedback", object{"run_id": run["id"], "key": "correct", "score": 0.25, "comment": "<b>no</b>"}).Want(http.StatusOK)
	path := devservertest.Get[object](p, "/runs/"+run["id"].(string))["app_path"].(string)
	page := string(p.As().Do(http.MethodGet, path, nil).Want(http.StatusOK).Body) // A browser sends no workspace.
	contains(t, page, "named by its address", "correct", "0.25", "&lt;b&gt;no&lt;/b&gt;")
	elsewhere := strings.Replace(path, devservertest.WorkspaceA, devservertest.WorkspaceB, 1)
	p.As().Do(http.MethodGet, elsewhere, nil).Want(http.StatusNotFound)
}

// TestCompression checks which pages are compressed: none that has the URL of an attachment, or that another website asks for.
func TestCompression(t *testing.T) {
	t.Parallel()
	s := show(t, "note")
	for name, tc := range map[string]struct {
		page   string
		header []string
		want   bool
	}{
		"a browser":        {"project", []string{"Accept-Encoding", "gzip, deflate, br", "Sec-Fetch-Site", "same-origin"}, true},
		"a typed URL":      {"deployments", []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "none"}, true},
		"JSON":             {"project", []string{"Accept-Encoding", "gzip;q=0.5", "Accept", "application/json"}, true},
		"a search":         {"search", []string{"Accept-Encoding", "gzip"}, true},
		"no compression":   {"project", []string{"Accept-Encoding", "identity"}, false},
		"refused":          {"project", []string{"Accept-Encoding", "br, gzip;q=0"}, false},
		"another website":  {"project", []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "cross-site"}, false},
		"a neighbour":      {"project", []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "same-site"}, false},
		"with an attached": {"run", []string{"Accept-Encoding", "gzip"}, false},
	} {
		plain := s.As("Accept-Encoding", "identity").Do(http.MethodGet, s.paths[tc.page], nil)
		r := s.As(tc.header...).Do(http.MethodGet, s.paths[tc.page], nil).Want(http.StatusOK)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != tc.want || !strings.Contains(r.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s: header %v, want a compressed page: %v", name, r.Header, tc.want)
		}
		if !tc.want {
			continue
		}
		if len(r.Body) > 40<<10 || len(r.Body) > len(plain.Body)/2 {
			t.Errorf("%s: %d bytes, want at most 40 KiB and half of %d", name, len(r.Body), len(plain.Body))
		}
		text, err := gzip.NewReader(bytes.NewReader(r.Body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if page, err := io.ReadAll(text); err != nil || name == "a browser" && !strings.Contains(string(page), "turn 59") {
			t.Errorf("%s: the page has no runs, or can't be read: %v", name, err)
		}
	}
}
