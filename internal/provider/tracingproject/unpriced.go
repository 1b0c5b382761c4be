package tracingproject

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// unpricedRuns matches calls of models without a cost. One without tokens counts, too: a client that logs no usage would otherwise look
// like one that spends nothing. Other runs have the tokens and costs of the runs below them.
const unpricedRuns = `and(in(run_type, ["llm", "embedding"]), eq(total_cost, null))`

// unreadSpans matches runs whose spans have content that the dev server doesn't understand. Other services mark none.
const unreadSpans = `eq(metadata_key, "OTEL_UNREAD_ATTRIBUTES")`

// noAnswer are the statuses with which services refuse a query that they don't support.
var noAnswer = []int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity, http.StatusNotImplemented,
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
		if slices.Contains(noAnswer, client.StatusOf(err)) {
			err = nil
		}
		return types.Int64Null(), nil, err
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
		if slices.Contains(noAnswer, client.StatusOf(err)) {
			err = nil
		}
		return types.Int64Null(), types.Int64Null(), err
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
