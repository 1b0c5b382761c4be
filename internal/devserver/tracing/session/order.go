package session

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
)

// listedSession is a project in a list. The statistics are nil until they are needed.
type listedSession struct {
	row   store.Project
	stats *sessionFigures
}

// sessionOrder is a field by which projects can be sorted.
type sessionOrder struct {
	stats   bool // It is a statistic, which requires reading all runs of a project.
	compare func(a, b listedSession, descending bool) int
}

var sessionOrders = map[string]sessionOrder{
	"start_time": orderBy(func(s listedSession) *int64 { n := s.row.StartTime.UnixMicro(); return &n }),
	"name":       orderBy(func(s listedSession) *string { return &s.row.Name }),

	"runs_count":          orderByStat(func(s api.RunStats) *int64 { return &s.RunCount }),
	"last_run_start_time": orderByStat(func(s api.RunStats) *string { return s.LastRunStartTime }),
	"latency_p50":         orderByStat(func(s api.RunStats) *float64 { return s.LatencyP50 }),
	"latency_p99":         orderByStat(func(s api.RunStats) *float64 { return s.LatencyP99 }),
	"error_rate":          orderByStat(func(s api.RunStats) *float64 { return s.ErrorRate }),
}

// orderByFeedback sorts by the average score of a feedback key, on the runs of projects or on the projects themselves.
func orderByFeedback(key string, own bool) sessionOrder {
	order := orderBy(func(s listedSession) *float64 {
		text := s.stats.FeedbackStats
		if own {
			text = s.stats.ownFeedback
		}
		var all map[string]feedback.ManyStat
		_ = json.Unmarshal(text, &all) // It was encoded from this type, or is empty.
		return all[key].Avg
	})
	order.stats = true
	return order
}

// orderBy puts missing values last, in either direction.
func orderBy[T cmp.Ordered](value func(listedSession) *T) sessionOrder {
	return sessionOrder{compare: func(a, b listedSession, descending bool) int {
		left, right := value(a), value(b)
		switch {
		case left == nil && right == nil:
			return 0
		case left == nil:
			return 1
		case right == nil:
			return -1
		case descending:
			return cmp.Compare(*right, *left)
		default:
			return cmp.Compare(*left, *right)
		}
	}}
}

func orderByStat[T cmp.Ordered](value func(api.RunStats) *T) sessionOrder {
	order := orderBy(func(s listedSession) *T { return value(s.stats.RunStats) })
	order.stats = true
	return order
}

// sort sorts projects, which are newest first, and keeps that order for equal ones.
func (o sessionOrder) sort(all []listedSession, descending bool) {
	slices.SortStableFunc(all, func(a, b listedSession) int { return o.compare(a, b, descending) })
}
