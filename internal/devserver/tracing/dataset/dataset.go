package dataset

import (
	"encoding/json"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// Service keeps datasets and their examples.
type Service struct {
	store  *store.Store
	now    func() time.Time // Called inside transactions.
	runs   *run.Service     // Knows the limit of workspaces, which examples share.
	memory *limits.Memory
}

// New returns a service on a database, which shares the memory limit for bodies with other services.
func New(db *store.Store, now func() time.Time, runs *run.Service, memory *limits.Memory) *Service {
	return &Service{store: db, now: now, runs: runs, memory: memory}
}

// save stores examples of one dataset, unless the workspace takes as much as it may.
func (s *Service) save(tx *store.Tx, workspaceID, datasetID string, rows []store.Example, now time.Time) error {
	if _, err := Read(tx, workspaceID, datasetID); err != nil {
		return err
	}
	taken, limit, err := s.runs.Space(tx, workspaceID)
	if err != nil {
		return err
	}
	if limit > 0 && taken >= limit {
		return form.Refuse(form.Forbidden, "The workspace takes %d bytes, and the limit of this server is %d (-max-bytes): "+
			"delete datasets or tracing projects that are no longer needed.", taken, limit)
	}
	return tx.SaveExamples(workspaceID, rows, now)
}

// dataTypes are what examples can be: any objects, texts, or conversations. It makes no difference here.
var dataTypes = []string{"kv", "llm", "chat"}

// body creates or changes a dataset. What is absent stays as it is.
type body struct {
	ID          *api.UUID            `json:"id,omitzero"`
	Name        *string              `json:"name,omitzero"`
	Description api.Optional[string] `json:"description,omitzero"`
	DataType    *string              `json:"data_type,omitzero"`
	CreatedAt   *string              `json:"created_at,omitzero"`
	// Extra has the metadata of a new dataset.
	Extra map[string]json.RawMessage `json:"extra,omitzero"`
	settings
	// TagValueIDs has no effect: nothing is tagged here.
	TagValueIDs json.RawMessage `json:"tag_value_ids,omitzero"`
}

// settings are stored as they were sent. Schemas and transformations have no effect on examples.
type settings struct {
	Metadata             json.RawMessage `json:"metadata,omitzero"`
	InputsSchema         json.RawMessage `json:"inputs_schema_definition,omitzero"`
	OutputsSchema        json.RawMessage `json:"outputs_schema_definition,omitzero"`
	Transformations      json.RawMessage `json:"transformations,omitzero"`
	BaselineExperimentID json.RawMessage `json:"baseline_experiment_id,omitzero"`
	ExternallyManaged    json.RawMessage `json:"externally_managed,omitzero"`
}

// newRow returns a dataset without settings, which apply adds.
func (b body) newRow(workspaceID string, now time.Time) (store.Dataset, error) {
	row := store.Dataset{WorkspaceID: workspaceID, ID: form.NewID(b.ID), DataType: dataTypes[0], Settings: "{}", CreatedAt: now, ModifiedAt: now}
	if b.DataType != nil {
		row.DataType = *b.DataType
	}
	err := form.SetTime("created_at", b.CreatedAt, &row.CreatedAt)
	return row, err
}

// apply changes a dataset.
func (b body) apply(row *store.Dataset) error {
	if b.Name != nil {
		row.Name = *b.Name
	}
	if b.Description.Present {
		row.Description = b.Description.Value
	}
	if b.Metadata == nil {
		b.Metadata = b.Extra["metadata"]
	}
	var v form.Validator
	v.NotEmpty(row.Name, form.Body("name"))
	if len(row.Name) > limits.ProjectName {
		v.Add(form.Body("name"), "string_too_long", "String should have at most %d bytes", limits.ProjectName)
	}
	v.Choice(&row.DataType, dataTypes, form.Body("data_type"))
	if text := string(b.Metadata); text != "" && text != "null" && text[0] != '{' {
		v.Add(form.Body("metadata"), "dict_type", "Input should be a valid dictionary")
	}
	if err := v.Err(); err != nil {
		return err
	}
	var kept settings
	changes, err := json.Marshal(b.settings)
	for _, text := range []string{row.Settings, string(changes)} {
		if err == nil {
			err = json.Unmarshal([]byte(text), &kept)
		}
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(kept)
	row.Settings = string(text)
	return err
}

// answer returns a dataset as it appears in responses.
func answer(row store.Dataset) map[string]any {
	var said settings
	_ = json.Unmarshal([]byte(row.Settings), &said) // It was encoded from this type.
	return map[string]any{
		"id": row.ID, "tenant_id": row.WorkspaceID, "name": row.Name, "description": row.Description, "data_type": row.DataType,
		"created_at": form.DateTime(row.CreatedAt), "modified_at": form.DateTime(row.ModifiedAt), "example_count": row.Examples,
		"session_count": row.Experiments, "last_session_start_time": api.Converted(row.LastExperiment, form.DateTime), "metadata": said.Metadata,
		"inputs_schema_definition": said.InputsSchema, "outputs_schema_definition": said.OutputsSchema, "transformations": said.Transformations,
		"baseline_experiment_id": said.BaselineExperimentID, "externally_managed": said.ExternallyManaged,
	}
}

// version is the only one of a dataset.
func version(row store.Dataset) map[string]any {
	return map[string]any{"as_of": form.DateTime(row.ModifiedAt), "tags": []string{latest}}
}

// latest is the tag of the newest version.
const latest = "latest"
