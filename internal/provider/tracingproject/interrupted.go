package tracingproject

import (
	"context"
	"math"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

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
