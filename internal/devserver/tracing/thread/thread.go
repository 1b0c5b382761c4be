package thread

import (
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
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
	below, err := figure.Summarize(tx, t.workspaceID, t.turns)
	if err != nil {
		return sum, nil, 0, err
	}
	for _, row := range t.turns {
		sum = sum.Add(below[row.ID].Totals)
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

// threadCursor is the end of a page of conversations. A conversation that continues meanwhile moves to the front of the
// list, and so doesn't appear again on later pages.
type threadCursor struct {
	Begun int64  `json:"t"` // Microseconds.
	ID    string `json:"i"`
}

// threadPage is RunPage for conversations, the most recently started first. It skips those that don't match a filter.
func threadPage(tx *store.Tx, f store.RunFilter, where filter.Expr, cursor string, limit int) ([]thread, string, error) {
	at, err := run.DecodeCursor[threadCursor](cursor)
	if err != nil {
		return nil, "", err
	}
	var after *store.Thread
	if at != nil {
		after = &store.Thread{ID: at.ID, LastStart: time.UnixMicro(at.Begun).UTC()}
	}
	var page []thread
	var last store.Thread // The last one of the page.
	for {
		found, err := tx.Threads(f, after, limit+1, 0)
		if err != nil {
			return nil, "", err
		}
		threads, err := threads(tx, f, found)
		if err != nil {
			return nil, "", err
		}
		for i, t := range threads {
			if is, err := threadMatches(tx, t, where); err != nil || !is {
				if err != nil {
					return nil, "", err
				}
				continue
			}
			if len(page) == limit {
				return page, run.EncodeCursor(threadCursor{last.LastStart.UnixMicro(), last.ID}), nil
			}
			page, last = append(page, t), found[i]
		}
		if len(found) <= limit {
			return page, "", nil
		}
		after = &found[limit]
	}
}

// onlyThreads restricts the matching runs to conversations that match a filter.
func onlyThreads(tx *store.Tx, f *store.RunFilter, text *string) error {
	where, err := run.ParseFilter(text, filter.ParseThread)
	if err != nil || where == nil {
		return err
	}
	matching := filter.In{Field: filter.ThreadID}
	for cursor, first := "", true; first || cursor != ""; first = false {
		var page []thread
		if page, cursor, err = threadPage(tx, *f, where, cursor, limits.LongPage); err != nil {
			return err
		}
		for _, t := range page {
			matching.Values = append(matching.Values, filter.Value{Text: &t.id})
		}
		if len(matching.Values) > limits.FilterSize {
			return form.Broken("thread_filter matches more than %d conversations: narrow the query", limits.FilterSize)
		}
	}
	f.Where = run.Both(f.Where, matching)
	return nil
}

// threadMatches reports whether a conversation matches an optional filter.
func threadMatches(tx *store.Tx, t thread, where filter.Expr) (bool, error) {
	if where == nil {
		return true, nil
	}
	facts, err := factsOf(tx, t)
	return err == nil && filter.Holds(where, facts), err
}

// threadFacts are the values that filters of conversations compare: strings, and numbers that may be missing.
type threadFacts struct {
	id       string
	numbers  map[filter.Field]*float64
	feedback []store.Feedback
}

// factsOf returns those of a conversation's turns that match a query.
func factsOf(tx *store.Tx, t thread) (threadFacts, error) {
	facts := threadFacts{id: t.id}
	sum, latencies, failed, err := threadFigures(tx, t)
	if err != nil {
		return facts, err
	}
	count := func(n int64) *float64 { return new(float64(n)) }
	cost := func(amount *decimal.Decimal) *float64 { return api.Converted(amount, figure.Float) }
	facts.numbers = map[filter.Field]*float64{
		filter.TurnCount: count(int64(len(t.turns))), filter.ErroredTurns: count(int64(failed)),
		filter.TraceLatencyP50: figure.Percentile(latencies, 0.5), filter.TraceLatencyP99: figure.Percentile(latencies, 0.99),
		filter.TotalTokens: count(sum.TotalTokens), filter.PromptTokens: count(sum.PromptTokens), filter.OutputTokens: count(sum.CompletionTokens),
		filter.TotalCost: cost(sum.TotalCost), filter.PromptCost: cost(sum.PromptCost), filter.OutputCost: cost(sum.CompletionCost),
	}
	if end := t.last().EndTime; end != nil {
		facts.numbers[filter.ThreadDuration] = new(end.Sub(t.first().StartTime).Seconds())
	}
	for name, of := range map[filter.Field]map[string]decimal.Decimal{
		"prompt_token_details": sum.PromptTokenDetails, "completion_token_details": sum.CompletionTokenDetails,
		"prompt_cost_details": sum.PromptCostDetails, "completion_cost_details": sum.CompletionCostDetails,
	} {
		for kind, n := range of {
			facts.numbers[name+filter.Field("."+kind)] = new(figure.Float(n))
		}
	}
	return facts, feedback.Each(tx, t.workspaceID, t.turns, func(one store.Feedback) error {
		facts.feedback = append(facts.feedback, one)
		return nil
	})
}

// Value implements filter.Subject.
func (f threadFacts) Value(field filter.Field) filter.Value {
	if field == filter.ThreadID {
		return filter.Value{Text: &f.id}
	}
	return numberValue(f.numbers[field])
}

// Entries implements filter.Subject: conversations have feedback.
func (f threadFacts) Entries(filter.Field) []filter.Entry {
	all := make([]filter.Entry, len(f.feedback))
	for i, one := range f.feedback {
		all[i] = filter.Entry{
			filter.FeedbackKey: {Text: &one.Key}, filter.FeedbackScore: numberValue(one.Score),
			filter.FeedbackValue: {Text: one.Value, Null: one.Value == nil},
		}
	}
	return all
}

// Contains implements filter.Subject. Filters of conversations can't search.
func (f threadFacts) Contains(string) bool { return false }

func numberValue(n *float64) filter.Value {
	if n == nil {
		return filter.Value{Null: true}
	}
	return filter.Value{Number: new(strconv.FormatFloat(*n, 'f', -1, 64))}
}
