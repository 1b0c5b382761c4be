package figure

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Rollup adds up the figures of runs and of all runs below them, by ID.
func Rollup(r Reader, workspaceID string, rows []store.Run) (map[uuid.UUID]usage.Totals, error) {
	all, err := figuresOfTraces(r, workspaceID, rows)
	if err != nil {
		return nil, err
	}
	return addUp(all)
}

// Summarize is Rollup with the models that runs, or those below them, have called: by ID, in order of their calls.
func Summarize(r Reader, workspaceID string, rows []store.Run) (map[uuid.UUID]usage.Totals, map[string][]string, error) {
	all, err := figuresOfTraces(r, workspaceID, rows)
	if err != nil {
		return nil, nil, err
	}
	models := map[string][]string{}
	slices.SortStableFunc(all, func(a, b store.RunFigures) int {
		return strings.Compare(a.Place(), b.Place())
	})
	for _, run := range all {
		model, err := modelOf(run)
		if err != nil {
			return nil, nil, err
		}
		if model == "" {
			continue
		}
		for id := range run.Lineage() {
			if !slices.Contains(models[id], model) {
				models[id] = append(models[id], model)
			}
		}
	}
	totals, err := addUp(all)
	return totals, models, err
}

// figuresOfTraces returns the figures of all runs in some runs' traces.
func figuresOfTraces(r Reader, workspaceID string, rows []store.Run) (all []store.RunFigures, _ error) {
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row.TraceID] {
			continue
		}
		seen[row.TraceID] = true
		err := r.EachFigures(store.RunFilter{WorkspaceID: workspaceID, TraceID: row.TraceID}, func(run store.RunFigures) error {
			all = append(all, run)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addUp adds the figures of runs to those above them.
func addUp(all []store.RunFigures) (map[uuid.UUID]usage.Totals, error) {
	known := make(map[string]bool, len(all))
	for _, run := range all {
		known[run.ID] = true
	}
	nodes := make([]usage.Node, len(all))
	for i, run := range all {
		totals, err := totalsOf(run)
		if err != nil {
			return nil, err
		}
		// IDs were validated before they were stored.
		nodes[i] = usage.Node{Totals: totals, ID: uuid.MustParse(run.ID), TraceID: uuid.MustParse(run.TraceID)}
		// The run counts for all of its ancestors that exist, even if its parent doesn't.
		for id := range run.Lineage() {
			if id != run.ID && known[id] {
				nodes[i].ParentRunID = uuid.MustParse(id)
			}
		}
	}
	totals, _ := usage.Rollup(nodes)
	return totals, nil
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
