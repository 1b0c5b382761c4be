package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// chartGroupBy reports by what a series is grouped, and whether the request asked for that or the series is always grouped.
type chartGroupBy struct {
	run.StatsGroupBy
	SetBy string `json:"set_by"`
}

// chartID is the same for every request of a chart.
func chartID(row store.Project, title string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(row.ID+"/"+title)).String()
}

// chartRuns contains the figures of a section's runs: for each step and, if they are grouped, for each of the largest
// groups.
type chartRuns struct {
	steps    chartSteps
	grouping *chartGroupBy // Nil if they aren't grouped.
	groups   []string      // Largest first; one without a name if they aren't grouped.
	cells    map[run.Cell]*run.Measured
	omitData bool
}

// chartRuns computes the figures of a section's runs.
func readChartRuns(tx *store.Tx, row store.Project, section sectionPlan, request dashboardRequest, steps chartSteps) (*chartRuns, error) {
	f := store.RunFilter{WorkspaceID: row.WorkspaceID, ProjectIDs: []string{row.ID}, From: &steps.starts[0], To: &steps.end}
	section.narrow(&f)
	runs := &chartRuns{steps: steps, grouping: section.grouping(request.GroupBy), groups: []string{""}, omitData: request.OmitData != nil && *request.OmitData}
	by := store.RunGroup{}
	if runs.grouping != nil {
		by = runs.grouping.RunGroup()
	}
	var err error
	runs.cells, err = run.FiguresInCells(tx, f, by, steps.starts, false)
	if runs.grouping != nil {
		runs.groups = largestGroups(runs.cells, int(*runs.grouping.MaxGroups))
	}
	return runs, err
}

// largestGroups returns the names of the groups with the most runs.
func largestGroups(cells map[run.Cell]*run.Measured, most int) []string {
	sizes := map[string]int{}
	for cell, m := range cells {
		sizes[cell.Group] += m.Runs
	}
	return largestFirst(sizes, most)
}

// largestFirst returns the names with the largest numbers.
func largestFirst(sizes map[string]int, most int) []string {
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	return names[:min(len(names), most)]
}

// draw creates a chart of the runs. A group has a value only in steps in which it has runs: a number, or a count for each string value.
func (r *chartRuns) draw(row store.Project, section sectionPlan, plan chartPlan, index int) map[string]any {
	title := section.title + "/" + plan.title
	series, data := []any{}, []any{}
	for _, line := range plan.lines {
		id := chartID(row, title+"/"+line.metric)
		series = append(series, map[string]any{
			"id": id, "name": line.name, "metric": line.metric, "feedback_key": api.NonEmpty(line.feedbackKey), "group_by": r.grouping,
		})
		for _, name := range r.groups {
			var group *string
			if r.grouping != nil {
				group = &name
			}
			for step, start := range r.steps.starts {
				m := r.cells[run.Cell{Group: name, Step: step}]
				if r.omitData || m == nil && r.grouping != nil {
					continue
				}
				data = append(data, map[string]any{"series_id": id, "timestamp": form.DateTime(start), "group": group, "value": line.value(m)})
			}
		}
	}
	return map[string]any{
		"id": chartID(row, title), "title": plan.title, "chart_type": plan.kind, "index": index, "series": series, "data": data,
		// These select the chart's runs in a run query.
		"common_filters": map[string]any{"session": []string{row.ID}, "filter": api.NonEmpty(section.filter)},
	}
}

// dashboardRequest requests the charts of a project: by default, of the last day, in steps of a quarter of an hour.
type dashboardRequest struct {
	StartTime *string           `json:"start_time,omitzero"`
	EndTime   *string           `json:"end_time,omitzero"`
	Stride    *stride           `json:"stride,omitzero"`
	Timezone  *string           `json:"timezone,omitzero"`
	GroupBy   *run.StatsGroupBy `json:"group_by,omitzero"`
	OmitData  *bool             `json:"omit_data,omitzero"`
}

// stride is the length of a step.
type stride struct {
	Days    int64 `json:"days,omitzero"`
	Hours   int64 `json:"hours,omitzero"`
	Minutes int64 `json:"minutes,omitzero"`
}

// defaultStride is the service's.
var defaultStride = stride{Minutes: 15}

// after returns the time a number of steps later. Days are calendar days, which may have 23 or 25 hours. Steps are counted from the start,
// because one of them may begin at a local time that its day doesn't have, and the next one shouldn't be late for that.
func (s stride) after(start time.Time, steps int) time.Time {
	day := start.AddDate(0, 0, steps*int(s.Days))
	seconds := int64(steps) * (s.Hours*3600 + s.Minutes*60) // A time.Duration ends after 292 years.
	return time.Unix(day.Unix()+seconds, int64(day.Nanosecond())).In(start.Location())
}

