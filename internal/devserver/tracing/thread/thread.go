package thread

import (
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// thread is a conversation: the root runs whose metadata contains its ID, oldest first.
type thread struct {
	workspaceID, id string
	turns           []store.Run
}

func (t thread) first() store.Run { return t.turns[0] }
func (t thread) last() store.Run  { return t.turns[len(t.turns)-1] }

// threads reads the matching root runs of the conversations that were found.
func threads(tx *store.Tx, f store.RunFilter, found []store.Thread) ([]thread, error) {
	rows, err := tx.ThreadRuns(f, form.Collect(found, func(t store.Thread) string { return t.ID }))
	if err != nil {
		return nil, err
	}
	turns := map[string][]store.Run{}
	for _, row := range rows {
		turns[*row.ThreadID] = append(turns[*row.ThreadID], row)
	}
	return form.Collect(found, func(t store.Thread) thread { return thread{f.WorkspaceID, t.ID, turns[t.ID]} }), nil
}

// threadFigures are the sums and percentiles of a conversation.
func threadFigures(tx *store.Tx, t thread) (sum usage.Totals, latencies []float64, failed int, err error) {
	totals, err := figure.Rollup(tx, t.workspaceID, t.turns)
	if err != nil {
		return sum, nil, 0, err
	}
	for _, row := range t.turns {
		sum = sum.Add(totals[uuid.MustParse(row.ID)])
		if row.EndTime != nil {
			latencies = append(latencies, row.EndTime.Sub(row.StartTime).Seconds())
		}
		if row.Error != nil {
			failed++
		}
	}
	return sum, latencies, failed, nil
}

// describeThread returns a conversation as it appears in lists; the format of times depends on the API version.
func describeThread(tx *store.Tx, t thread, layout string) (map[string]any, error) {
	sum, latencies, failed, err := threadFigures(tx, t)
	if err != nil {
		return nil, err
	}
	seen := run.View{Tx: tx, WorkspaceID: t.workspaceID}
	begun, err := run.Preview(seen, t.first(), "inputs")
	if err != nil {
		return nil, err
	}
	ended, err := run.Preview(seen, t.last(), "outputs")
	if err != nil {
		return nil, err
	}
	rated, err := feedback.OnRuns(tx, t.workspaceID, t.turns)
	if err != nil {
		return nil, err
	}
	at := func(when time.Time) string { return when.Format(layout) }
	return map[string]any{
		"thread_id": t.id, "count": len(t.turns), "num_errored_turns": failed,
		"first_trace_id": t.first().TraceID, "last_trace_id": t.last().TraceID, "trace_id": t.last().TraceID,
		"first_inputs": begun, "last_outputs": ended, "last_error": t.last().Error,
		"start_time": at(t.last().StartTime), "min_start_time": at(t.first().StartTime), "max_start_time": at(t.last().StartTime),
		"latency_p50": figure.Percentile(latencies, 0.5), "latency_p99": figure.Percentile(latencies, 0.99),
		"total_tokens": sum.TotalTokens, "total_cost": run.CostNumber(sum.TotalCost), "feedback_stats": rated.OfThread(),
	}, nil
}
