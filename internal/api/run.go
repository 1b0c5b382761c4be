package api

import "encoding/json"

// Run is a traced run as the second version of the runs API answers it. What was not selected is absent, and so is what
// has no value.
type Run struct {
	ID        string `json:"id,omitempty"`
	ProjectID string `json:"project_id,omitempty"`
	TraceID   string `json:"trace_id,omitempty"`
	// ParentRunIDs are those of the runs above it, the root first; the direct parent is the last one.
	ParentRunIDs []string `json:"parent_run_ids,omitempty"`
	DottedOrder  string   `json:"dotted_order,omitempty"`
	IsRoot       *bool    `json:"is_root,omitempty"`
	ThreadID     *string  `json:"thread_id,omitempty"`

	Name string `json:"name,omitempty"`
	// RunType and Status are in capitals, as in LLM and SUCCESS.
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
	// The costs are US dollars. A Number keeps all their digits.
	TotalCost              *json.Number `json:"total_cost,omitempty"`
	PromptCost             *json.Number `json:"prompt_cost,omitempty"`
	CompletionCost         *json.Number `json:"completion_cost,omitempty"`
	PromptTokenDetails     *RunDetails  `json:"prompt_token_details,omitempty"`
	CompletionTokenDetails *RunDetails  `json:"completion_token_details,omitempty"`
	PromptCostDetails      *RunDetails  `json:"prompt_cost_details,omitempty"`
	CompletionCostDetails  *RunDetails  `json:"completion_cost_details,omitempty"`
	PriceModelID           *string      `json:"price_model_id,omitempty"`

	AppPath            string            `json:"app_path,omitempty"`
	Attachments        map[string]string `json:"attachments,omitempty"` // URLs by name.
	ReferenceExampleID *string           `json:"reference_example_id,omitempty"`
}

// RunDetails are tokens or costs by the kind of token.
type RunDetails struct {
	Raw map[string]json.Number `json:"raw"`
}

// RunQuery asks the second version of the runs API for runs. Empty fields don't narrow it down.
type RunQuery struct {
	ProjectIDs []string `json:"project_ids,omitempty"`
	IDs        []string `json:"ids,omitempty"`
	TraceID    string   `json:"trace_id,omitempty"`
	// RunType is in capitals.
	RunType  string `json:"run_type,omitempty"`
	IsRoot   *bool  `json:"is_root,omitempty"`
	HasError *bool  `json:"has_error,omitempty"`
	// MinStartTime is a day ago unless it is given.
	MinStartTime string `json:"min_start_time,omitempty"`
	MaxStartTime string `json:"max_start_time,omitempty"`
	// Filter, TraceFilter and TreeFilter are in the filter language: for the run, for the root of its trace, and for any run
	// of its trace.
	Filter      string `json:"filter,omitempty"`
	TraceFilter string `json:"trace_filter,omitempty"`
	TreeFilter  string `json:"tree_filter,omitempty"`
	// Selects are names of fields in capitals; only ID without any.
	Selects []string `json:"selects,omitempty"`
	// PageSize is 1 to 1000, 100 unless it is given.
	PageSize int    `json:"page_size,omitempty"`
	Cursor   string `json:"cursor,omitempty"`
	// IncludeSubtreeUsage asks for tokens, costs and the first token of a run and of all below it, in answers and in filters, and
	// not for those of the run alone.
	IncludeSubtreeUsage bool `json:"include_subtree_usage,omitempty"`
	// SortOrder is DESC, by the start, unless it is ASC.
	SortOrder string `json:"sort_order,omitempty"`
}

// RunPage is an answer to a RunQuery.
type RunPage struct {
	Items []Run `json:"items"`
	// NextCursor asks for the next page; empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	HasMore    bool   `json:"has_more"`
}

// RunURL is where people look at a run.
type RunURL struct {
	URL string `json:"url"`
}
