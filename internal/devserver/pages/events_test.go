package pages_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestEvents checks that one stream sends the timelines of several deployments as they change, each until its rollout ends or it is
// deleted. The stream ends after the last of them, or with the server.
func TestEvents(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	a, b := "/ui/deployments/"+p.Create(devservertest.ImageRequest("a")).ID, "/ui/deployments/"+p.Create(devservertest.ImageRequest("b")).ID
	events, end := follow(t, p, "", a, b)
	defer end()
	for range 2 { // In any order.
		wantEvent(t, events, "event: /ui/deployments/")
		wantEvent(t, events, "QUEUED")
	}
	p.Do(http.MethodDelete, strings.Replace(b, "/ui", "/v2", 1), nil).Want(http.StatusNoContent)
	wantEvent(t, events, "AWAITING_DELETE")
	p.Clock.Advance(time.Minute)
	ended := map[string]bool{}
	for line := range events { // The stream is closed after both.
		if id, is := strings.CutPrefix(line, "data: /ui/deployments/"); is {
			ended["/ui/deployments/"+id] = true
		}
	}
	if !ended[a] || !ended[b] {
		t.Errorf("ended = %v, want both %s and %s", ended, a, b)
	}
	for path, live := range map[string]bool{a: false, "/ui/deployments/" + p.Create(devservertest.ImageRequest("c")).ID: true} {
		page := string(p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body)
		if got := strings.Contains(page, `data-events-url="/ui/events"`); got != live {
			t.Errorf("the page follows events: %t, want %t", got, live)
		}
	}

	other := "/ui/deployments/" + p.Create(devservertest.ImageRequest("other")).ID
	events, end = follow(t, p, "", other)
	defer end()
	wantEvent(t, events, "QUEUED")
	p.EndStreams()
	for range events { // Blocks forever if the stream isn't closed.
	}
	for _, query := range []string{
		"", "?part=none", "?part=/ui/deployments/none", "?part=/ui/requests", "?part=//example.com/ui/deployments", "?part=/ui/workspaces/" + nobody + "/deployments",
		"?" + strings.Repeat("part="+other+"&", 101),
	} {
		p.Do(http.MethodGet, "/ui/events"+query, nil).Want(http.StatusNotFound)
	}
}

// TestEventsOfLists checks that a filtered list of deployments is updated with their revisions, creations and deletions, and a list of runs
// when runs are logged.
func TestEventsOfLists(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	path := "/ui/deployments?name_contains=chat"
	if text := read(p, path); !strings.Contains(text, `data-events-url="/ui/events" data-live-id="`+path+`"`) {
		t.Fatal("the list of deployments isn't live")
	}
	events, end := follow(t, p, "", path)
	defer end()
	wantEvent(t, events, "No deployment matches.")
	p.Create(devservertest.ImageRequest("other"))
	d := p.Create(devservertest.ImageRequest("chat"))
	wantEvent(t, events, ">chat</a>")
	p.Clock.Advance(2 * time.Minute)
	wantEvent(t, events, "DEPLOYED")
	p.Do(http.MethodDelete, "/v2/deployments/"+d.ID, nil).Want(http.StatusNoContent)
	p.Clock.Advance(10 * time.Minute)
	wantEvent(t, events, "No deployment matches.")
	end()
	for line := range events {
		if strings.Contains(line, ">other</a>") {
			t.Error("an event contains a deployment that doesn't match the filter")
		}
	}

	p, project := browsed(t)
	if text := read(p, project); strings.Contains(text, "data-events-url") || !strings.Contains(text, `<a href="`+project+`?live=on#runs">Follow new runs</a>`) {
		t.Error("the list of runs is live by default, or has no link to follow new runs")
	}
	path = project + "?live=on&status=error"
	if text := read(p, path); !strings.Contains(text, `data-live-id="`+path+`"`) || !strings.Contains(text, `<a href="`+project+`?status=error#runs">Stop following</a>`) {
		t.Error("the list of runs isn't live, or has no link to stop")
	}
	runs, end := follow(t, p, "", path)
	defer end()
	wantEvent(t, runs, ">fourth</a>")
	for name, failed := range map[string]any{"good": nil, "broken": "boom"} {
		p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"name": name, "error": failed})).Want(http.StatusAccepted)
	}
	wantEvent(t, runs, ">broken</a>")
	end()
	for line := range runs {
		if strings.Contains(line, ">good</a>") {
			t.Error("an event contains a run that doesn't match the filter")
		}
	}
}

