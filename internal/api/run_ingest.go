package api

import "encoding/json"

// RunIngest is what a client says of a run, when it creates or when it changes it. What is absent has not been said, and
// leaves what is there.
type RunIngest struct {
	ID          string `json:"id,omitempty"`
	TraceID     string `json:"trace_id,omitempty"`
	ParentRunID string `json:"parent_run_id,omitempty"`
	DottedOrder string `json:"dotted_order,omitempty"`

	// SessionID and SessionName are the project; without either, it is the one named default.
	SessionID   string `json:"session_id,omitempty"`
	SessionName string `json:"session_name,omitempty"`

	Name string `json:"name,omitempty"`
	// RunType is in small letters, as in llm.
	RunType   string `json:"run_type,omitempty"`
	StartTime string `json:"start_time,omitempty"`
	EndTime   string `json:"end_time,omitempty"`

	// Inputs, Outputs and Extra are objects.
	Inputs  json.RawMessage `json:"inputs,omitempty"`
	Outputs json.RawMessage `json:"outputs,omitempty"`
	Extra   json.RawMessage `json:"extra,omitempty"`
	Error   string          `json:"error,omitempty"`
	// Events and Tags replace those that were sent before.
	Events []RunEvent `json:"events,omitempty"`
	Tags   []string   `json:"tags,omitempty"`
}

// RunEvent is something that happened during a run.
type RunEvent struct {
	Name string `json:"name"`
	Time string `json:"time"`
}
