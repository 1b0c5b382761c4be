package devserver_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
)

// TestPageHeaders: every page comes with the policy that it is written for, also one that says what went wrong.
func TestPageHeaders(t *testing.T) {
	t.Parallel()
	s := show(t, hostile)
	for name, path := range s.paths {
		r := s.do(http.MethodGet, path, nil)
		wantStatus := http.StatusOK
		if name == "nothing" {
			wantStatus = http.StatusNotFound
		}
		if r.status != wantStatus || r.header.Get("Content-Security-Policy") != web.ContentSecurityPolicy ||
			r.header.Get("Content-Type") != "text/html; charset=utf-8" || r.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: status %d, header %v", name, r.status, r.header)
		}
		if strings.Contains(string(r.body), "<script>alert") || strings.Contains(string(r.body), "canary-of-the-environment") {
			t.Errorf("%s shows what it must not", name)
		}
	}
	for _, path := range []string{"/ui/nowhere", "/ui/runs/none", "/ui/traces/" + nobody, "/ui/projects/" + nobody} {
		if r := s.do(http.MethodGet, path, nil).want(http.StatusNotFound); !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s is answered by %s", path, r.header.Get("Content-Type"))
		}
	}
	// Pages are looked at: nothing else is offered, and clients of the API are answered as before.
	s.do(http.MethodPost, "/ui/deployments", object{}).want(http.StatusNotFound)
	s.do(http.MethodGet, "/nowhere", nil).want(http.StatusNotFound).wantDetail("Not Found")
	assets := regexp.MustCompile(`"(/ui/assets/[^"]+)"`).FindAllSubmatch(s.do(http.MethodGet, "/", nil).body, -1)
	if len(assets) != 2 {
		t.Errorf("%d assets", len(assets))
	}
	for _, asset := range assets {
		s.do(http.MethodGet, string(asset[1]), nil).want(http.StatusOK)
	}
}

// TestPageKeys: with keys, a browser sends one as a password, and sees the workspaces that it opens only.
func TestPageKeys(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{Keys: []devserver.Key{{Value: "key-a", Workspaces: []string{workspaceA}}}})
	a := p.as("X-Api-Key", "key-a")
	d := a.create(imageRequest("chat"))
	anonymous := p.as()
	refused := anonymous.do(http.MethodGet, "/ui/deployments", nil).want(http.StatusUnauthorized)
	if !strings.HasPrefix(refused.header.Get("WWW-Authenticate"), "Basic ") || strings.Contains(string(refused.body), "chat") {
		t.Errorf("header %v", refused.header)
	}
	anonymous.do(http.MethodGet, "/ui/deployments/"+d.ID+"/events", nil).want(http.StatusUnauthorized)
	browser := p.as("Authorization", "Basic eDprZXktYQ==") // x:key-a
	for path, status := range map[string]int{
		"/ui/deployments/" + d.ID: http.StatusOK, "/ui/workspaces/" + workspaceA + "/deployments/" + d.ID: http.StatusOK,
		"/ui/workspaces/" + workspaceB + "/deployments": http.StatusForbidden, "/ui/workspaces/none/deployments": http.StatusNotFound,
	} {
		r := browser.do(http.MethodGet, path, nil).want(status)
		if status == http.StatusOK && !strings.Contains(string(r.body), "chat") {
			t.Errorf("%s doesn't show the deployment", path)
		}
	}
}

// TestPagePaging follows the links through a long list, forth and back, with its filter.
func TestPagePaging(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{}).as()
	for i := range 120 {
		p.create(imageRequest(fmt.Sprintf("chat-%03d", i)))
	}
	p.create(imageRequest("other"))
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	previous := regexp.MustCompile(`rel="prev" href="([^"]+)"`)
	path, seen := "/ui/deployments?name_contains=chat", map[string]bool{}
	var pages []string
	for path != "" {
		body := string(p.do(http.MethodGet, path, nil).want(http.StatusOK).body)
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
	p := newPlane(t, devserver.Config{}).as()
	for path, want := range map[string]string{
		"/": "terraform -chdir=examples/quickstart apply", "/ui/listeners": "-seed", "/ui/integrations": "-seed",
		"/ui/projects": "session_name",
	} {
		if body := string(p.do(http.MethodGet, path, nil).want(http.StatusOK).body); !strings.Contains(body, want) {
			t.Errorf("%s doesn't name %s:\n%s", path, want, body)
		}
	}
}

// TestEvents: the timeline is sent when it changes, and the stream ends with the deployment and with the server.
func TestEvents(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{Rollout: time.Minute}).as()
	d := p.create(imageRequest("chat"))
	events, end := follow(t, p, d.ID)
	defer end()
	wantEvent(t, events, "QUEUED")
	p.clock.Advance(time.Minute)
	wantEvent(t, events, "DEPLOYED")
	p.do(http.MethodDelete, "/v2/deployments/"+d.ID, nil).want(http.StatusNoContent)
	wantEvent(t, events, "AWAITING_DELETE")
	p.clock.Advance(time.Minute)
	wantEvent(t, events, "event: end")

	other := p.create(imageRequest("other"))
	events, end = follow(t, p, other.ID)
	defer end()
	wantEvent(t, events, "QUEUED")
	p.EndStreams()
	for range events { // It is closed, or this waits forever.
	}
}

// follow reads the lines of the events of a deployment.
func follow(t *testing.T, p *plane, id string) (lines <-chan string, end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.web.URL+"/ui/deployments/"+id+"/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request) //nolint:bodyclose // Ending closes it.
	if err != nil {
		t.Fatal(err)
	}
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type %q", got)
	}
	read := make(chan string, 1<<16)
	go func() {
		defer close(read)
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			read <- scanner.Text()
		}
	}()
	return read, func() { cancel(); response.Body.Close() }
}

func wantEvent(t *testing.T, lines <-chan string, text string) {
	t.Helper()
	for line := range lines {
		if strings.Contains(line, text) {
			return
		}
	}
	t.Fatalf("the stream ended before it said %s", text)
}
