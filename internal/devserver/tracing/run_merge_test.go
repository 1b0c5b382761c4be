package tracing_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// operation is a post or a patch.
type operation struct {
	kind string
	run  object
}

// permutations returns all permutations of a few values.
func permutations[T any](of []T) [][]T {
	if len(of) <= 1 {
		return [][]T{slices.Clone(of)}
	}
	var all [][]T
	for i := range of {
		rest := slices.Concat(of[:i], of[i+1:])
		for _, tail := range permutations(rest) {
			all = append(all, append([]T{of[i]}, tail...))
		}
	}
	return all
}

// TestMergeInAnyOrder checks that a post and a patch result in the same run in any order, in one request or in two, in any encoding,
// and if they are repeated.
func TestMergeInAnyOrder(t *testing.T) {
	t.Parallel()
	post := operation{"post", devservertest.RootRun(object{
		"id": runA, "trace_id": runA, "dotted_order": orderOf(runA), "run_type": "llm",
		"inputs": object{"messages": []any{object{"role": "user", "content": "hi"}}}, "tags": []any{"first"},
		"extra": object{"runtime": object{"sdk": "one"}, "metadata": object{"ls_model_name": "example", "ls_temperature": 0.5}},
	})}
	patch := operation{"patch", object{
		"id": runA, "trace_id": runA, "dotted_order": orderOf(runA), "name": nil, "inputs": nil, "tags": nil, "session_id": nil,
		"session_name": "agents", "end_time": 1777716001500, "outputs": object{"usage_metadata": object{"input_tokens": 3, "output_tokens": 4}},
		"events": []any{object{"name": "new_token", "time": "2026-05-02T10:00:00.25Z"}},
		"extra":  object{"metadata": object{"ls_temperature": 0.7, "revision": "b"}},
	}}
	send := map[string]func(*plane, []operation){
		"alone": func(p *plane, ops []operation) {
			for _, op := range ops {
				method, path := http.MethodPost, "/runs"
				if op.kind == "patch" {
					method, path = http.MethodPatch, "/runs/"+runA
				}
				p.Do(method, path, op.run).Want(http.StatusAccepted)
			}
		},
		"batches": func(p *plane, ops []operation) {
			for _, op := range ops {
				p.Do(http.MethodPost, "/runs/batch", object{op.kind: []any{op.run}}).Want(http.StatusAccepted)
			}
		},
		"together": func(p *plane, ops []operation) {
			u := devservertest.NewUpload(p.T)
			for _, op := range ops {
				u.Add(op.kind, op.run)
			}
			u.Send(p).Want(http.StatusAccepted)
		},
	}
	var first object
	server, workspaces := devservertest.New(t, devserver.Config{}), 0
	for name, way := range send {
		for i, ops := range permutations([]operation{post, patch, patch}) {
			workspaces++
			p := server.As("X-Tenant-Id", fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", workspaces))
			way(p, ops)
			if name == "together" {
				way(p, ops)
			}
			run := devservertest.Get[object](p, "/runs/"+runA)
			for _, own := range []string{"session_id", "app_path"} {
				delete(run, own) // Each workspace has its own.
			}
			if first == nil {
				first = run
			}
			devservertest.Same(t, fmt.Sprintf("%s, permutation %d", name, i), first, run)
		}
	}
	want := object{
		"name": "chat", "run_type": "llm", "status": "success", "start_time": "2026-05-02T10:00:00.000000",
		"end_time": "2026-05-02T10:00:01.500000", "first_token_time": "2026-05-02T10:00:00.250000", "prompt_tokens": 3.0,
		"completion_tokens": 4.0, "total_tokens": 7.0, "tags": []any{"first"},
		"inputs": object{"messages": []any{object{"role": "user", "content": "hi"}}},
		"extra": object{
			"runtime":  object{"sdk": "one"},
			"metadata": object{"ls_model_name": "example", "ls_temperature": 0.7, "revision": "b"},
		},
	}
	for key, value := range want {
		devservertest.Same(t, key, value, first[key])
	}
}

// TestPlaces logs runs without their place in the trace, and children before their parents.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	const parent, child, grandchild = runA, runB, "cccccccc-3333-4000-8000-000000000000"
	// IDs may lack hyphens.
	bare := func(id string) string { return strings.ReplaceAll(id, "-", "") }
	p.Do(http.MethodPost, "/runs", object{"id": grandchild, "parent_run_id": child, "name": "g", "start_time": 1777716003}).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/runs", object{"id": bare(child), "parent_run_id": parent, "name": "c", "start_time": "2026-05-02T10:00:02"}).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/runs", object{"id": bare(parent), "name": "p", "start_time": 1777716001000}).Want(http.StatusAccepted)
	order := "20260502T100001000000Z" + parent
	for _, run := range []struct{ id, order string }{
		{parent, order},
		{child, order + ".20260502T100002000000Z" + child},
		{grandchild, order + ".20260502T100002000000Z" + child + ".20260502T100003000000Z" + grandchild},
	} {
		got := devservertest.Get[object](p, "/runs/"+run.id)
		if got["dotted_order"] != run.order || got["trace_id"] != parent {
			t.Errorf("run %s: order %v in trace %v, want %s in %s", run.id, got["dotted_order"], got["trace_id"], run.order, parent)
		}
	}
	// Correcting the start later doesn't move the run.
	p.Do(http.MethodPatch, "/runs/"+parent, object{"start_time": "2026-05-02T10:00:00.5Z"}).Want(http.StatusAccepted)
	got := devservertest.Get[object](p, "/runs/"+parent)
	if got["dotted_order"] != order || got["start_time"] != "2026-05-02T10:00:00.500000" {
		t.Errorf("after correcting the start: order %v, start %v; want the old order and the new start", got["dotted_order"], got["start_time"])
	}
}

