package api

import "encoding/json"

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
