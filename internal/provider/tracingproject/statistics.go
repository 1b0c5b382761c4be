package tracingproject

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// cannotRead is the summary of the errors about statistics.
const cannotRead = "Cannot read the statistics of the tracing project"

// statistics are the figures of a project over a time.
type statistics struct {
	RunCount         types.Int64   `tfsdk:"run_count"`
	LatencyP50       types.Float64 `tfsdk:"latency_p50"`
	LatencyP99       types.Float64 `tfsdk:"latency_p99"`
	FirstTokenP50    types.Float64 `tfsdk:"first_token_p50"`
	FirstTokenP99    types.Float64 `tfsdk:"first_token_p99"`
	TotalTokens      types.Int64   `tfsdk:"total_tokens"`
	PromptTokens     types.Int64   `tfsdk:"prompt_tokens"`
	CompletionTokens types.Int64   `tfsdk:"completion_tokens"`
	TotalCost        types.String  `tfsdk:"total_cost"`
	PromptCost       types.String  `tfsdk:"prompt_cost"`
	CompletionCost   types.String  `tfsdk:"completion_cost"`
	UnpricedRunCount types.Int64   `tfsdk:"unpriced_run_count"`
	UnpricedTokens   types.Int64   `tfsdk:"unpriced_tokens"`
	UnreadSpanCount  types.Int64   `tfsdk:"unread_span_count"`

	CostIncompleteRunCount types.Int64 `tfsdk:"cost_incomplete_run_count"`
	CostUncheckedRunCount  types.Int64 `tfsdk:"cost_unchecked_run_count"`

	InterruptedRunCount types.Int64 `tfsdk:"interrupted_run_count"`

	ErrorRate        types.Float64 `tfsdk:"error_rate"`
	StreamingRate    types.Float64 `tfsdk:"streaming_rate"`
	LastRunStartTime types.String  `tfsdk:"last_run_start_time"`

	FeedbackScores map[string]float64 `tfsdk:"feedback_scores"`
	FeedbackCounts map[string]int64   `tfsdk:"feedback_counts"`
}

// newStatistics converts the statistics that the service returned. Costs become strings of exact decimals.
func newStatistics(stats api.RunStats) (statistics, diag.Diagnostics) {
	s := framework.Flatten(statistics{}, stats)
	var diags diag.Diagnostics
	if stats.LastRunStartTime != nil { // Without a zone, which means UTC.
		at, err := timestamp.Parse(*stats.LastRunStartTime)
		if err != nil {
			diags.AddError(cannotRead, "The service returned an invalid last_run_start_time: "+err.Error())
		}
		s.LastRunStartTime = types.StringValue(timestamp.Format(at))
	}
	for _, cost := range []struct {
		from *json.Number
		to   *types.String
	}{{stats.TotalCost, &s.TotalCost}, {stats.PromptCost, &s.PromptCost}, {stats.CompletionCost, &s.CompletionCost}} {
		if cost.from == nil {
			continue
		}
		exact, err := decimal.Parse(cost.from.String())
		if err != nil {
			diags.AddError(cannotRead, "The service returned a cost that is not a number: "+err.Error())
			continue
		}
		*cost.to = types.StringValue(exact.String())
	}
	var err error
	if s.FeedbackScores, s.FeedbackCounts, err = readFeedback(stats.FeedbackStats); err != nil {
		diags.AddError(cannotRead, "The service returned invalid feedback_stats: "+err.Error())
	}
	return s, diags
}

// readFeedback returns the average scores of feedback, and how often it was left, by key.
func readFeedback(raw json.RawMessage) (scores map[string]float64, counts map[string]int64, err error) {
	var byKey map[string]struct {
		N   int64    `json:"n"`
		Avg *float64 `json:"avg"`
	}
	if raw != nil {
		err = json.Unmarshal(raw, &byKey)
	}
	scores, counts = map[string]float64{}, map[string]int64{}
	for key, feedback := range byKey {
		counts[key] = feedback.N
		if feedback.Avg != nil {
			scores[key] = *feedback.Avg
		}
	}
	return scores, counts, err
}

