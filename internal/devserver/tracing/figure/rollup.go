package figure

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Trace are the runs of a trace with their figures. Many requests share one, so it must not be changed.
type Trace struct {
	// Runs are in dotted order; those that have no place yet come first. Nil unless they were requested.
	Runs []store.Run
	// Totals are the figures of each run and of all runs below it.
	Totals map[uuid.UUID]usage.Totals
	// Own are the figures of each run alone.
	Own map[uuid.UUID]usage.Totals
	// Models are those that each run, or those below it, have called, in order of their calls.
	Models map[string][]string
	// Counts are the numbers of runs of each run and of all runs below it.
	Counts map[string]Count
}

// Count is a number of runs, of those that failed, and of those that are interrupts of graphs.
type Count struct{ Runs, Failed, Interrupted int64 }

// keptRuns is the number of runs from which figures of a trace are kept: those of smaller ones are read faster than they are checked.
const keptRuns = 300

// bytesOfRun is about what the figures of a run take, besides its texts.
const bytesOfRun = 3 << 9

// ReadTrace returns a trace; it has no runs if it doesn't exist.
func ReadTrace(tx *store.Tx, workspaceID, traceID string) (*Trace, error) {
	return readTrace(tx, workspaceID, traceID, true)
}

// readTrace reads all columns of the runs only if they are requested.
func readTrace(tx *store.Tx, workspaceID, traceID string, whole bool) (*Trace, error) {
	kept, err := tx.Kept(workspaceID, traceID)
	if err != nil {
		return nil, err
	}
	if trace, is := kept.(*Trace); is && (trace.Runs != nil || !whole) {
		return trace, nil
	}
	trace, f := &Trace{}, store.RunFilter{WorkspaceID: workspaceID, TraceID: traceID}
	var all []store.RunFigures
	if whole {
		trace.Runs, err = tx.TraceRuns(f)
		for _, row := range trace.Runs {
			all = append(all, figuresOfRow(row))
		}
	} else {
		err = tx.EachFigures(f, func(run store.RunFigures) error { all = append(all, run); return nil })
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b store.RunFigures) int { return strings.Compare(a.Place(), b.Place()) })
	if err := trace.addUp(all); err != nil || len(all) < keptRuns {
		return trace, err
	}
	bytes := len(all) * bytesOfRun
	for _, row := range trace.Runs {
		bytes += len(row.Name) + len(row.Figures) + len(api.OrEmpty(row.DottedOrder)) + len(api.OrEmpty(row.Error))
	}
	return trace, tx.Keep(workspaceID, traceID, trace, bytes)
}

// ReadFigures is ReadTrace without the runs themselves.
func ReadFigures(tx *store.Tx, workspaceID, traceID string) (*Trace, error) {
	return readTrace(tx, workspaceID, traceID, false)
}

// SumOfTraces adds up the figures of all runs in the traces of some runs.
func SumOfTraces(tx *store.Tx, workspaceID string, runIDs []string) (sum usage.Totals, err error) {
	for ids := range slices.Chunk(runIDs, limits.ListedIDs) {
		err := tx.EachFiguresOfTraces(store.RunFilter{WorkspaceID: workspaceID, IDs: ids}, false, func(run store.RunFigures) error {
			own, err := totalsOf(run)
			sum = sum.Add(own)
			return err
		})
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// Rollup adds up the figures of runs and of all runs below them, by ID.
func Rollup(tx *store.Tx, workspaceID string, rows []store.Run) (map[uuid.UUID]usage.Totals, error) {
	totals, _, err := Summarize(tx, workspaceID, rows)
	return totals, err
}

// Summarize is Rollup with the models that runs, or those below them, have called: by ID, in order of their calls.
func Summarize(tx *store.Tx, workspaceID string, rows []store.Run) (map[uuid.UUID]usage.Totals, map[string][]string, error) {
	totals, models := make(map[uuid.UUID]usage.Totals, len(rows)), map[string][]string{}
	traces := map[string]*Trace{}
	for _, row := range rows {
		trace := traces[row.TraceID]
		if trace == nil {
			var err error
			if trace, err = readTrace(tx, workspaceID, row.TraceID, false); err != nil {
				return nil, nil, err
			}
			traces[row.TraceID] = trace
		}
		id := uuid.MustParse(row.ID)
		totals[id], models[row.ID] = trace.Totals[id], trace.Models[row.ID]
	}
	return totals, models, nil
}

// addUp adds the figures of the runs of a trace, which are in order, to those above them, and finds the models of each.
func (t *Trace) addUp(all []store.RunFigures) error {
	sums := make(map[string]*usage.Totals, len(all))
	for _, run := range all {
		sums[run.ID] = &usage.Totals{}
	}
	t.Own, t.Totals = make(map[uuid.UUID]usage.Totals, len(all)), make(map[uuid.UUID]usage.Totals, len(all))
	t.Models, t.Counts = map[string][]string{}, make(map[string]Count, len(all))
	for _, run := range all {
		totals, model, err := ownOf(run)
		if err != nil {
			return err
		}
		// The run counts for all of its ancestors that exist, even if its parent doesn't.
		for id := range run.Lineage() {
			if sum := sums[id]; sum != nil {
				sum.Include(totals)
			}
			if model != "" && !slices.Contains(t.Models[id], model) {
				t.Models[id] = append(t.Models[id], model)
			}
			count := t.Counts[id]
			count.Runs++
			switch {
			case run.Interrupted:
				count.Interrupted++
			case run.Failed:
				count.Failed++
			}
			t.Counts[id] = count
		}
		t.Own[uuid.MustParse(run.ID)] = totals // IDs were validated before they were stored.
	}
	for id, sum := range sums {
		t.Totals[uuid.MustParse(id)] = *sum
	}
	return nil
}

// OwnByID returns the figures of each run alone, by ID.
func OwnByID(rows []store.Run) (map[uuid.UUID]usage.Totals, error) {
	totals := make(map[uuid.UUID]usage.Totals, len(rows))
	for _, row := range rows {
		own, err := Own(row)
		if err != nil {
			return nil, err
		}
		totals[uuid.MustParse(row.ID)] = own
	}
	return totals, nil
}
