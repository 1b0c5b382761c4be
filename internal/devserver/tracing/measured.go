package tracing

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// measured are runs whose figures are requested, and the feedback on them, if that is requested, too.
type measured struct {
	*figure.Group
	ratings feedback.Ratings
}

// measure is figure.Measure for groups that can be rated.
func measure[K comparable](c *rest.Call, f store.RunFilter, by store.RunGroup, details bool, key func(store.RunTiming) K) (map[K]*measured, error) {
	groups, err := figure.Measure(c.Tx, f, by, details, key)
	all := make(map[K]*measured, len(groups))
	for k, group := range groups {
		all[k] = &measured{Group: group}
	}
	return all, err
}

// answer returns the figures for the response. Without runs, only the counts are set.
func (m *measured) answer() api.RunStats {
	stats := m.Stats()
	if len(m.Runs) > 0 {
		stats.FeedbackStats = m.ratings.OfMany()
	}
	return stats
}

// rate adds the feedback on the matching runs to their groups.
func rate[K comparable](c *rest.Call, f store.RunFilter, groups map[K]*measured) error {
	groupsOf := map[string][]K{}
	for k, group := range groups {
		for _, run := range group.Runs {
			groupsOf[run.ID] = append(groupsOf[run.ID], k)
		}
	}
	rated, err := feedback.ByGroup(c.Tx, f, groupsOf)
	for k, group := range groups {
		group.ratings = rated[k]
	}
	return err
}
