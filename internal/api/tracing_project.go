package api

import "encoding/json"

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