// chartSteps contains the start times of a chart's steps, and the end of the last one, which may be cut short.
type chartSteps struct {
	starts []time.Time
	end    time.Time
}

// steps validates the request and returns its steps.
func (r dashboardRequest) steps(now time.Time) (chartSteps, error) {
	if err := (run.StatsRequest{GroupBy: r.GroupBy}).Check(); err != nil {
		return chartSteps{}, err
	}
	var v form.Validator
	step := defaultStride
	if r.Stride != nil {
		step = *r.Stride
	}
	for _, n := range []int64{step.Days, step.Hours, step.Minutes} {
		if n < 0 || n > limits.Stride {
			v.Add(form.Body("stride"), "value_error", "Input should have from 0 to %d of each unit", limits.Stride)
		}
	}
	if step == (stride{}) {
		v.Add(form.Body("stride"), "value_error", "Input should be greater than zero")
	}
	zone, err := time.LoadLocation(api.OrEmpty(r.Timezone)) // UTC by default.
	if err != nil || zone == time.Local {
		v.Add(form.Body("timezone"), "value_error", "Input should be the name of a time zone, such as Europe/Berlin: this name is unknown")
	}
	if err := v.Err(); err != nil {
		return chartSteps{}, err
	}
	start, end, err := run.Times("start_time", r.StartTime, "end_time", r.EndTime)
	if err != nil {
		return chartSteps{}, err
	}
	return chartStepsOf(start, end, now, step, zone)
}

// chartStepsOf returns the steps between two times, with the precision of run times.
func chartStepsOf(start, end *time.Time, now time.Time, step stride, zone *time.Location) (chartSteps, error) {
	s := chartSteps{end: now.Truncate(time.Microsecond)}
	if end != nil {
		s.end = end.Truncate(time.Microsecond)
	}
	from := s.end.Add(-run.DefaultWindow)
	if start != nil {
		from = start.Truncate(time.Microsecond)
	}
	for at := from.In(zone); at.Before(s.end) && len(s.starts) <= limits.Buckets; at = step.after(from.In(zone), len(s.starts)) {
		s.starts = append(s.starts, at)
	}
	switch {
	case len(s.starts) == 0:
		return s, form.Problem(form.Body("start_time"), "value_error", "Input should be before the end, which is %s", form.DateTime(s.end))
	case len(s.starts) > limits.Buckets:
		return s, form.Problem(form.Body("stride"), "value_error", "Input should be longer: it results in more than %d steps", limits.Buckets)
	}
	return s, nil
}

// topGroups is the number of tools, names and feedback keys in charts, and the default number of groups.
const topGroups = 5

// sectionPlan describes a section.
type sectionPlan struct {
	title, description string
	// narrow selects the runs. If the filter language can express the selection, filter contains it.
	narrow func(*store.RunFilter)
	filter string
	// byName reports whether the runs are always grouped by name, whatever the request says.
	byName bool
	charts []chartPlan
	// byFeedback makes a chart for each of the most frequent feedback keys, instead of those in charts.
	byFeedback bool
}

// chartPlan describes a chart.
type chartPlan struct {
	title, kind string
	lines       []chartLine
}

// chartLine is a series of a metric.
type chartLine struct {
	name, metric string
	feedbackKey  string // For metrics of feedback.
}

const (
	barChart  = "bar"
	lineChart = "line"
)

func rootRuns(f *store.RunFilter) { f.Root = new(true) }

func runsOfType(runType llmrun.RunType) func(*store.RunFilter) {
	return func(f *store.RunFilter) { f.RunType = string(runType) }
}

// callCharts are the charts of sections about steps of traces.
var callCharts = []chartPlan{
	{"Run Count", barChart, []chartLine{{name: "Count", metric: "run_count"}}},
	{"Median Latency", lineChart, []chartLine{{name: "P50", metric: "latency_p50"}}},
	{"Error Rate", lineChart, []chartLine{{name: "Error Rate", metric: "error_rate"}}},
}

