package run

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// TestRememberedFigures_unraced logs runs in random order, moves, corrects and ends them, and reads the charts meanwhile: cached
// figures must always equal computed ones.
func TestRememberedFigures_unraced(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	now := begin.Add(30 * time.Minute)
	db, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	service := New(db, func() time.Time { return now }, limits.NewMemory(limits.BodiesTogether))
	random := rand.New(rand.NewPCG(1, 2)) // The same in every test run.
	type trace struct{ root, child string }
	var traces []trace
	log := func(kind string, run map[string]any) {
		body, err := json.Marshal(map[string]any{kind: []any{run}})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/runs/batch", strings.NewReader(string(body)))
		if _, err := service.ingestBatch(r, rest.DefaultWorkspaceID); err != nil {
			t.Fatal(err)
		}
	}
	at := func() string { return begin.Add(time.Duration(random.IntN(3600)) * time.Second).Format(time.RFC3339) }
	for range 400 {
		if len(traces) == 0 || random.IntN(3) == 0 {
			traces = append(traces, trace{uuid.NewString(), uuid.NewString()})
		}
		one := traces[random.IntN(len(traces))]
		order := "20260502T100000000000Z" + one.root
		root := map[string]any{"id": one.root, "trace_id": one.root, "dotted_order": order, "session_name": []string{"a", "b"}[random.IntN(2)]}
		child := map[string]any{"id": one.child, "trace_id": one.root, "parent_run_id": one.root, "session_name": "a", "run_type": "llm",
			"dotted_order": order + ".20260502T100000000000Z" + one.child}
		switch random.IntN(5) {
		case 0:
			root["start_time"] = at()
			log("post", root)
		case 1:
			root["end_time"] = begin.Add(2 * time.Hour).Format(time.RFC3339)
			log("patch", root)
		case 2:
			root["error"] = "boom"
			log("patch", root)
		case 3:
			child["outputs"] = map[string]any{"usage_metadata": map[string]any{"input_tokens": random.IntN(100), "total_cost": fmt.Sprint("0.", random.IntN(100)+1)}}
			log("post", child)
		case 4:
			child["events"] = []any{map[string]any{"name": "new_token", "time": at()}}
			log("patch", child)
		}
		err := db.Do(t.Context(), func(tx *store.Tx) error {
			for _, name := range []string{"a", "b"} {
				project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, name)
				if err != nil {
					continue // Nothing has been logged to it yet.
				}
				for _, step := range []time.Duration{time.Hour, 5 * time.Minute} {
					to := now.Truncate(step).Add(step)
					from := to.Add(-24 * step)
					_, got, err := service.Charts.Summaries(tx, rest.DefaultWorkspaceID, project.ID, from, to, step)
					if err != nil {
						return err
					}
					_, want, err := new(figure.Charts).Summaries(tx, rest.DefaultWorkspaceID, project.ID, from, to, step)
					if err != nil {
						return err
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%s, steps of %s (-computed +cached):\n%s", name, step, diff)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if service.Charts.Unviewed() {
		t.Error("the cache is empty, so nothing was tested")
	}
}

// TestFiguresOfSnapshots checks that runs logged while figures are computed without them are in the next figures.
func TestFiguresOfSnapshots(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 2, 10, 30, 0, 0, time.UTC)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "plane.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	service := New(db, func() time.Time { return now }, limits.NewMemory(limits.BodiesTogether))
	logged := 0
	log := func() {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/runs", strings.NewReader(
			`{"name": "a", "run_type": "chain", "inputs": {}, "session_name": "agents", "start_time": "2026-05-02T10:00:00Z"}`))
		if _, err := service.ingestRun(r, rest.DefaultWorkspaceID); err != nil {
			t.Fatal(err)
		}
		logged++
	}
	figures := func(before, after func()) (runs int) {
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			before()
			defer after()
			project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, "agents")
			if err != nil {
				return err
			}
			all, _, err := service.Charts.Summaries(tx, rest.DefaultWorkspaceID, project.ID, now.Add(-time.Hour), now.Add(time.Hour), time.Hour)
			runs = all.Runs
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}
	nothing := func() {}
	log()
	for range 3 { // First with an empty cache, then with a filled one.
		if runs := figures(log, nothing); runs != logged-1 && runs != logged {
			t.Fatalf("figures of %d runs, want %d, with or without the one logged meanwhile", runs, logged)
		}
		if runs := figures(nothing, log); runs != logged-1 {
			t.Fatalf("figures of %d runs, want one less than %d, because one is logged afterwards", runs, logged)
		}
		if runs := figures(nothing, nothing); runs != logged {
			t.Fatalf("figures of %d runs, want %d", runs, logged)
		}
	}
}
