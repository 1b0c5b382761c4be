package devserver_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// logRuns logs n single-run traces into a project, the first of which began at a time and the others a second later each.
func logRuns(t *testing.T, p *devservertest.Plane, project string, n int, began time.Time) (ids []string) {
	t.Helper()
	var posts []any
	for i := range n {
		at := began.Add(time.Duration(i) * time.Second).UTC()
		id := uuid.NewSHA1(uuid.Nil, fmt.Append(nil, project, i)).String()
		ids = append(ids, id)
		posts = append(posts, object{
			"id": id, "trace_id": id, "dotted_order": at.Format("20060102T150405000000Z") + id, "name": "call", "run_type": "llm", "session_name": project,
			"start_time": at.Format(time.RFC3339), "end_time": at.Add(time.Second).Format(time.RFC3339), "inputs": object{"q": "weather"}, "outputs": object{},
		})
		if len(posts) == 500 || i == n-1 {
			p.Do(http.MethodPost, "/runs/batch", object{"post": posts}).Want(http.StatusAccepted)
			posts = nil
		}
	}
	return ids
}

// TestDeletionGoesOn_unraced checks that a project with more runs than one transaction deletes disappears at once, that its runs are deleted in the
// background, and that a server started later goes on with it.
func TestDeletionGoesOn_unraced(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "plane.db")
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data}))
	ids := logRuns(t, p, "large", 2000, devservertest.Start)
	session := devservertest.Get[[]object](p, "/sessions?name=large")[0]["id"].(string)
	p.Do(http.MethodDelete, "/sessions/"+session, nil).Want(http.StatusAccepted)
	p.Do(http.MethodGet, "/sessions/"+session, nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/runs/"+ids[1999], nil).Want(http.StatusNotFound)
	p.Do(http.MethodPost, "/sessions", object{"name": "large"}).Want(http.StatusOK)
	p.Stop()

	p = devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data}))
	devservertest.Must(t, p.Maintain(t.Context()))
	// The ID is taken as long as anything of the project is left.
	p.Do(http.MethodPost, "/sessions", object{"name": "another", "id": session}).Want(http.StatusOK)
}

// TestRetention_unraced steps the clock over the ages at which traces are deleted. Whole traces go, when their root is too old. Datasets,
// examples and experiments stay.
func TestRetention_unraced(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	clock := devserver.NewManualClock(devservertest.Start)
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "plane.db"), Clock: clock, Retain: 30 * day}))
	for name, fields := range map[string]object{
		"plain": {}, "short": {"trace_tier": "shortlived"}, "long": {"trace_tier": "longlived"}, "week": {"trace_tier": "longlived", "longlived_ttl_days": 7},
	} {
		created := p.Do(http.MethodPost, "/sessions", devservertest.With(object{"name": name}, fields)).Want(http.StatusOK)
		devservertest.Same(t, "trace_tier of "+name, fields["trace_tier"], devservertest.Into[object](created)["trace_tier"])
	}
	dataset := devservertest.Into[object](p.Do(http.MethodPost, "/datasets", object{"name": "capitals"}).Want(http.StatusOK))["id"].(string)
	example := devservertest.Into[object](p.Do(http.MethodPost, "/examples", object{"dataset_id": dataset, "inputs": object{"country": "France"}}).Want(http.StatusOK))
	p.Do(http.MethodPost, "/sessions", object{"name": "experiment", "reference_dataset_id": dataset}).Want(http.StatusOK)
	ids := map[string]string{}
	for _, project := range []string{"plain", "short", "long", "week", "experiment"} {
		ids[project] = logRuns(t, p, project, 2, devservertest.Start)[0]
	}
	// A trace of 600 runs, of which the root is older than the others by a day, and one whose root has not arrived.
	start := devservertest.Start.Add(12 * time.Hour)
	tree := func(project string, root time.Time, child time.Time, children int, withRoot bool) {
		t.Helper()
		rootID := fmt.Sprintf("%08x-0000-4000-9000-%012x", root.Unix(), children)
		rootOrder := root.UTC().Format("20060102T150405000000Z") + rootID
		posts := []any{object{"id": rootID, "trace_id": rootID, "dotted_order": rootOrder, "name": "root", "run_type": "chain", "session_name": project, "start_time": root.Format(time.RFC3339)}}
		if !withRoot {
			posts = nil
		}
		for i := range children {
			id := fmt.Sprintf("%08x-0000-4000-a000-%012x", root.Unix(), children<<16+i)
			posts = append(posts, object{"id": id, "trace_id": rootID, "parent_run_id": rootID, "dotted_order": rootOrder + "." + child.UTC().Format("20060102T150405000000Z") + id,
				"name": "child", "run_type": "tool", "session_name": project, "start_time": child.Format(time.RFC3339)})
		}
		p.Do(http.MethodPost, "/runs/batch", object{"post": posts}).Want(http.StatusAccepted)
	}
	tree("tree", start, start.Add(day), 600, true)
	tree("orphans", start, start.Add(time.Hour), 3, false)
	count := func(project string) int {
		t.Helper()
		id := devservertest.Get[[]object](p, "/sessions?name="+project)[0]["id"]
		found, limit := 0, 100
		body := object{"session": []any{id}, "limit": limit}
		for {
			page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", body).Want(http.StatusOK))
			runs, _ := page["runs"].([]any)
			found += len(runs)
			next, _ := page["cursors"].(map[string]any)["next"].(string)
			if next == "" {
				return found
			}
			body["cursor"] = next
		}
	}
	for _, step := range []struct {
		after time.Duration
		want  map[string]int
	}{
		{0, map[string]int{"plain": 2, "short": 2, "long": 2, "week": 2, "tree": 601, "orphans": 3}},
		{7*day + time.Second, map[string]int{"plain": 2, "short": 2, "long": 2, "week": 1, "tree": 601, "orphans": 3}},
		{14*day + 2*time.Second, map[string]int{"plain": 2, "short": 0, "long": 2, "week": 0, "tree": 601, "orphans": 3}},
		{30*day + 2*time.Second, map[string]int{"plain": 0, "short": 0, "long": 2, "week": 0, "tree": 601, "orphans": 3}},
		{30*day + 12*time.Hour + time.Second, map[string]int{"plain": 0, "short": 0, "long": 2, "week": 0, "tree": 0, "orphans": 3}},
		{30*day + 13*time.Hour + time.Second, map[string]int{"plain": 0, "short": 0, "long": 2, "week": 0, "tree": 0, "orphans": 0}},
		{400*day + 2*time.Second, map[string]int{"plain": 0, "short": 0, "long": 0, "week": 0, "tree": 0, "orphans": 0}},
	} {
		clock.Advance(devservertest.Start.Add(step.after).Sub(clock.Now()))
		devservertest.Must(t, p.Maintain(t.Context()))
		got := map[string]int{}
		for project := range step.want {
			got[project] = count(project)
		}
		devservertest.Same(t, "runs after "+step.after.String(), step.want, got)
	}
	p.Do(http.MethodGet, "/runs/"+ids["plain"], nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/runs/"+ids["experiment"], nil).Want(http.StatusNotFound)
	kept := devservertest.Get[object](p, "/examples/"+example["id"].(string))
	devservertest.Same(t, "example", example, kept)
	if of := devservertest.Get[object](p, "/datasets/"+dataset); of["session_count"] != 1.0 || of["example_count"] != 1.0 {
		t.Errorf("dataset = %v, want its experiment and its example", of)
	}
	for field, value := range map[string]any{"trace_tier": "forever", "longlived_ttl_days": 0} {
		p.Do(http.MethodPost, "/sessions", object{"name": "wrong", field: value}).Want(http.StatusUnprocessableEntity)
	}
}

