package session

import (
	"encoding/json"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Read reads a project.
func Read(tx *store.Tx, workspaceID, id string) (store.Project, error) {
	row, err := tx.Project(workspaceID, id)
	if store.Missing(&err) {
		err = form.Missing("Session ID %s not found.", id)
	}
	return row, err
}

// sessionPatch changes the fields that are not null.
type sessionPatch struct {
	Name        *string         `json:"name,omitzero"`
	EndTime     *string         `json:"end_time,omitzero"`
	Description *string         `json:"description,omitzero"`
	Extra       json.RawMessage `json:"extra,omitzero"`
	TraceTier   *string         `json:"trace_tier,omitzero"`
	TTLDays     *int64          `json:"longlived_ttl_days,omitzero"`
	noEffect
}

// noEffect are fields of projects that have no effect here: what experiments are going to do, tags and users.
type noEffect struct {
	DefaultDatasetID json.RawMessage `json:"default_dataset_id,omitzero"`
	NumExamples      json.RawMessage `json:"num_examples,omitzero"`
	NumRepetitions   json.RawMessage `json:"num_repetitions,omitzero"`
	EvaluatorKeys    json.RawMessage `json:"evaluator_keys,omitzero"`
	TagValueIDs      json.RawMessage `json:"tag_value_ids,omitzero"`
	KickedOffBy      json.RawMessage `json:"kicked_off_by,omitzero"`
}

// sessionCreation is the body for creating a project. Clients send null for fields that they don't set.
type sessionCreation struct {
	ID                 *api.UUID       `json:"id,omitzero"`
	Name               string          `json:"name"`
	StartTime          *string         `json:"start_time,omitzero"`
	EndTime            *string         `json:"end_time,omitzero"`
	Description        *string         `json:"description,omitzero"`
	Extra              json.RawMessage `json:"extra,omitzero"`
	ReferenceDatasetID *api.UUID       `json:"reference_dataset_id,omitzero"`
	TraceTier          *string         `json:"trace_tier,omitzero"`
	TTLDays            *int64          `json:"longlived_ttl_days,omitzero"`
	noEffect
}

// changes returns the fields of a creation that also apply to an existing project.
func (r sessionCreation) changes() sessionPatch {
	return sessionPatch{
		Name: &r.Name, EndTime: r.EndTime, Description: r.Description, Extra: r.Extra, TraceTier: r.TraceTier, TTLDays: r.TTLDays,
	}
}

// The tiers in which a project's traces are kept.
const (
	ShortLived = "shortlived"
	LongLived  = "longlived"
)

const (
	shortLife = 14 * 24 * time.Hour
	longLife  = 400 * 24 * time.Hour
)

// KeptFor returns how long the traces of a project are kept, on a server that deletes old ones: as long as the service keeps
// those of its tier.
func KeptFor(p store.Project, withoutTier time.Duration) time.Duration {
	switch {
	case p.TraceTier == nil && p.LonglivedTTLDays == nil:
		return withoutTier
	case p.TraceTier != nil && *p.TraceTier == ShortLived:
		return shortLife
	case p.LonglivedTTLDays != nil:
		return time.Duration(*p.LonglivedTTLDays) * 24 * time.Hour
	}
	return longLife
}

func sessionExists() *form.Error { return form.Conflicting("Session already exists.") }

// apply applies the non-null fields to a project.
func (p sessionPatch) apply(row *store.Project) error {
	ended, err := form.Time("end_time", p.EndTime)
	if err != nil {
		return err
	}
	if ended != nil {
		row.EndTime = ended
	}
	var v form.Validator
	if p.Name != nil {
		row.Name = *p.Name
		switch {
		case row.Name == "":
			v.Add(form.Body("name"), "string_too_short", "String should have at least 1 character")
		case len(row.Name) > limits.ProjectName:
			v.Add(form.Body("name"), "string_too_long", "String should have at most %d bytes", limits.ProjectName)
		}
	}
	if p.Description != nil {
		row.Description = p.Description
	}
	if extra := string(p.Extra); extra != "" && extra != "null" {
		row.Extra = &extra
		if extra[0] != '{' {
			v.Add(form.Body("extra"), "dict_type", "Input should be a valid dictionary")
		}
	}
	if p.TraceTier != nil {
		row.TraceTier = p.TraceTier
		v.Choice(p.TraceTier, []string{ShortLived, LongLived}, form.Body("trace_tier"))
	}
	if p.TTLDays != nil {
		row.LonglivedTTLDays = p.TTLDays
		v.Bounds(*p.TTLDays, limits.TTLDays, form.Body("longlived_ttl_days"))
	}
	return v.Err()
}
