package run

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// countedReader counts the rows that are read.
type countedReader struct {
	*store.Tx
	rows int
}

func counted[T any](c *countedReader, visit func(T) error) func(T) error {
	return func(row T) error { c.rows++; return visit(row) }
}

func (c *countedReader) EachTiming(f store.RunFilter, by store.RunGroup, visit func(store.RunTiming) error) error {
	return c.Tx.EachTiming(f, by, counted(c, visit))
}

func (c *countedReader) EachTimingOfTraces(traces, f store.RunFilter, by store.RunGroup, visit func(store.RunTiming) error) error {
	return c.Tx.EachTimingOfTraces(traces, f, by, counted(c, visit))
}

func (c *countedReader) EachFiguresOfTraces(f store.RunFilter, whole bool, visit func(store.RunFigures) error) error {
	return c.Tx.EachFiguresOfTraces(f, whole, counted(c, visit))
}

func (c *countedReader) EachRollup(of store.RollupRange, scope store.RollupScope, visit func(store.Rollup) error) error {
	return c.Tx.EachRollup(of, scope, counted(c, visit))
}

// saveTraces stores traces of random runs in projects a and b, without the way through the API.
func saveTraces(t *testing.T, db store.Store, random *rand.Rand, days, traces int) {
	t.Helper()
	err := db.Do(t.Context(), func(tx *store.Tx) error {
		ids := map[string]string{"a": uuid.NewString(), "b": uuid.NewString(), "c": uuid.NewString()}
		for name, id := range ids {
			if err := tx.EnsureProject(store.Project{ID: id, WorkspaceID: rest.DefaultWorkspaceID, Name: name}); err != nil {
				return err
			}
		}
		for range traces {
			for _, one := range newTrace(random, rollupBegin.Add(time.Duration(random.Int64N(int64(days*24)))*time.Hour), 6) {
				row := store.Run{
					WorkspaceID: rest.DefaultWorkspaceID, ID: one.id, ProjectID: ids["a"], TraceID: one.trace, DottedOrder: &one.order, Name: "n",
					RunType: one.kind, Status: "success", StartTime: one.start, Figures: "{}", ReceivedAt: one.start,
					EndTime: new(one.start.Add(time.Duration(1+random.Int64N(60_000_000)) * time.Microsecond)),
				}
				if one.parent != "" {
					row.ParentRunID = &one.parent
				}
				if one.kind == "llm" {
					row.PromptTokens, row.CompletionTokens = random.Int64N(5000), random.Int64N(500)
					row.TotalTokens = row.PromptTokens + row.CompletionTokens
					row.FirstTokenTime = new(one.start.Add(time.Duration(random.Int64N(5_000_000)) * time.Microsecond))
					row.Figures = `{"prompt_token_details":{"cache_read":` + strconv.Itoa(random.IntN(100)) + `}}`
					if random.IntN(5) > 0 {
						row.TotalCost = new(fmt.Sprintf("0.%09d", random.IntN(1e8)))
					}
				}
				if random.IntN(10) == 0 {
					row.Error = new("boom")
				}
				if err := tx.SaveRun(row, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFiguresOfManyRuns_unraced compares the figures of 30,000 runs with those that the test computes from all of them, before and after rolling
// up. It counts the rows read for a month.
func TestFiguresOfManyRuns_unraced(t *testing.T) {
	t.Parallel()
	const days = 30
	db, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	random := rand.New(rand.NewPCG(5, 5))
	saveTraces(t, db, random, days, 5000)
	compareFigures(t, db, random, "before", 5, days, 0.01)
	rollAll(t, db)
	compareFigures(t, db, random, "rolled up", 30, days, 0.01)
	err = db.Read(t.Context(), func(tx *store.Tx) error {
		project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, "a")
		if err != nil {
			return err
		}
		for _, f := range []store.RunFilter{{}, {Root: new(true)}, {RunType: "llm"}} {
			for _, shift := range []time.Duration{0, 15 * time.Minute, 61 * time.Second} {
				f.WorkspaceID, f.ProjectIDs = rest.DefaultWorkspaceID, []string{project.ID}
				f.From, f.To = new(rollupBegin.Add(shift)), new(rollupBegin.Add(30*24*time.Hour-shift))
				reader := countedReader{Tx: tx}
				all, err := figure.InOne(&reader, f, true)
				if err != nil {
					return err
				}
				if got, want := all.Summary().Approximate, all.Runs > limits.ExactPercentiles; got != want {
					t.Errorf("percentiles of %d runs are approximate: %v, want %v", all.Runs, got, want)
				}
				if reader.rows > 2000 {
					t.Errorf("%d rows were read for a month from %s, want at most 2000", reader.rows, f.From)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
