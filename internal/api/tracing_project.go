package api

import "encoding/json"

// TracingProject collects the traces of a deployment. The service creates one of the same name with each deployment; the
// tracing API calls it a session.
type TracingProject struct {
	ID string `json:"id"`
	// TenantID is the workspace.
	TenantID           string                     `json:"tenant_id"`
	Name               string                     `json:"name"`
	StartTime          string                     `json:"start_time"`
	EndTime            *string                    `json:"end_time"`
	Description        *string                    `json:"description"`
	Extra              map[string]json.RawMessage `json:"extra,omitzero"`
	ReferenceDatasetID *string                    `json:"reference_dataset_id"`
}

// TracingProjectCreateRequest creates a tracing project.
type TracingProjectCreateRequest struct {
	// ID is made by the service unless the client brings one.
	ID                 *string                    `json:"id,omitempty"`
	Name               string                     `json:"name"`
	StartTime          *string                    `json:"start_time,omitempty"`
	EndTime            *string                    `json:"end_time,omitempty"`
	Description        *string                    `json:"description,omitempty"`
	Extra              map[string]json.RawMessage `json:"extra,omitzero"`
	ReferenceDatasetID *string                    `json:"reference_dataset_id,omitempty"`
}

// TracingProjectPatchRequest changes a tracing project. What is null stays as it is.
type TracingProjectPatchRequest struct {
	Name        *string                    `json:"name,omitempty"`
	EndTime     *string                    `json:"end_time,omitempty"`
	Description *string                    `json:"description,omitempty"`
	Extra       map[string]json.RawMessage `json:"extra,omitzero"`
}
