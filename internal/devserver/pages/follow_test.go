package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// followed asks for a page as an open one does that keeps itself up to date.
func followed(p *plane, path, tag string) devservertest.Reply {
	p.T.Helper()
	return p.As("X-Follow", "follow", "If-None-Match", tag).Do(http.MethodGet, path, nil)
}

// isLive reports whether a page keeps itself up to date.
func isLive(page string) bool { return strings.Contains(page, `data-live="live"`) }

// TestFollow checks that a page that shows stored data is sent again only after a change, with what has changed and what its filter matches.
func TestFollow(t *testing.T) {
	t.Parallel()
	p, project := browsed(t)
	root := devservertest.RootRun(object{"name": "agent"})
	delete(root, "end_time")
	p.Do(http.MethodPost, "/runs", root).Want(http.StatusAccepted)
	trace := "/ui/traces/" + root["id"].(string)
	for path, change := range map[string]struct {
		make         func(name string)
		matches, not string
	}{
		"/ui/deployments?name_contains=chat": {func(name string) { p.Create(devservertest.ImageRequest(name)) }, "chat-b", "other"},
		project + "?live=on&status=error": {func(name string) {
			p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"name": name, "error": map[string]any{"broken": "boom"}[name]})).Want(http.StatusAccepted)
		}, "broken", "good"},
		trace: {func(name string) {
			p.Do(http.MethodPost, "/runs", devservertest.ChildRun(root, object{"name": name, "end_time": "2026-05-02T10:00:04Z"})).Want(http.StatusAccepted)
		}, "step", "nothing else"},
	} {
		page := followed(p, path, "").Want(http.StatusOK)
		if !isLive(string(page.Body)) {
			t.Errorf("%s isn't live", path)
		}
		for began := time.Now(); page.Status != http.StatusNotModified; { // What happens in the background is stored, too.
			if time.Since(began) > time.Minute {
				t.Fatalf("%s is sent again without a change: status %d", path, page.Status)
			}
			page = followed(p, path, page.Header.Get("ETag"))
		}
		if len(page.Body) > 0 {
			t.Errorf("%s: %d bytes without a change, want none", path, len(page.Body))
		}
		for _, name := range []string{change.matches, change.not} {
			if name != "nothing else" {
				change.make(name)
			}
		}
		text := string(followed(p, path, page.Header.Get("ETag")).Want(http.StatusOK).Body)
		if !strings.Contains(text, ">"+change.matches+"</a>") || strings.Contains(text, ">"+change.not+"</a>") {
			t.Errorf("%s: after the change, want %s and not %s in %s", path, change.matches, change.not, text)
		}
	}
	if text := read(p, project); isLive(text) || !strings.Contains(text, `<a href="`+project+`?live=on#runs">Follow new runs</a>`) {
		t.Error("the list of runs is live by default, or has no link to follow new runs")
	}
	if text := string(followed(p, project+"?live=on", "").Body); strings.Contains(text, "<svg class=\"chart\"") || !strings.Contains(text, "Stop following") {
		t.Error("a list that is followed is sent with charts, or has no link to stop")
	}
	p.Do(http.MethodPatch, "/runs/"+root["id"].(string), object{"trace_id": root["id"], "dotted_order": root["dotted_order"], "end_time": "2026-05-02T10:00:05Z"}).Want(http.StatusAccepted)
	if text := string(followed(p, trace, "").Body); !strings.Contains(text, "step") || isLive(text) {
		t.Error("the trace is live after its last run has ended")
	}
}

// TestFollowRollout checks that the pages of a rollout follow it to its end: they change with the time alone, so they are always sent. The list
// of deployments is sent for each new state.
func TestFollowRollout(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	deployment := "/ui/deployments/" + p.Create(devservertest.ImageRequest("chat")).ID
	revision := deployment + "/revisions/" + devservertest.Get[object](p, strings.Replace(deployment, "/ui", "/v2", 1))["latest_revision_id"].(string)
	tag := ""
	for _, state := range []struct {
		name string
		live bool
	}{{"QUEUED", true}, {"DEPLOYING", true}, {"DEPLOYED", false}} {
		list := followed(p, "/ui/deployments", tag).Want(http.StatusOK)
		if tag = list.Header.Get("ETag"); !strings.Contains(string(list.Body), state.name) {
			t.Errorf("the list of deployments lacks %s", state.name)
		}
		followed(p, "/ui/deployments", tag).Want(http.StatusNotModified)
		for _, path := range []string{deployment, revision} {
			reply := followed(p, path, "").Want(http.StatusOK)
			if text := string(reply.Body); !strings.Contains(text, state.name) || isLive(text) != state.live || reply.Header.Get("ETag") != "" {
				t.Errorf("%s: live %v, ETag %q, want %s, live %v, and no tag", path, isLive(text), reply.Header.Get("ETag"), state.name, state.live)
			}
		}
		p.Clock.Advance(30 * time.Second)
	}
	p.Do(http.MethodDelete, strings.Replace(deployment, "/ui", "/v2", 1), nil).Want(http.StatusNoContent)
	if text := string(followed(p, deployment, "").Want(http.StatusOK).Body); !isLive(text) || !strings.Contains(text, "AWAITING_DELETE") {
		t.Error("the page isn't live while the deployment is deleted")
	}
	p.Clock.Advance(10 * time.Minute)
	followed(p, deployment, "").Want(http.StatusNotFound)
}
