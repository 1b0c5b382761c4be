package run

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
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

func (c *countedReader) EachRollup(within store.RollupRange, of store.RollupsOf, visit func(store.Rollup) error) error {
	return c.Tx.EachRollup(within, of, counted(c, visit))
}

// saveTraces stores traces of random runs in projects a and b, without the way through the API.
func saveTraces(t *testing.T, db *store.Store, random *rand.Rand, days, traces int) {
	t.Helper()
	must(t, db.Do(t.Context(), func(tx *store.Tx) error {
		ids := map[string]string{"a": uuid.NewString(), "b": uuid.NewString(), "c": uuid.NewString()}
		for name, id := range ids {
			if err := tx.EnsureProject(store.Project{ID: id, WorkspaceID: rest.DefaultWorkspaceID, Name: name}); err != nil {
				return err
			}
		}
		for range traces {
			for _, one := range newTrace(random, rollupBegin.Add(time.Duration(random.Int64N(int64(days*24)))*time.Hour), 6) {
				row := store.Run{
					WorkspaceID: rest.DefaultWorkspaceID, ID: one.id, ProjectID: ids["a"], TraceID: one.trace, DottedOrder: &one.order, Name: one.name,
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
					row.Error, row.Status = new("boom"), "error"
				}
				var labels []store.Label
				if one.model != "" {
					labels = append(labels, store.Label{Kind: store.Metadata, Key: "ls_model_name", Value: one.model})
				}
				if err := tx.SaveRun(row, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, labels); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// TestFiguresOfManyRuns_unraced compares the figures of 12,000 runs with those that the test computes from all of them, before and after rolling
// up. It counts the rows read for a month.
func TestFiguresOfManyRuns_unraced(t *testing.T) {
	t.Parallel()
	const days = 30
	db, err := store.Open(t.Context(), postgrestest.New(t, store.Open))
	must(t, err)
	defer func() { _ = db.Close() }()
	random := rand.New(rand.NewPCG(5, 5))
	saveTraces(t, db, random, days, 2000)
	compareFigures(t, db, random, "before", 2, days, 0.01)
	rollAll(t, db)
	compareFigures(t, db, random, "rolled up", 12, days, 0.01)
	err = db.Read(t.Context(), func(tx *store.Tx) error {
		project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, "a")
		if err != nil {
			return err
		}
		countRows(t, tx, project.ID)
		return nil
	})
	must(t, err)
}

// countRows counts the rows that are read for a month: in one step, and in steps of days in other time zones.
func countRows(t *testing.T, tx *store.Tx, projectID string) {
	t.Helper()
	byName := store.RunGroup{Column: store.ByName}
	unpriced := store.RunFilter{Subtrees: true}
	unpriced.Where, _ = filter.Parse(`and(in(run_type, ["llm", "embedding"]), eq(total_cost, null))`)
	for _, tc := range []struct {
		what   string
		filter store.RunFilter
		by     store.RunGroup
		most   int // Rows.
	}{
		{what: "all"}, {what: "roots", filter: store.RunFilter{Root: new(true)}}, {what: "a type", filter: store.RunFilter{RunType: "llm"}},
		{what: "failed", filter: store.RunFilter{Failed: new(true)}}, {what: "failed roots", filter: store.RunFilter{Failed: new(true), Root: new(true)}},
		{what: "a name", filter: store.RunFilter{Where: filter.Compare{Op: filter.Equal, Field: filter.Name, Value: filter.Value{Text: new("plan")}}}},
		{what: "without a cost", filter: unpriced},
		{what: "by name", by: byName, most: 2000 * len(testNames)},
		{what: "tools by name", filter: store.RunFilter{RunType: "tool"}, by: byName, most: 2000 * len(testNames)},
		{what: "below a root by name", filter: store.RunFilter{BelowRoot: true}, by: byName, most: 2000 * len(testNames)},
	} {
		for _, shift := range []time.Duration{0, 61 * time.Second, -330 * time.Minute} {
			f, whole := tc.filter, rollupBegin.Truncate(24*time.Hour)
			f.WorkspaceID, f.ProjectIDs = rest.DefaultWorkspaceID, []string{projectID}
			f.From, f.To = new(whole.Add(shift)), new(whole.Add(30*24*time.Hour+shift))
			if f.Subtrees {
				f.RootWhere = filter.Compare{Op: filter.GreaterOrEqual, Field: filter.StartTime, Value: filter.Value{Time: f.From}}
			}
			for _, step := range []time.Duration{30 * 24 * time.Hour, 24 * time.Hour} {
				if shift%(15*time.Minute) != 0 && step == 24*time.Hour {
					continue // Each day begins between quarters.
				}
				reader := countedReader{Tx: tx}
				groups, err := figure.InGroups(&reader, f, tc.by, figure.Starts(*f.From, *f.To, step), true)
				must(t, err)
				for _, steps := range groups {
					all, err := figure.Together(steps)
					must(t, err)
					if got, want := all.Summary().Approximate, all.Runs > limits.ExactPercentiles; got != want {
						t.Errorf("%s: percentiles of %d runs are approximate: %v, want %v", tc.what, all.Runs, got, want)
					}
				}
				most := max(1000, tc.most)
				if shift != 0 { // A month has as many quarters of an hour, and runs are read at its ends.
					most += 30*24*4 + 100
				}
				if reader.rows > most || len(groups) == 0 {
					t.Errorf("%s: %d rows were read for %d groups in a month from %s in steps of %s, want at most %d",
						tc.what, reader.rows, len(groups), f.From, step, most)
				}
			}
		}
	}
}

// TestManyNames_unraced logs runs with more names than are rolled up in a quarter of an hour. Names without a row are counted all the same.
func TestManyNames_unraced(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), postgrestest.New(t, store.Open))
	must(t, err)
	defer func() { _ = db.Close() }()
	random := rand.New(rand.NewPCG(6, 6))
	// Numbers below 90 are frequent everywhere; of the others, each quarter has 30 of its own, and one name is too long.
	name := func(quarter, n int) string {
		switch {
		case n < 90:
			return "frequent " + strconv.Itoa(n)
		case n == 90:
			return strings.Repeat("long ", 100)
		default:
			return fmt.Sprintf("rare %d", (quarter*7+n)%250)
		}
	}
	counts := map[string]int{}
	err = db.Do(t.Context(), func(tx *store.Tx) error {
		if err := tx.EnsureProject(store.Project{ID: "p", WorkspaceID: rest.DefaultWorkspaceID, Name: "p"}); err != nil {
			return err
		}
		for quarter := range 10 {
			for n := range 121 {
				for range 1 + (120-n)/60 {
					row := store.Run{
						WorkspaceID: rest.DefaultWorkspaceID, ID: uuid.NewString(), ProjectID: "p", Name: name(quarter, n), RunType: "llm", Status: "success",
						StartTime: rollupBegin.Truncate(store.Quarter).Add(time.Duration(quarter)*store.Quarter + time.Duration(random.IntN(900))*time.Second), Figures: "{}", TotalTokens: 1,
					}
					row.TraceID = row.ID
					row.DottedOrder = new("20260502T000000000000Z" + row.ID)
					counts[row.Name]++
					if err := tx.SaveRun(row, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	must(t, err)
	rollAll(t, db)
	err = db.Read(t.Context(), func(tx *store.Tx) error {
		f := store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID, ProjectIDs: []string{"p"}}
		for name, want := range counts {
			f.Where = filter.Compare{Op: filter.Equal, Field: filter.Name, Value: filter.Value{Text: &name}}
			reader := countedReader{Tx: tx}
			got, err := figure.InOne(&reader, f, false)
			if err != nil {
				return err
			}
			if got.Runs != want || got.Sum.TotalTokens != int64(want) {
				t.Errorf("%.20s: %d runs with %d tokens, want %d", name, got.Runs, got.Sum.TotalTokens, want)
			}
			if strings.HasPrefix(name, "frequent") && reader.rows > 30 {
				t.Errorf("%s: %d rows were read, want only those of days and their parts", name, reader.rows)
			}
		}
		f.Where = nil
		groups, err := figure.InGroups(tx, f, store.RunGroup{Column: store.ByName}, []time.Time{figure.StartOf(f)}, false)
		got := map[string]int{}
		for name, steps := range groups {
			got[name] = steps[0].Runs
		}
		if !maps.Equal(counts, got) {
			t.Errorf("runs in groups = %v, want %v", got, counts)
		}
		return err
	})
	must(t, err)
}