var dashboardSections = []sectionPlan{
	{title: "Traces", description: "Count, latency and error rate of traces.", narrow: rootRuns, filter: "eq(is_root, true)", charts: []chartPlan{
		{"Trace Count", barChart, []chartLine{{name: "Count", metric: "run_count"}}},
		{"Trace Latency", lineChart, []chartLine{{name: "P50", metric: "latency_p50"}, {name: "P99", metric: "latency_p99"}}},
		{"Trace Error Rate", lineChart, []chartLine{{name: "Error Rate", metric: "error_rate"}}},
	}},
	{title: "LLM Calls", description: "Count and latency of model calls.", narrow: runsOfType(llmrun.RunTypeLLM), filter: `eq(run_type, "llm")`, charts: []chartPlan{
		{"LLM Call Count", barChart, []chartLine{{name: "Count", metric: "run_count"}}},
		{"LLM Latency", lineChart, []chartLine{{name: "P50", metric: "latency_p50"}, {name: "P99", metric: "latency_p99"}}},
	}},
	{title: "Cost & Tokens", description: "Tokens and costs in US dollars, in total and per trace.", narrow: rootRuns, filter: "eq(is_root, true)", charts: []chartPlan{
		{"Total Cost", lineChart, []chartLine{{name: "Total", metric: "total_cost"}, {name: "Input", metric: "prompt_cost"}, {name: "Output", metric: "completion_cost"}}},
		{"Cost per Trace", lineChart, []chartLine{{name: "P50", metric: "cost_p50"}, {name: "P99", metric: "cost_p99"}}},
		{"Tokens", lineChart, []chartLine{{name: "Total", metric: "total_tokens"}, {name: "Input", metric: "prompt_tokens"}, {name: "Output", metric: "completion_tokens"}}},
		{"Tokens per Trace", lineChart, []chartLine{{name: "P50", metric: "median_tokens"}, {name: "P99", metric: "tokens_p99"}}},
		{"Input Tokens per Trace", lineChart, []chartLine{{name: "P50", metric: "prompt_tokens_p50"}, {name: "P99", metric: "prompt_tokens_p99"}}},
		{"Output Tokens per Trace", lineChart, []chartLine{{name: "P50", metric: "completion_tokens_p50"}, {name: "P99", metric: "completion_tokens_p99"}}},
	}},
	{title: "Tools", description: "Count, error rate and latency of the most frequently called tools.", narrow: runsOfType(llmrun.RunTypeTool),
		filter: `eq(run_type, "tool")`, byName: true, charts: callCharts},
	{title: "Run Types", description: "Count, error rate and latency of the most common runs directly below the root of a trace.",
		narrow: func(f *store.RunFilter) { f.BelowRoot = true }, byName: true, charts: callCharts},
	{title: "Feedback Scores", description: "The most frequent feedback on traces: average scores, and how often each category was chosen.",
		narrow: rootRuns, filter: "eq(is_root, true)", byFeedback: true},
}

// grouping returns how the section's runs are grouped for a request; nil if they aren't.
func (p sectionPlan) grouping(wanted *run.StatsGroupBy) *chartGroupBy {
	if p.byName {
		return &chartGroupBy{run.StatsGroupBy{Attribute: "name", MaxGroups: new(int64(topGroups))}, "series"}
	}
	if wanted == nil {
		return nil
	}
	by := chartGroupBy{*wanted, "section"}
	if by.MaxGroups == nil {
		by.MaxGroups = new(int64(topGroups))
	}
	return &by
}

// plans returns the charts of the section.
func (p sectionPlan) plans(runs *chartRuns) []chartPlan {
	if !p.byFeedback {
		return p.charts
	}
	given, scored := map[string]int{}, map[string]bool{}
	for _, m := range runs.cells {
		for key, one := range m.Ratings {
			given[key] += one.N
			scored[key] = scored[key] || len(one.Scores) > 0
		}
	}
	var all []chartPlan
	for _, key := range largestFirst(given, topGroups) {
		plan := chartPlan{key, barChart, []chartLine{{name: key, metric: feedbackValues, feedbackKey: key}}}
		if scored[key] {
			plan.kind, plan.lines[0].metric = lineChart, feedbackScoreAvg
		}
		all = append(all, plan)
	}
	return all
}

// The metrics of feedback; all others are those of run statistics.
const (
	feedbackScoreAvg = "feedback_score_avg"
	feedbackValues   = "feedback_values"
)

// value returns a metric of runs; nil runs are none.
func (l chartLine) value(m *run.Measured) any {
	if m == nil {
		m = &run.Measured{Figures: &figure.Figures{}}
	}
	if l.feedbackKey == "" {
		return run.StatsFields(m.Answer())[l.metric]
	}
	one := m.Ratings[l.feedbackKey]
	switch {
	case one == nil:
		return nil
	case l.metric == feedbackScoreAvg:
		return figure.Mean(one.Scores)
	default:
		return one.Values
	}
}