// measured returns the project's statistics in the configured window; null, without a request, if there is none.
func measured(ctx context.Context, c *client.Client, config model, projectID string, now time.Time) (types.Object, diag.Diagnostics) {
	kinds := statisticsTypes()
	from, to, diags := config.window(now)
	if diags.HasError() || from == nil && to == nil {
		return types.ObjectNull(kinds), diags
	}
	root := true
	query := api.RunStatsQuery{Session: []string{projectID}, IsRoot: &root}
	if from != nil {
		query.StartTime = timestamp.Format(*from)
	}
	if to != nil {
		query.EndTime = timestamp.Format(*to)
	}
	return readStatistics(ctx, c, query, config.StatisticsExcludeInterrupts.ValueBool())
}

// readStatistics reads the statistics of the selected runs, optionally with an error rate without interrupts.
func readStatistics(ctx context.Context, c *client.Client, query api.RunStatsQuery, excludeInterrupts bool) (types.Object, diag.Diagnostics) {
	kinds := statisticsTypes()
	stats, err := c.RunStats(ctx, query)
	if err != nil {
		return types.ObjectNull(kinds), framework.Failure{Summary: cannotRead}.Diagnostics(err)
	}
	found, diags := newStatistics(*stats)
	if diags.HasError() {
		return types.ObjectNull(kinds), diags
	}
	if stats.RunCount == 0 {
		none := types.Int64Value(0)
		found.UnpricedRunCount, found.UnpricedTokens, found.UnreadSpanCount = none, none, none
		found.CostIncompleteRunCount, found.CostUncheckedRunCount, found.InterruptedRunCount = none, none, none
		return types.ObjectValueFrom(ctx, kinds, found)
	}
	if found.UnpricedRunCount, found.UnpricedTokens, err = unpriced(ctx, c, query); err == nil {
		found.UnreadSpanCount, _, err = counted(ctx, c, query, unreadSpans)
	}
	if err == nil {
		found.CostIncompleteRunCount, found.CostUncheckedRunCount, err = incomplete(ctx, c, query, stats)
	}
	if err == nil {
		found.InterruptedRunCount, err = interrupted(ctx, c, query, stats)
	}
	if err != nil {
		return types.ObjectNull(kinds), framework.Failure{Summary: cannotRead}.Diagnostics(err)
	}
	if excludeInterrupts {
		found.ErrorRate = errorRateWithout(found.InterruptedRunCount, stats)
	}
	return types.ObjectValueFrom(ctx, kinds, found)
}

// window are the times between which runs count; nil where nothing bounds them.
func (m model) window(now time.Time) (from, to *time.Time, diags diag.Diagnostics) {
	for _, bound := range []struct {
		text types.String
		to   **time.Time
	}{{m.StatisticsStartTime, &from}, {m.StatisticsEndTime, &to}} {
		if bound.text.IsNull() {
			continue
		}
		at, err := time.Parse(time.RFC3339, bound.text.ValueString())
		if err != nil { // The validator has seen to it.
			return nil, nil, framework.NewError(cannotRead, "%s", err)
		}
		*bound.to = &at
	}
	if from != nil && to != nil && !from.Before(*to) {
		return nil, nil, framework.ErrorAt(path.Root("statistics_end_time"), "Invalid statistics_end_time", "%s is not after "+
			"statistics_start_time, %s, so the window is empty. Set a later end or an earlier start.",
			m.StatisticsEndTime.ValueString(), m.StatisticsStartTime.ValueString())
	}
	if m.StatisticsWindow.IsNull() {
		return from, to, nil
	}
	window, diags := m.StatisticsWindow.ValueGoDuration()
	end := now
	if to != nil {
		end = *to
	}
	begin := end.Add(-window)
	return &begin, to, diags
}

// statisticsTypes are those of the attributes of statistics.
func statisticsTypes() map[string]attr.Type {
	return framework.NestedTypes(statisticsAttribute("").GetType())
}

// unpricedRuns matches calls of models without a cost. One without tokens counts, too: a client that logs no usage would otherwise look
// like one that spends nothing. Other runs have the tokens and costs of the runs below them.
const unpricedRuns = `and(in(run_type, ["llm", "embedding"]), eq(total_cost, null))`

// unreadSpans matches runs whose spans have content that the dev server doesn't understand. Other services mark none.
const unreadSpans = `eq(metadata_key, "OTEL_UNREAD_ATTRIBUTES")`

// unlessRefused returns nil for an error with which services refuse a query that they don't support.
func unlessRefused(err error) error {
	switch client.StatusOf(err) {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return nil
	}
	return err
}

