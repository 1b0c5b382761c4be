package figure

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

const workspace = "w"

// largeTrace returns a random trace from which figures are kept. Some runs have no place yet; some are below runs that don't exist, or name
// another time of those above them.
func largeTrace(random *rand.Rand, project string) []store.Run {
	begin := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	all := make([]store.Run, 0, keptRuns+50)
	for range cap(all) {
		run := store.Run{
			WorkspaceID: workspace, ID: uuid.NewString(), ProjectID: project, Name: "run", RunType: "chain", Status: "success",
			StartTime: begin.Add(time.Duration(random.IntN(1000)) * time.Millisecond), Figures: None, ReceivedAt: begin,
		}
		order := "20260502T100000000000Z" + run.ID
		if run.TraceID = run.ID; len(all) > 0 {
			up := all[random.IntN(len(all))]
			run.TraceID, run.ParentRunID = all[0].ID, &up.ID
			switch place := random.IntN(20); {
			case place == 0 || up.DottedOrder == nil:
				run.DottedOrder = nil
			case place == 1:
				run.ParentRunID = new(uuid.NewString())
				run.DottedOrder = new(*up.DottedOrder + ".20260502T100000000000Z" + *run.ParentRunID + "." + order)
			case place == 2:
				run.DottedOrder = new(strings.ReplaceAll(*up.DottedOrder, "T1000", "T1001") + "." + order)
			default:
				run.DottedOrder = new(*up.DottedOrder + "." + order)
			}
		} else {
			run.DottedOrder = &order
		}
		spend(random, &run)
		all = append(all, run)
	}
	return all
}

// spend gives a run random figures.
func spend(random *rand.Rand, run *store.Run) {
	if random.IntN(2) == 0 {
		return
	}
	run.RunType, run.PromptTokens, run.TotalTokens = "llm", random.Int64N(50), random.Int64N(100)
	run.Figures = fmt.Sprintf(`{"prompt_token_details":{"cache_read":%d},"model":"model-%d"}`, random.IntN(9), random.IntN(4))
	if random.IntN(3) > 0 {
		run.TotalCost = new(fmt.Sprintf("0.%03d", random.IntN(1000)))
	}
	run.FirstTokenTime = new(run.StartTime.Add(time.Duration(random.IntN(5000)) * time.Millisecond))
}

// figuresBelow computes the figures of each run from all runs that name it as one of those above them.
func figuresBelow(t *testing.T, rows []store.Run) map[string]Subtree {
	t.Helper()
	all := map[string]Subtree{}
	ordered := slices.SortedStableFunc(slices.Values(rows), func(a, b store.Run) int {
		return strings.Compare(figuresOfRow(a).Place(), figuresOfRow(b).Place())
	})
	for _, above := range rows {
		var sum Subtree
		for _, run := range ordered {
			if !run.IsBelow(above.ID) {
				continue
			}
			own, err := Own(run)
			assert.Must(t, err)
			if run.ID == above.ID {
				sum.Own = own
			}
			sum.Totals, sum.Runs = sum.Totals.Add(own), sum.Runs+1
			var stored struct{ Model string }
			assert.Must(t, json.Unmarshal([]byte(run.Figures), &stored))
			if stored.Model != "" && !slices.Contains(sum.Models, stored.Model) {
				sum.Models = append(sum.Models, stored.Model)
			}
		}
		all[above.ID] = sum
	}
	return all
}

// TestTraceWhileItChanges compares the figures of a large trace with those of a simple computation, while it, another one and nothing
// changes.
func TestTraceWhileItChanges(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "")
	assert.Must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	random := rand.New(rand.NewPCG(3, 3))
	stored := append(largeTrace(random, "p"), largeTrace(random, "p")...)
	save := func(runs ...store.Run) {
		t.Helper()
		assert.Must(t, db.Do(t.Context(), func(tx *store.Tx) error {
			for _, run := range runs {
				if before, err := tx.Run(workspace, run.ID); err == nil {
					run.Seq = before.Seq
				}
				if err := tx.SaveRun(run, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	assert.Must(t, db.Do(t.Context(), func(tx *store.Tx) error {
		return tx.EnsureProject(store.Project{ID: "p", WorkspaceID: workspace, Name: "p"})
	}))
	save(stored...)
	traceID := stored[0].TraceID
	for step := range 9 {
		rows := slices.DeleteFunc(slices.Clone(stored), func(run store.Run) bool { return run.TraceID != traceID })
		want := figuresBelow(t, rows)
		for range 2 {
			compareTrace(t, db, rows, want, random.IntN(2) == 0)
		}
		changed := random.IntN(len(stored))
		if step%3 == 0 {
			changed = random.IntN(len(rows))
		}
		spend(random, &stored[changed])
		save(stored[changed])
	}
}

// compareTrace compares what is read of a trace; the pages of lists may come first.
func compareTrace(t *testing.T, db *store.Store, rows []store.Run, want map[string]Subtree, listFirst bool) {
	t.Helper()
	assert.Must(t, db.Read(t.Context(), func(tx *store.Tx) error {
		list := func() error {
			below, err := Summarize(tx, workspace, rows)
			assert.Same(t, "figures of a list", want, below, cmpopts.EquateEmpty())
			return err
		}
		if listFirst {
			if err := list(); err != nil {
				return err
			}
		}
		trace, err := ReadTrace(tx, workspace, rows[0].TraceID)
		if err != nil {
			return err
		}
		assert.Same(t, "figures", want, trace.Of, cmpopts.EquateEmpty())
		if len(trace.Runs) != len(rows) {
			t.Errorf("%d runs, want %d", len(trace.Runs), len(rows))
		}
		return list()
	}))
}
