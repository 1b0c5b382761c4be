package session

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// sessionQuery contains the parameters of a list of projects.
type sessionQuery struct {
	filter     store.ProjectFilter
	metadata   any // What the metadata must contain; nil for no condition.
	order      sessionOrder
	descending bool
	page       store.Page
	stats      *sessionStats
	where      filter.Expr // Nil for no filter.
	// tagged reports whether only projects with certain tags are requested. Here, none has any.
	tagged bool
}

// ofTypes restricts the query to projects of some types, none of which means all, and reports whether any project can have one.
func (q *sessionQuery) ofTypes(types []string) bool {
	projects, experiments := slices.Contains(types, projectType), slices.Contains(types, experimentType)
	if projects != experiments {
		q.filter.ReferenceFree = &projects
	}
	return len(types) == 0 || projects || experiments
}

// sessionPage returns a page of projects, and their number on all pages.
func sessionPage(tx *store.Tx, workspaceID string, q sessionQuery) (page []map[string]any, total int, _ error) {
	rows, err := tx.Projects(workspaceID, q.filter)
	if err != nil {
		return nil, 0, err
	}
	all := make([]listedSession, 0, len(rows))
	for _, row := range rows {
		if !q.tagged && hasMetadata(row, q.metadata) && (q.where == nil || filter.Holds(q.where, filtered{row})) {
			all = append(all, listedSession{row: row})
		}
	}
	if q.order.stats {
		if err := measureSessions(tx, all, q.stats); err != nil {
			return nil, 0, err
		}
	}
	q.order.sort(all, q.descending)
	listed := store.Window(all, q.page)
	if q.stats != nil && !q.order.stats {
		if err := measureSessions(tx, listed, q.stats); err != nil {
			return nil, 0, err
		}
	}
	page = make([]map[string]any, len(listed))
	for i, s := range listed {
		if q.stats == nil {
			s.stats = nil
		}
		page[i] = newSession(s.row, s.stats)
	}
	return page, len(all), nil
}

// measureSessions sets the statistics of projects.
func measureSessions(tx *store.Tx, all []listedSession, wanted *sessionStats) (err error) {
	for i := range all {
		if all[i].stats, err = measureSession(tx, all[i].row, wanted); err != nil {
			return err
		}
	}
	return nil
}

// hasMetadata reports whether the metadata of a project contains what is requested.
func hasMetadata(row store.Project, wanted any) bool {
	return wanted == nil || row.Extra != nil && form.Contains(*row.Extra, map[string]any{"metadata": wanted})
}

// filtered is a project as filters see it.
type filtered struct{ row store.Project }

// Value implements filter.Subject.
func (f filtered) Value(field filter.Field) filter.Value {
	switch field {
	case filter.ID:
		return filter.Value{Text: &f.row.ID}
	case filter.Name:
		return filter.Value{Text: &f.row.Name}
	case filter.StartTime:
		return filter.Value{Time: &f.row.StartTime}
	default: // The parser accepts no other.
		return filter.Value{Null: true}
	}
}

// Entries implements filter.Subject: projects have metadata.
func (f filtered) Entries(filter.Field) []filter.Entry {
	var extra struct{ Metadata map[string]any }
	if f.row.Extra != nil {
		_ = json.Unmarshal([]byte(*f.row.Extra), &extra) // It may be of another form.
	}
	var all []filter.Entry
	for key, value := range extra.Metadata {
		text, is := value.(string)
		if !is {
			encoded, _ := json.Marshal(value) // It was decoded.
			text = string(encoded)
		}
		all = append(all, filter.Entry{filter.MetadataKey: {Text: &key}, filter.MetadataValue: {Text: &text}})
	}
	return all
}

// Contains implements filter.Subject: the only text of a project is its name.
func (f filtered) Contains(text string) bool {
	return strings.Contains(strings.ToLower(f.row.Name), strings.ToLower(text))
}

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
		ratings := s.stats.measured.Ratings
		if own {
			ratings = s.stats.own
		}
		if ratings[key] == nil {
			return nil
		}
		return figure.Mean(ratings[key].Scores)
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
