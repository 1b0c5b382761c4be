package api

import "encoding/json"

// RunStatsQuery selects the runs for statistics. Empty fields don't filter.
type RunStatsQuery struct {
	// Session has IDs of tracing projects.
	Session []string `json:"session,omitempty"`
	ID      []string `json:"id,omitempty"`
	Trace   string   `json:"trace,omitempty"`
	// RunType is in lower case.
	RunType string `json:"run_type,omitempty"`
	// StartTime (inclusive) and EndTime (exclusive) limit the start of runs.
	StartTime   string   `json:"start_time,omitempty"`
	EndTime     string   `json:"end_time,omitempty"`
	Error       *bool    `json:"error,omitempty"`
	IsRoot      *bool    `json:"is_root,omitempty"`
	Filter      string   `json:"filter,omitempty"`
	TraceFilter string   `json:"trace_filter,omitempty"`
	TreeFilter  string   `json:"tree_filter,omitempty"`
	Select      []string `json:"select,omitempty"`
}

// RunStats are statistics of runs. What can't be computed without runs is null; percentiles of times are in seconds.
type RunStats struct {
	RunCount         int64    `json:"run_count"`
	LatencyP50       *float64 `json:"latency_p50"`
	LatencyP99       *float64 `json:"latency_p99"`
	FirstTokenP50    *float64 `json:"first_token_p50"`
	FirstTokenP99    *float64 `json:"first_token_p99"`
	TotalTokens      int64    `json:"total_tokens"`
	PromptTokens     int64    `json:"prompt_tokens"`
	CompletionTokens int64    `json:"completion_tokens"`

	MedianTokens        *float64 `json:"median_tokens"`
	PromptTokensP50     *float64 `json:"prompt_tokens_p50"`
	CompletionTokensP50 *float64 `json:"completion_tokens_p50"`
	TokensP99           *float64 `json:"tokens_p99"`
	PromptTokensP99     *float64 `json:"prompt_tokens_p99"`
	CompletionTokensP99 *float64 `json:"completion_tokens_p99"`

	LastRunStartTime *string `json:"last_run_start_time"`
	// ErrorRate and StreamingRate are from 0 to 1: the shares of failed and of streamed runs.
	ErrorRate     *float64 `json:"error_rate"`
	StreamingRate *float64 `json:"streaming_rate"`

	// Costs are in US dollars.
	TotalCost      *json.Number `json:"total_cost"`
	PromptCost     *json.Number `json:"prompt_cost"`
	CompletionCost *json.Number `json:"completion_cost"`
	CostP50        *json.Number `json:"cost_p50"`
	CostP99        *json.Number `json:"cost_p99"`

	PromptTokenDetails     map[string]json.Number `json:"prompt_token_details"`
	CompletionTokenDetails map[string]json.Number `json:"completion_token_details"`
	PromptCostDetails      map[string]json.Number `json:"prompt_cost_details"`
	CompletionCostDetails  map[string]json.Number `json:"completion_cost_details"`

	FeedbackStats json.RawMessage `json:"feedback_stats"`
	RunFacets     json.RawMessage `json:"run_facets"`
}

// RunCostStats are statistics that a service returns only if they are selected. Most services don't have them.
type RunCostStats struct {
	RunCount *int64 `json:"run_count"`
	// CostIncompleteRunCount is the number of calls of models whose cost isn't all that providers bill, and CostUncheckedRunCount that of
	// those that were stored before the service found that out.
	CostIncompleteRunCount *int64 `json:"cost_incomplete_run_count"`
	CostUncheckedRunCount  *int64 `json:"cost_unchecked_run_count"`
}