// TestTraceDepth_unraced checks that a run too deep in its trace is refused, and that one that waits for its parent keeps waiting.
func TestTraceDepth_unraced(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	chain := func(parent string, n int) (runs []any, last string) {
		for range n {
			id := uuid.NewString()
			run := object{"id": id, "name": "chat", "start_time": "2026-05-02T10:00:00Z"}
			if parent != "" {
				run["parent_run_id"] = parent
			}
			runs, parent = append(runs, run), id
		}
		return runs, parent
	}
	deepest, last := chain("", 500)
	p.Do(http.MethodPost, "/runs/batch", object{"post": deepest}).Want(http.StatusAccepted)
	below, _ := chain(last, 1)
	refused := p.Do(http.MethodPost, "/runs/batch", object{"post": below}).Want(http.StatusUnprocessableEntity)
	if want := "the run is more than 500 runs deep in its trace"; !strings.Contains(string(refused.Body), want) {
		t.Errorf("error %s doesn't contain %q", refused.Body, want)
	}

	late, last := chain("", 500)
	waiting, _ := chain(last, 2)
	p.Do(http.MethodPost, "/runs/batch", object{"post": append(slices.Clone(late[1:]), waiting...)}).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/runs/batch", object{"post": late[:1]}).Want(http.StatusAccepted)
	root := late[0].(object)["id"]
	for _, run := range []any{late[499], waiting[0], waiting[1]} {
		got := devservertest.Get[object](p, "/runs/"+run.(object)["id"].(string))
		placed := run.(object)["id"] == last
		if (got["trace_id"] == root) != placed {
			t.Errorf("trace = %v, want it in the trace of the root: %v", got["trace_id"], placed)
		}
	}
}

// TestGenerated checks the values that the service generates.
func TestGenerated(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	// Without a start time, that in the dotted order is used; without either, the current time.
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{
		object{"id": runA, "trace_id": runA, "dotted_order": orderOf(runA)}, object{"id": runB},
	}}).Want(http.StatusAccepted)
	p.Clock.Advance(1e9)
	p.Do(http.MethodPatch, "/runs/"+runB, object{"tags": []any{"later"}}).Want(http.StatusAccepted)
	for _, id := range []string{runA, runB} {
		got := devservertest.Get[object](p, "/runs/"+id)
		want := object{"start_time": "2026-05-02T10:00:00.000000", "run_type": "chain", "name": "chain", "dotted_order": orderOf(id), "status": "pending"}
		for key, value := range want {
			devservertest.Same(t, fmt.Sprintf("run %s: %s", id, key), value, got[key])
		}
	}
	projects := devservertest.Get[[]object](p, "/sessions?name=default")
	if len(projects) != 1 || projects[0]["id"] != devservertest.Get[object](p, "/runs/"+runA)["session_id"] {
		t.Errorf("projects named default = %v, want one with the run", projects)
	}
}

// TestRunBelowItself checks that a run can't become a descendant of itself.
func TestRunBelowItself(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	first, second := devservertest.RootRun(), object{"id": runA, "name": "b", "run_type": "chain", "start_time": "2026-05-02T10:00:01Z"}
	first["trace_id"], first["dotted_order"] = nil, nil
	second["parent_run_id"] = first["id"]
	p.Do(http.MethodPost, "/runs", first).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/runs", second).Want(http.StatusAccepted)
	path := "/runs/" + first["id"].(string)
	want := devservertest.Get[object](p, path)
	for _, parent := range []any{runA, first["id"]} {
		p.Do(http.MethodPatch, path, object{"parent_run_id": parent}).Want(http.StatusBadRequest)
	}
	devservertest.Same(t, "", want, devservertest.Get[object](p, path))
}
