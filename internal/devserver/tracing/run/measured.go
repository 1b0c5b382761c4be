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

// MeasureReader reads the figures of runs, and the feedback on them.
type MeasureReader interface {
	figure.RollupReader
	feedback.Reader
}

// Measured are the figures of runs, and the feedback on them, if that is requested, too.
type Measured struct {
	*figure.Figures
	Ratings feedback.Ratings

	group *figure.Group // Nil if the runs are unknown.
}

// Measure is figure.Measure for groups that can be rated.
func Measure[K comparable](r figure.Reader, f store.RunFilter, by store.RunGroup, details bool, key func(store.RunTiming) K) (map[K]*Measured, error) {
	groups, err := figure.Measure(r, f, by, details, key)
	all := make(map[K]*Measured, len(groups))
	for k, group := range groups {
		all[k] = &Measured{Figures: group.Figures, group: group}
	}
	return all, err
}

// FiguresOf returns the figures of all matching runs.
func FiguresOf(r MeasureReader, f store.RunFilter, details bool) (*Measured, error) {
	figures, err := figure.InOne(r, f, details)
	if err != nil {
		return nil, err
	}
	rated, err := feedback.OnMatching(r, f)
	return &Measured{Figures: figures, Ratings: rated}, err
}

// FiguresInSteps returns the figures of the matching runs in steps, which contains says for a time.
func FiguresInSteps(r MeasureReader, f store.RunFilter, starts []time.Time, step func(time.Time) int) ([]*Measured, error) {
	figures, err := figure.InSteps(r, f, starts, false)
	if err != nil {
		return nil, err
	}
	rated, err := rateSteps(r, f, step)
	all := make([]*Measured, len(figures))
	for i, one := range figures {
		all[i] = &Measured{Figures: one, Ratings: rated[i]}
	}
	return all, err
}

// rateSteps returns the feedback on the matching runs by the steps in which they started.
func rateSteps(r MeasureReader, f store.RunFilter, step func(time.Time) int) (map[int]feedback.Ratings, error) {
	stepsOf := map[string][]int{}
	err := r.EachFeedback(f, func(one store.Feedback) error { stepsOf[*one.RunID] = nil; return nil })
	if err != nil {
		return nil, err
	}
	for ids := range slices.Chunk(slices.Collect(maps.Keys(stepsOf)), limits.ListedIDs) {
		err := r.EachTiming(store.RunFilter{WorkspaceID: f.WorkspaceID, IDs: ids}, store.RunGroup{}, func(run store.RunTiming) error {
			stepsOf[run.ID] = []int{step(run.StartTime)}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return feedback.ByGroup(r, f, stepsOf)
}

// Answer returns the figures for the response. Without runs, only the counts are set.
func (m *Measured) Answer() api.RunStats {
	stats := m.Stats()
	if m.Runs > 0 {
		stats.FeedbackStats = m.Ratings.OfMany()
	}
	return stats
}

// Rate adds the feedback on the matching runs to their groups.
func Rate[K comparable](r feedback.Reader, f store.RunFilter, groups map[K]*Measured) error {
	groupsOf := map[string][]K{}
	for k, m := range groups {
		for _, run := range m.group.Members {
			groupsOf[run.ID] = append(groupsOf[run.ID], k)
		}
	}
	rated, err := feedback.ByGroup(r, f, groupsOf)
	for k, group := range groups {
		group.Ratings = rated[k]
	}
	return err
}