// TestMaxBytes fills a workspace up to its limit: more runs are refused in each form in which clients send them, with a status after which they
// don't send them again. Another workspace isn't affected, and deleting gives room.
func TestMaxBytes(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Data: filepath.Join(t.TempDir(), "plane.db"), MaxBytes: 1 << 20})
	batches := 0
	post := func() object {
		id := uuid.NewString()
		at := devservertest.Start.UTC()
		return object{"id": id, "trace_id": id, "dotted_order": at.Format("20060102T150405000000Z") + id, "name": "call", "run_type": "llm",
			"session_name": "full", "start_time": at.Format(time.RFC3339), "inputs": object{"q": id}}
	}
	for status := http.StatusAccepted; status == http.StatusAccepted && batches < 100; batches++ {
		var posts []any
		for range 100 {
			posts = append(posts, post())
		}
		reply := p.Do(http.MethodPost, "/runs/batch", object{"post": posts})
		if status = reply.Status; status != http.StatusAccepted {
			reply.Want(http.StatusForbidden)
			if text := string(reply.Body); !strings.Contains(text, "-max-bytes") {
				t.Errorf("the answer is %s, want it to name the limit", text)
			}
		}
	}
	// A run without contents takes about 1 KiB.
	if batches < 5 || batches > 20 {
		t.Errorf("%d batches of 100 runs, want about 10 in 1 MiB", batches)
	}
	p.Do(http.MethodPost, "/runs", post()).Want(http.StatusForbidden)
	p.Do(http.MethodPatch, "/runs/"+uuid.NewString(), object{"end_time": "2026-05-02T10:00:01Z"}).Want(http.StatusForbidden)
	p.Do(http.MethodPost, "/otel/v1/traces", object{"resourceSpans": []any{}}).Want(http.StatusForbidden)
	p.Do(http.MethodPost, "/runs/multipart", object{}).Want(http.StatusForbidden)
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodPost, "/runs", post()).Want(http.StatusAccepted)

	session := devservertest.Get[[]object](p, "/sessions?name=full")[0]["id"].(string)
	p.Do(http.MethodDelete, "/sessions/"+session, nil).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/runs", post()).Want(http.StatusAccepted)
}
