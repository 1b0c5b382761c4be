package session

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

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