// TestEventCursor checks that a client that reconnects with the last cursor gets only later changes.
func TestEventCursor(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	a, b := "/ui/deployments/"+p.Create(devservertest.ImageRequest("a")).ID, "/ui/deployments?name_contains=b"
	events, end := follow(t, p, "", a, b)
	cursor := ""
	for line := range events {
		if id, is := strings.CutPrefix(line, "id: "); is {
			if cursor = id; !strings.HasPrefix(cursor, ",") && !strings.HasSuffix(cursor, ",") {
				break // Both have been received.
			}
		}
	}
	end()
	p.Create(devservertest.ImageRequest("b"))
	again, end := follow(t, p, cursor, a, b)
	defer end()
	for line := range again {
		if strings.Contains(line, "event: "+a) {
			t.Error("an unchanged timeline is sent again")
		}
		if strings.Contains(line, ">b</a>") {
			break
		}
	}
	other, end := follow(t, p, "1,2,3,junk", a) // A cursor for other parts is ignored.
	defer end()
	wantEvent(t, other, "event: "+a)
}

// TestEventsShared checks that a workspace has at most its part of the streams, and that another one gets one all the same.
func TestEventsShared(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	const all = 200 // As documented.
	path := func(workspaceID string) string { return "/ui/workspaces/" + workspaceID + "/deployments" }
	refused := func(workspaceID string) {
		t.Helper()
		at := path(workspaceID)
		reply := p.Do(http.MethodGet, strings.Replace(at, "deployments", "events?part=", 1)+at, nil).Want(http.StatusServiceUnavailable)
		if reply.Header.Get("Retry-After") == "" || !strings.Contains(string(reply.Body), "Too many browsers") {
			t.Errorf("Retry-After = %q, want it, and the reason: %s", reply.Header.Get("Retry-After"), reply.Body)
		}
	}
	fill := func(workspaceID string) (oldest <-chan string) {
		t.Helper()
		for i := range all / 2 {
			lines, end := follow(t, p, "", path(workspaceID))
			t.Cleanup(end)
			if wantEvent(t, lines, "retry:"); i == 0 {
				oldest = lines
			}
		}
		refused(workspaceID)
		return oldest
	}
	oldestA, oldestB := fill(devservertest.WorkspaceA), fill(devservertest.WorkspaceB)
	lines, end := follow(t, p, "", path(nobody))
	defer end()
	wantEvent(t, lines, "There are no deployments")
	for oldestA != nil && oldestB != nil { // Blocks forever if neither is closed.
		select {
		case _, open := <-oldestA:
			if !open {
				oldestA = nil
			}
		case _, open := <-oldestB:
			if !open {
				oldestB = nil
			}
		}
	}
	refused(devservertest.WorkspaceA)
	refused(devservertest.WorkspaceB)
}

// TestEventsIsolated checks that streams that ask for the same with keys of different workspaces get what belongs to their workspace.
func TestEventsIsolated(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{
		{Value: "a", Workspaces: []string{devservertest.WorkspaceA}}, {Value: "b", Workspaces: []string{devservertest.WorkspaceB}},
	}})
	a, b := p.As("X-Api-Key", "a"), p.As("X-Api-Key", "b")
	const path = "/ui/deployments"
	ofA, endA := follow(t, a, "", path)
	defer endA()
	ofB, endB := follow(t, b, "", path)
	defer endB()
	wantEvent(t, ofA, "There are no deployments")
	wantEvent(t, ofB, "There are no deployments")
	a.Create(devservertest.ImageRequest("of-a"))
	wantEvent(t, ofA, ">of-a</a>")
	b.Create(devservertest.ImageRequest("of-b"))
	for line := range ofB {
		if strings.Contains(line, "of-a") {
			t.Fatal("a stream shows a deployment of another workspace")
		}
		if strings.Contains(line, ">of-b</a>") {
			break
		}
	}
	a.Do(http.MethodGet, "/ui/workspaces/"+devservertest.WorkspaceB+"/events?part=/ui/workspaces/"+devservertest.WorkspaceB+"/deployments", nil).
		Want(http.StatusForbidden)
}

// follow returns the lines of events for the given parts of pages, starting from a cursor unless it is empty.
func follow(t *testing.T, p *plane, cursor string, parts ...string) (lines <-chan string, end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	base, _, _ := strings.Cut(parts[0], "/deployments")
	base, _, _ = strings.Cut(base, "/projects")
	address := p.Web.URL + base + "/events?" + url.Values{"part": parts}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	devservertest.Must(t, err)
	request.Header = p.Header.Clone()
	if cursor != "" {
		request.Header.Set("Last-Event-ID", cursor)
	}
	response, err := p.Web.Client().Do(request) //nolint:bodyclose // Closed by the returned function.
	devservertest.Must(t, err)
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type = %q, want text/event-stream", got)
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
	t.Fatalf("the stream ended before it contained %s", text)
}
