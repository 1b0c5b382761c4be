package api

import "encoding/json"

// Dataset has the examples that agents are tested with.
type Dataset struct {
	ID           string `json:"id" format:"uuid"`
	Name         string `json:"name"`
	ExampleCount *int64 `json:"example_count"`
}

// Experiment is the tracing project of an evaluation.
type Experiment struct {
	TracingProject
	// SessionFeedbackStats is the feedback on the project itself, by key.
	SessionFeedbackStats json.RawMessage `json:"session_feedback_stats"`
}
