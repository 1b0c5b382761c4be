package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestLinks follows the links that clients print: to projects, runs and deployments with a key, and to shared runs without.
func TestLinks(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}}}}).As("X-Api-Key", "key-a")
	blocks := []any{object{"type": "text", "text": strings.Repeat("long ", 8<<10)}}
	metadata, events := object{}, []any{}
	for i := range 500 {
		blocks, events = append(blocks, object{"type": "text", "text": "who?"}), append(events, object{"name": "step"})
		metadata[fmt.Sprint("key ", i)] = i
	}
	much := object{"messages": []any{object{"role": "user", "content": blocks}}} // More than is shown.
	root := devservertest.RootRun(object{"name": "the root", "extra": object{"metadata": object{"thread_id": "a talk"}}, "inputs": much})
	child := devservertest.ChildRun(root, object{"name": "the child", "inputs": object{"question": "why?"}, "outputs": much, "events": events, "extra": object{"metadata": metadata}})
	peer := devservertest.RootRun(object{"name": "the child", "run_type": "llm", "end_time": "2026-05-02T10:00:01Z"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, child, peer}}).Want(http.StatusAccepted)
	id := child["id"].(string)
	project := devservertest.Get[object](p, "/runs/"+id)["session_id"].(string)
	links := "/o/" + devservertest.WorkspaceA + "/projects/p/" + project
	html := func(p *plane, path string, status int) string {
		t.Helper()
		r := p.Do(http.MethodGet, path, nil).Want(status)
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: Content-Type %s, want a page", path, r.Header.Get("Content-Type"))
		}
		return string(r.Body)
	}
	if page := html(p, links+"?tab=3", http.StatusOK); !strings.Contains(page, "<h1>agents</h1>") || !strings.Contains(page, "the root") {
		t.Errorf("page of the project = %s", page)
	}
	if page := html(p, links+"/r/"+id+"?poll=true", http.StatusOK); !strings.Contains(page, "<h1>the child</h1>") {
		t.Errorf("page of the run = %s", page)
	}
	html(p.As(), links, http.StatusUnauthorized)
	d := p.Create(devservertest.ImageRequest("chat"))
	if page := html(p, "/o/"+devservertest.WorkspaceA+"/host/deployments/"+d.ID, http.StatusOK); !strings.Contains(page, "<h1>chat</h1>") {
		t.Errorf("page of the deployment = %s", page)
	}
	html(p, "/o/"+devservertest.WorkspaceA+"/projects/p/"+uuid.NewString(), http.StatusNotFound)

	threads := "/ui/projects/" + project + "/threads"
	for _, tc := range []struct {
		page, on, form string
		fields         url.Values
		shows, hides   []string
		ids            []string // Hidden in JSON, too.
	}{
		{"/r", "/ui/runs/" + id, "/ui/runs/" + id + "/share", url.Values{}, []string{"<h1>the child</h1>", "why?", "more blocks are left out", "are left out here", "more events are left out", "more are left out"}, []string{"Compare", "raw", `aria-label="Pages"`}, []string{peer["id"].(string), "a talk"}},
		{"/t", threads + "?thread=a+talk", threads + "/share", url.Values{"thread": {"a talk"}}, []string{"the root", "who?", "more blocks are left out"}, []string{"page of the run", "Share", "Export", "raw", `aria-label="Pages"`}, []string{id, "a talk"}},
	} {
		submit(t, p, tc.form, tc.fields, "X-Api-Key", "key-a")
		shared := html(p, tc.on, http.StatusOK)
		link := regexp.MustCompile(`/public/([^/]+)` + tc.page).FindStringSubmatch(shared)
		if link == nil {
			t.Fatalf("%s has no link %s: %s", tc.on, tc.page, shared)
		}
		token := link[1]
		page := html(p.As(), "/public/"+token+tc.page, http.StatusOK)
		contains(t, page, tc.shows...)
		data := string(p.As("Accept", "application/json").Do(http.MethodGet, "/public/"+token+tc.page, nil).Want(http.StatusOK).Body)
		page = strings.ReplaceAll(page, `action="/public/`+token, "") // Of its own search.
		for _, hidden := range append(tc.ids, root["id"].(string), project, token, devservertest.WorkspaceA, "agents") {
			tc.hides = append(tc.hides, hidden)
			if hidden != token && strings.Contains(data, `"`+hidden) {
				t.Errorf("%s: the page as JSON contains %q: %s", tc.page, hidden, data)
			}
		}
		for _, hidden := range tc.hides {
			if strings.Contains(page, hidden) {
				t.Errorf("%s: the page contains %q: %s", tc.page, hidden, page)
			}
		}
		if page := html(p.As(), "/public/"+uuid.NewString()+tc.page, http.StatusNotFound); strings.Contains(page, `href="/ui/deployments`) {
			t.Errorf("%s: the page for a token that doesn't exist links to others: %s", tc.page, page)
		}
		if shares := html(p, "/ui/shares", http.StatusOK); !strings.Contains(shares, "/public/"+token+tc.page) {
			t.Errorf("the list of what is shared lacks %s: %s", tc.page, shares)
		}
		tc.fields.Set("revoke", "revoke")
		submit(t, p, tc.form, tc.fields, "X-Api-Key", "key-a")
		html(p.As(), "/public/"+token+tc.page, http.StatusNotFound)
	}
}
