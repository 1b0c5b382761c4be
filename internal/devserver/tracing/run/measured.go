package run

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// MeasureReader reads the figures of runs, and the feedback on them.
type MeasureReader interface {
	figure.Reader
	feedback.Reader
}

// Measured are runs whose figures are requested, and the feedback on them, if that is requested, too.
type Measured struct {
	*figure.Group
	Ratings feedback.Ratings
}

// Measure is figure.Measure for groups that can be rated.
func Measure[K comparable](r figure.Reader, f store.RunFilter, by store.RunGroup, details bool, key func(store.RunTiming) K) (map[K]*Measured, error) {
	groups, err := figure.Measure(r, f, by, details, key)
	all := make(map[K]*Measured, len(groups))
	for k, group := range groups {
		all[k] = &Measured{Group: group}
	}
	return all, err
}

// Answer returns the figures for the response. Without runs, only the counts are set.
func (m *Measured) Answer() api.RunStats {
	stats := m.Stats()
	if len(m.Runs) > 0 {
		stats.FeedbackStats = m.Ratings.OfMany()
	}
	return stats
}

// Rate adds the feedback on the matching runs to their groups.
func Rate[K comparable](r feedback.Reader, f store.RunFilter, groups map[K]*Measured) error {
	groupsOf := map[string][]K{}
	for k, group := range groups {
		for _, run := range group.Runs {
			groupsOf[run.ID] = append(groupsOf[run.ID], k)
		}
	}
	rated, err := feedback.ByGroup(r, f, groupsOf)
	for k, group := range groups {
		group.Ratings = rated[k]
	}
	return err
}
