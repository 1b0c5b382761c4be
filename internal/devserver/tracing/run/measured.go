package run

import (
	"maps"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// Measured are the figures of runs, and the feedback on them, if that is requested, too.
type Measured struct {
	*figure.Figures
	Ratings feedback.Ratings
}

// FiguresOf returns the figures of all matching runs.
func FiguresOf(tx *store.Tx, f store.RunFilter, details bool) (*Measured, error) {
	figures, err := figure.InOne(tx, f, details)
	if err != nil {
		return nil, err
	}
	rated, err := feedback.OnMatching(tx, f)
	return &Measured{Figures: figures, Ratings: rated}, err
}

// Cell is a step of a group of runs. Without groups, all have the one without a name.
type Cell struct {
	Group string
	Step  int
}

// FiguresInCells returns the figures of the matching runs in steps with these starts, and in groups. Cells without runs are left out.
func FiguresInCells(tx *store.Tx, f store.RunFilter, by store.RunGroup, starts []time.Time, details bool) (map[Cell]*Measured, error) {
	groups, err := figure.InGroups(tx, f, by, starts, details)
	if err != nil {
		return nil, err
	}
	rated, err := rateCells(tx, f, by, starts)
	all := map[Cell]*Measured{}
	for name, steps := range groups {
		for i, one := range steps {
			if at := (Cell{name, i}); one.Runs > 0 {
				all[at] = &Measured{Figures: one, Ratings: rated[at]}
			}
		}
	}
	return all, err
}

// rateCells returns the feedback on the matching runs by the groups that they are in, and the steps in which they started.
func rateCells(tx *store.Tx, f store.RunFilter, by store.RunGroup, starts []time.Time) (map[Cell]feedback.Ratings, error) {
	cellsOf := map[string][]Cell{}
	err := tx.EachFeedback(f, func(one store.Feedback) error { cellsOf[*one.RunID] = nil; return nil })
	if err != nil {
		return nil, err
	}
	for ids := range slices.Chunk(slices.Collect(maps.Keys(cellsOf)), limits.ListedIDs) {
		err := tx.EachTiming(store.RunFilter{WorkspaceID: f.WorkspaceID, IDs: ids}, by, func(run store.RunTiming) error {
			step, exactly := slices.BinarySearchFunc(starts, run.StartTime, time.Time.Compare)
			if !exactly {
				step--
			}
			cellsOf[run.ID] = append(cellsOf[run.ID], Cell{run.Group, step})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return feedback.ByGroup(tx, f, cellsOf)
}

// FiguresInGroups is FiguresInCells for a single step, by the names of the groups.
func FiguresInGroups(tx *store.Tx, f store.RunFilter, by store.RunGroup, details bool) (map[string]*Measured, error) {
	cells, err := FiguresInCells(tx, f, by, []time.Time{figure.StartOf(f)}, details)
	all := make(map[string]*Measured, len(cells))
	for at, m := range cells {
		all[at.Group] = m
	}
	return all, err
}

// Answer returns the figures for the response. Without runs, only the counts are set.
func (m *Measured) Answer() api.RunStats {
	stats := m.Stats()
	if m.Runs > 0 {
		stats.FeedbackStats = m.Ratings.OfMany()
	}
	return stats
}
