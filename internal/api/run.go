package api

import (
	"encoding/json"
)

// Run is a traced run in version 2 of the runs API. Fields that are not selected or have no value are absent.
type Run struct {
	ID        string `json:"id,omitempty" format:"uuid"`
	ProjectID string `json:"project_id,omitempty" format:"uuid"`
	TraceID   string `json:"trace_id,omitempty" format:"uuid"`
	// ParentRunIDs are the IDs of the ancestors, from the root to the direct parent.
	ParentRunIDs []string `json:"parent_run_ids,omitempty"`
	DottedOrder  string   `json:"dotted_order,omitempty"`
	IsRoot       *bool    `json:"is_root,omitempty"`
	ThreadID     *string  `json:"thread_id,omitempty"`

	Name string `json:"name,omitempty"`
	// RunType and Status are in capitals, such as LLM and SUCCESS.
	RunType string `json:"run_type,omitempty"`
	Status  string `json:"status,omitempty"`

	StartTime      string   `json:"start_time,omitempty"`
	EndTime        *string  `json:"end_time,omitempty"`
	LatencySeconds *float64 `json:"latency_seconds,omitempty"`
	FirstTokenTime *string  `json:"first_token_time,omitempty"`

	Inputs         json.RawMessage `json:"inputs,omitempty"`
	Outputs        json.RawMessage `json:"outputs,omitempty"`
	InputsPreview  *string         `json:"inputs_preview,omitempty"`
	OutputsPreview *string         `json:"outputs_preview,omitempty"`
	Error          *string         `json:"error,omitempty"`
	ErrorPreview   *string         `json:"error_preview,omitempty"`
	Events         json.RawMessage `json:"events,omitempty"`
	Extra          json.RawMessage `json:"extra,omitempty"`
	Metadata       json.RawMessage `json:"metadata,omitempty"`
	Manifest       json.RawMessage `json:"manifest,omitempty"`
	Tags           []string        `json:"tags,omitempty"`

	TotalTokens      *int64 `json:"total_tokens,omitempty"`
	PromptTokens     *int64 `json:"prompt_tokens,omitempty"`
	CompletionTokens *int64 `json:"completion_tokens,omitempty"`
	// Costs are in US dollars. A Number keeps all digits.
	TotalCost              *json.Number `json:"total_cost,omitempty"`
	PromptCost             *json.Number `json:"prompt_cost,omitempty"`
	CompletionCost         *json.Number `json:"completion_cost,omitempty"`
	PromptTokenDetails     *RunDetails  `json:"prompt_token_details,omitempty"`
	CompletionTokenDetails *RunDetails  `json:"completion_token_details,omitempty"`
	PromptCostDetails      *RunDetails  `json:"prompt_cost_details,omitempty"`
	CompletionCostDetails  *RunDetails  `json:"completion_cost_details,omitempty"`
	// CostIncomplete are the reasons why the cost isn't all that providers bill: empty if it is, and nil if that is unknown.
	CostIncomplete []string `json:"cost_incomplete,omitempty"`
	PriceModelID   *string  `json:"price_model_id,omitempty"`

	AppPath            string            `json:"app_path,omitempty"`
	Attachments        map[string]string `json:"attachments,omitempty"` // URLs by name.
	ReferenceExampleID *string           `json:"reference_example_id,omitempty"`
}

// RunDetails are tokens or costs by kind of token.
type RunDetails struct {
	Raw map[string]json.Number `json:"raw"`
}

// RunQuery is a query for version 2 of the runs API. Empty fields don't filter.
type RunQuery struct {
	ProjectIDs []string `json:"project_ids,omitempty"`
	IDs        []string `json:"ids,omitempty"`
	TraceID    string   `json:"trace_id,omitempty"`
	// RunType is in capitals.
	RunType  string `json:"run_type,omitempty"`
	IsRoot   *bool  `json:"is_root,omitempty"`
	HasError *bool  `json:"has_error,omitempty"`
	// MinStartTime defaults to a day ago.
	MinStartTime string `json:"min_start_time,omitempty"`
	MaxStartTime string `json:"max_start_time,omitempty"`
	// Filter, TraceFilter and TreeFilter are in the filter language. They apply to the run, to the root of its trace, and to any run
	// of its trace.
	Filter      string `json:"filter,omitempty"`
	TraceFilter string `json:"trace_filter,omitempty"`
	TreeFilter  string `json:"tree_filter,omitempty"`
	// Selects are names of fields in capitals. Default: only ID.
	Selects []string `json:"selects,omitempty"`
	// PageSize is 1 to 1000. Default: 100.
	PageSize int    `json:"page_size,omitempty"`
	Cursor   string `json:"cursor,omitempty"`
	// IncludeSubtreeUsage includes all descendants of a run in its tokens, costs and first token, in responses and in filters.
	IncludeSubtreeUsage bool `json:"include_subtree_usage,omitempty"`
	// SortOrder is ASC or DESC, by start time. Default: DESC.
	SortOrder string `json:"sort_order,omitempty"`
}

// RunPage is the response to a RunQuery.
type RunPage struct {
	Items []Run `json:"items"`
	// NextCursor is the cursor of the next page; empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	HasMore    bool   `json:"has_more"`
}

// RunURL is the URL of a run in the service's UI.
type RunURL struct {
	URL string `json:"url"`
}

// RunIngest is what a client sends to create or to change a run. Absent fields are left unchanged.
type RunIngest struct {
	ID          string `json:"id,omitempty"`
	TraceID     string `json:"trace_id,omitempty"`
	ParentRunID string `json:"parent_run_id,omitempty"`
	DottedOrder string `json:"dotted_order,omitempty"`

	// SessionID and SessionName identify the project. Default: the project named default.
	SessionID   string `json:"session_id,omitempty"`
	SessionName string `json:"session_name,omitempty"`

	Name string `json:"name,omitempty"`
	// RunType is in lower case, such as llm.
	RunType   string `json:"run_type,omitempty"`
	StartTime string `json:"start_time,omitempty"`
	EndTime   string `json:"end_time,omitempty"`

	// Inputs, Outputs and Extra are objects.
	Inputs  json.RawMessage `json:"inputs,omitempty"`
	Outputs json.RawMessage `json:"outputs,omitempty"`
	Extra   json.RawMessage `json:"extra,omitempty"`
	Error   string          `json:"error,omitempty"`
	// Events and Tags replace the ones that were sent before.
	Events []RunEvent `json:"events,omitempty"`
	Tags   []string   `json:"tags,omitempty"`
}

// RunEvent is an event during a run.
type RunEvent struct {
	Name string `json:"name"`
	Time string `json:"time"`
}

// RunPlace is what version 1 of the runs API says about where a run is.
type RunPlace struct {
	ID string `json:"id"`
	// SessionID is the ID of the project.
	SessionID string `json:"session_id"`
}

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
