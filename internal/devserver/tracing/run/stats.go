package run

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
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

// StatsRequest contains the fields of POST /runs/stats other than the selection of runs.
type StatsRequest struct {
	GroupBy *StatsGroupBy `json:"group_by,omitzero"`
	// Groups restricts the groups in the response; all if empty.
	Groups []json.RawMessage `json:"groups,omitzero"`
	Select []string          `json:"select,omitzero"`
	// IncludeDetails has no effect: details are returned if they are selected.
	IncludeDetails *bool `json:"include_details,omitzero"`
}

// bundles are names for several metrics.
var bundles = map[string][]string{
	"all_run_stats": {
		"run_count", "latency_p50", "latency_p99", "first_token_p50", "first_token_p99", "last_run_start_time", "error_rate", "streaming_rate",
	},
	"all_token_stats": {
		"total_tokens", "prompt_tokens", "completion_tokens", "median_tokens", "tokens_p99", "prompt_tokens_p50", "prompt_tokens_p99",
		"completion_tokens_p50", "completion_tokens_p99", "prompt_token_details", "completion_token_details", "total_cost", "prompt_cost",
		"completion_cost", "cost_p50", "cost_p99", "prompt_cost_details", "completion_cost_details",
	},
}

// Selectable lists the metrics that can be selected. Some are returned only on request: an additional member would make
// clients decode the figures as another type.
func Selectable() []string {
	names := slices.Concat(slices.Sorted(maps.Keys(StatsFields(api.RunStats{}))), slices.Sorted(maps.Keys(bundles)), slices.Sorted(maps.Keys(onDemand)))
	slices.Sort(names)
	return names
}

// onDemand are the metrics that are returned only if they are selected.
var onDemand = map[string]func(*Measured) any{
	"latency_avg": func(m *Measured) any { return m.LatencyMean() },
	"group_count": func(m *Measured) any { return m.Runs },
	// Calls of models whose cost isn't all that the provider bills, and those stored before that was known.
	"cost_incomplete_run_count": func(m *Measured) any { return m.Sum.IncompleteRuns },
	"cost_unchecked_run_count":  func(m *Measured) any { return m.Sum.UncheckedRuns },
	"thread_feedback_stats":     func(*Measured) any { return nil }, // Feedback belongs to runs and projects.
	"session_feedback_stats":    func(*Measured) any { return nil },
}

// StatsGroupBy requests the figures of groups of runs.
type StatsGroupBy struct {
	Attribute string `json:"attribute"`
	// Path is the metadata key by which runs are grouped.
	Path *string `json:"path,omitzero"`
	// MaxGroups keeps the groups with the most runs. The service's default is not documented; here, it keeps all.
	MaxGroups *int64 `json:"max_groups,omitzero"`
}

var statsAttributes = []string{"name", "run_type", "tag", "metadata"}

// Check validates the request.
func (r StatsRequest) Check() error {
	var v form.Validator
	metrics := Selectable()
	for i := range r.Select {
		v.Choice(&r.Select[i], metrics, form.Body("select", i))
	}
	if r.GroupBy == nil {
		return v.Err()
	}
	at := form.Body("group_by")
	v.Choice(&r.GroupBy.Attribute, statsAttributes, form.Loc(at, "attribute"))
	if r.GroupBy.Attribute == "metadata" && api.OrEmpty(r.GroupBy.Path) == "" {
		v.Add(form.Loc(at, "path"), "missing", "Field required: the key of the metadata to group by")
	}
	if r.GroupBy.MaxGroups != nil && *r.GroupBy.MaxGroups < 1 {
		v.Add(form.Loc(at, "max_groups"), "greater_than_equal", "Input should be greater than or equal to 1")
	}
	return v.Err()
}

// RunGroup returns how the store groups the runs.
func (g StatsGroupBy) RunGroup() store.RunGroup {
	switch g.Attribute {
	case "name":
		return store.RunGroup{Column: store.ByName}
	case "run_type":
		return store.RunGroup{Column: store.ByRunType}
	case "tag":
		return store.RunGroup{Labels: &store.LabelGroup{}}
	default:
		return store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Key: api.OrEmpty(g.Path)}}
	}
}

// largest returns the names of the groups that are kept.
func (g StatsGroupBy) largest(groups map[string]*Measured) []string {
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(groups[b].Runs, groups[a].Runs), cmp.Compare(a, b))
	})
	if g.MaxGroups != nil {
		names = names[:min(int64(len(names)), *g.MaxGroups)]
	}
	return names
}

// Details reports whether details of tokens or costs are requested.
func (r StatsRequest) Details() bool {
	return len(r.Select) == 0 || slices.ContainsFunc(r.Metrics(), func(name string) bool { return strings.HasSuffix(name, "_details") })
}

// Chosen returns the requested metrics, or all of them.
func (r StatsRequest) Chosen(m *Measured) map[string]any {
	all := StatsFields(m.Answer())
	if len(r.Select) == 0 {
		return all
	}
	metrics := r.Metrics()
	maps.DeleteFunc(all, func(name string, _ any) bool { return !slices.Contains(metrics, name) })
	for _, name := range metrics {
		if value := onDemand[name]; value != nil {
			all[name] = value(m)
		}
	}
	return all
}

// Metrics returns the selected metrics, with bundles expanded.
func (r StatsRequest) Metrics() []string {
	var all []string
	for _, name := range r.Select {
		if some := bundles[name]; some != nil {
			all = append(all, some...)
			continue
		}
		all = append(all, name)
	}
	return all
}

// isText reports whether a JSON value is a string.
func isText(text string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var value *string
		return json.Unmarshal(raw, &value) == nil && value != nil && *value == text
	}
}

// StatsFields returns the figures by JSON name.
func StatsFields(stats api.RunStats) map[string]any {
	fields, _ := form.Complete(reflect.ValueOf(stats), api.Neutral).(map[string]any) // A struct always becomes an object.
	return fields
}
