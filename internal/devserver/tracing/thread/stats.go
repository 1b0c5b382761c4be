package thread

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// threadsStatsRequest requests the figures of all conversations of a project together.
type threadsStatsRequest struct {
	ProjectID    api.UUID `json:"project_id"`
	Select       []string `json:"select"`
	MinStartTime *string  `json:"min_start_time,omitzero"`
	MaxStartTime *string  `json:"max_start_time,omitzero"`
	Filter       *string  `json:"filter,omitzero"`
	TraceFilter  *string  `json:"trace_filter,omitzero"`
	TreeFilter   *string  `json:"tree_filter,omitzero"`
	ThreadFilter *string  `json:"thread_filter,omitzero"`
}

// threadsMetrics maps the names of figures in requests to those in the response, which include the unit of times.
var threadsMetrics = map[string]string{ //nolint:gosec // These are the token counts of model calls.
	"THREAD_COUNT": "thread_count", "TRACE_COUNT": "trace_count", "TOTAL_TOKENS": "total_tokens", "PROMPT_TOKENS": "prompt_tokens",
	"COMPLETION_TOKENS": "completion_tokens", "TOTAL_COST": "total_cost", "PROMPT_COST": "prompt_cost", "COMPLETION_COST": "completion_cost",
	"ERROR_RATE": "error_rate", "STREAMING_RATE": "streaming_rate", "MEDIAN_TOKENS": "median_tokens",
	"LATENCY_P50": "latency_p50_seconds", "LATENCY_P99": "latency_p99_seconds",
	"FIRST_TOKEN_P50": "first_token_p50_seconds", "FIRST_TOKEN_P99": "first_token_p99_seconds",
	"PROMPT_TOKEN_DETAILS": "prompt_token_details", "COMPLETION_TOKEN_DETAILS": "completion_token_details",
	"PROMPT_COST_DETAILS": "prompt_cost_details", "COMPLETION_COST_DETAILS": "completion_cost_details",
	"THREAD_FEEDBACK_STATS": "thread_feedback_stats",
}

// threadsStats returns the figures of the traces that belong to conversations.
func (s *Service) threadsStats(c *rest.Call) (rest.Answer, error) {
	request, err := form.Known[threadsStatsRequest](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	var v form.Validator
	at := []api.LocStep{api.Key("body"), api.Key("select")}
	if len(request.Select) == 0 {
		v.Add(at, "too_short", "List should have at least 1 item after validation")
	}
	for i := range request.Select {
		v.Choice(&request.Select[i], slices.Sorted(maps.Keys(threadsMetrics)), form.Loc(at, i))
	}
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	whole := form.Truth(true)
	f, err := run.QueryV2{
		ProjectID: &request.ProjectID, IsRoot: &whole, IncludeSubtreeUsage: &whole, MinStartTime: request.MinStartTime,
		MaxStartTime: request.MaxStartTime, Filter: request.Filter, TraceFilter: request.TraceFilter, TreeFilter: request.TreeFilter,
	}.RunFilter(c)
	if err != nil {
		return rest.Answer{}, err
	}
	if err := s.onlyThreads(c, &f, request.ThreadFilter); err != nil {
		return rest.Answer{}, err
	}
	threads, err := c.Tx.CountThreads(f)
	if err != nil {
		return rest.Answer{}, err
	}
	f.Where = run.Both(f.Where, filter.Compare{Op: filter.NotEqual, Field: filter.ThreadID, Value: filter.Value{Null: true}})
	m, err := run.FiguresOf(c, f, true)
	if err != nil {
		return rest.Answer{}, err
	}
	said, err := feedback.OnThreads(c.Tx, f)
	if err != nil {
		return rest.Answer{}, err
	}
	all := run.StatsFields(m.Answer())
	all["thread_feedback_stats"] = said.OfThread()
	all["thread_count"], all["trace_count"] = threads, len(m.Runs)
	answer := map[string]any{}
	for _, name := range request.Select {
		called := threadsMetrics[name]
		if value := all[strings.TrimSuffix(called, "_seconds")]; !run.IsNothing(value) {
			answer[called] = value
		}
	}
	return rest.OK(answer), nil
}

// onlyThreads restricts the matching runs to conversations that match a filter.
func (s *Service) onlyThreads(c *rest.Call, f *store.RunFilter, text *string) error {
	where, err := parseThreadFilter(text)
	if err != nil || where == nil {
		return err
	}
	matching := filter.In{Field: filter.ThreadID}
	for cursor, first := "", true; first || cursor != ""; first = false {
		var page []thread
		if page, cursor, err = s.threadPage(c, *f, where, cursor, limits.LongPage); err != nil {
			return err
		}
		for _, t := range page {
			matching.Values = append(matching.Values, filter.Value{Text: &t.id})
		}
		if len(matching.Values) > limits.FilterSize {
			return refusal.Broken("thread_filter matches more than %d conversations: narrow the query", limits.FilterSize)
		}
	}
	f.Where = run.Both(f.Where, matching)
	return nil
}
