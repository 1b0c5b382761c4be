package api

import (
	"encoding/json"
)

// TracingProject collects the traces of a deployment. The service creates one of the same name with each deployment; the
// tracing API calls it a session.
type TracingProject struct {
	ID string `json:"id" format:"uuid"`
	// TenantID is the workspace.
	TenantID           string                     `json:"tenant_id"`
	Name               string                     `json:"name"`
	StartTime          string                     `json:"start_time"`
	EndTime            *string                    `json:"end_time"`
	Description        *string                    `json:"description"`
	Extra              map[string]json.RawMessage `json:"extra,omitzero"`
	ReferenceDatasetID *string                    `json:"reference_dataset_id"`
}

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