// unpriced counts the unpriced calls of the traces that a query matches, and their tokens. They are null if what the service found has a
// cost: then it has ignored the filter.
func unpriced(ctx context.Context, c *client.Client, traces api.RunStatsQuery) (runs, tokens types.Int64, _ error) {
	runs, stats, err := counted(ctx, c, traces, unpricedRuns)
	if stats == nil || hasCost(stats) {
		return types.Int64Null(), types.Int64Null(), err
	}
	return runs, types.Int64Value(stats.TotalTokens), nil
}

// counted counts the runs that a filter selects in the traces that a query matches. The service's statistics don't contain them, but it can
// search for them. They are null if it can't.
func counted(ctx context.Context, c *client.Client, traces api.RunStatsQuery, filter string) (types.Int64, *api.RunStats, error) {
	return runCount(ctx, c, api.RunStatsQuery{Session: traces.Session, StartTime: traces.StartTime, Filter: filter, TraceFilter: startedWithin(traces)})
}

// runCount counts the runs that a query with a filter selects. They are null if the service refuses it.
func runCount(ctx context.Context, c *client.Client, query api.RunStatsQuery) (types.Int64, *api.RunStats, error) {
	stats, err := c.RunStats(ctx, query)
	if err != nil {
		return types.Int64Null(), nil, unlessRefused(err)
	}
	return types.Int64Value(stats.RunCount), stats, nil
}

// incomplete counts the calls whose cost isn't all that providers bill, and those for which that is unknown, in the traces that a query
// matches. The counts are null if the service doesn't have them.
func incomplete(ctx context.Context, c *client.Client, query api.RunStatsQuery, stats *api.RunStats) (runs, unchecked types.Int64, _ error) {
	if stats.TotalCost == nil {
		return types.Int64Value(0), types.Int64Value(0), nil
	}
	costs, err := c.RunCostStats(ctx, query)
	if err != nil {
		return types.Int64Null(), types.Int64Null(), unlessRefused(err)
	}
	return types.Int64PointerValue(costs.CostIncompleteRunCount), types.Int64PointerValue(costs.CostUncheckedRunCount), nil
}

// hasCost reports whether a cost is known that isn't 0.
func hasCost(stats *api.RunStats) bool {
	if stats.TotalCost == nil {
		return false
	}
	cost, err := decimal.Parse(stats.TotalCost.String())
	return err != nil || cost.Sign() != 0
}

// startedWithin is the time span of a query as a filter, empty without bounds: a call may start after the span in which its trace started.
func startedWithin(traces api.RunStatsQuery) string {
	var bounds []string
	if traces.StartTime != "" {
		bounds = append(bounds, fmt.Sprintf("gte(start_time, %q)", traces.StartTime))
	}
	if traces.EndTime != "" {
		bounds = append(bounds, fmt.Sprintf("lt(start_time, %q)", traces.EndTime))
	}
	if len(bounds) < 2 {
		return strings.Join(bounds, "")
	}
	return "and(" + strings.Join(bounds, ", ") + ")"
}

// interrupted counts the traces that a query matches and whose error is an interrupt of a graph. It is null if the service refuses to search
// for them, or returns traces that haven't failed: then it has ignored the filter.
func interrupted(ctx context.Context, c *client.Client, traces api.RunStatsQuery, stats *api.RunStats) (types.Int64, error) {
	if failures(stats) == 0 {
		return types.Int64Value(0), nil
	}
	failed := true
	traces.Error, traces.Filter = &failed, llmrun.InterruptFilter
	runs, stats, err := runCount(ctx, c, traces)
	if stats == nil || failures(stats) != stats.RunCount {
		return types.Int64Null(), err
	}
	return runs, nil
}

// failures is the number of failed traces.
func failures(stats *api.RunStats) int64 {
	if stats.ErrorRate == nil {
		return 0
	}
	return int64(math.Round(*stats.ErrorRate * float64(stats.RunCount)))
}

// errorRateWithout is the share of the traces that failed and weren't interrupted; null if one of the numbers is. More traces may have been
// interrupted since the failed ones were counted.
func errorRateWithout(interrupts types.Int64, stats *api.RunStats) types.Float64 {
	if interrupts.IsNull() || stats.ErrorRate == nil {
		return types.Float64Null()
	}
	return types.Float64Value(float64(max(0, failures(stats)-interrupts.ValueInt64())) / float64(stats.RunCount))
}
