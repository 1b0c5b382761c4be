package session

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// session reads the project named by the path.
func (s *Service) session(c *rest.Call) (store.Project, error) {
	return rest.Named(c, "session_id", s.Project)
}

// Project reads a project.
func (s *Service) Project(c *rest.Call, id string) (store.Project, error) {
	row, err := c.Tx.Project(c.WorkspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, sessionNotFound(id)
	}
	return row, err
}

func (s *Service) getSession(c *rest.Call) (rest.Answer, error) {
	row, err := s.session(c)
	if err != nil {
		return rest.Answer{}, err
	}
	p := rest.NewParams(c.Request)
	with := readSessionStats(p)
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	if with == nil {
		return rest.OK(newSession(row, nil)), nil
	}
	stats, err := s.measureSession(c, row, with)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(newSession(row, stats)), nil
}

// sessionPatch changes the fields that are not null.
type sessionPatch struct {
	Name        *string         `json:"name,omitzero"`
	EndTime     *string         `json:"end_time,omitzero"`
	Description *string         `json:"description,omitzero"`
	Extra       json.RawMessage `json:"extra,omitzero"`
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
}

// changes returns the fields of a creation that also apply to an existing project.
func (r sessionCreation) changes() sessionPatch {
	return sessionPatch{Name: &r.Name, EndTime: r.EndTime, Description: r.Description, Extra: r.Extra}
}

func sessionExists() *refusal.Error { return refusal.Conflicting("Session already exists.") }

// createSession uses the ID that some clients send. With upsert, it changes an existing project with that name instead.
func (s *Service) createSession(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	upsert := p.Flag("upsert")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	request, err := form.Decode[sessionCreation](c.Body, api.Neutral)
	if err != nil {
		return rest.Answer{}, err
	}
	existing, err := c.Tx.ProjectNamed(c.WorkspaceID, request.Name)
	switch {
	case err == nil && upsert:
		return s.changeSession(c, existing, request.changes())
	case err == nil:
		return rest.Answer{}, sessionExists()
	case !errors.Is(err, store.ErrNotFound):
		return rest.Answer{}, err
	}
	row := store.Project{ID: uuid.NewString(), WorkspaceID: c.WorkspaceID, StartTime: c.Now, ReferenceDatasetID: (*string)(request.ReferenceDatasetID)}
	if request.ID != nil {
		row.ID = string(*request.ID)
	}
	started, err := form.Time("start_time", request.StartTime)
	if err != nil {
		return rest.Answer{}, err
	}
	if started != nil {
		row.StartTime = *started
	}
	if err := request.changes().apply(&row); err != nil {
		return rest.Answer{}, err
	}
	if err := c.Tx.EnsureProject(row); err != nil {
		return rest.Answer{}, err
	}
	// The ID may be that of another project, even in a workspace that the caller can't access.
	row, err = c.Tx.ProjectNamed(c.WorkspaceID, row.Name)
	if errors.Is(err, store.ErrNotFound) {
		err = sessionExists()
	}
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(newSession(row, nil)), nil
}

func (s *Service) patchSession(c *rest.Call) (rest.Answer, error) {
	row, err := s.session(c)
	if err != nil {
		return rest.Answer{}, err
	}
	request, err := form.Decode[sessionPatch](c.Body, api.Neutral)
	if err != nil {
		return rest.Answer{}, err
	}
	if request.Name != nil && *request.Name != row.Name {
		_, err := c.Tx.ProjectNamed(c.WorkspaceID, *request.Name)
		if err == nil {
			return rest.Answer{}, sessionExists()
		}
		if !errors.Is(err, store.ErrNotFound) {
			return rest.Answer{}, err
		}
	}
	return s.changeSession(c, row, request)
}

// changeSession stores a project with changes, and returns it.
func (s *Service) changeSession(c *rest.Call, row store.Project, changes sessionPatch) (rest.Answer, error) {
	if err := changes.apply(&row); err != nil {
		return rest.Answer{}, err
	}
	if err := c.Tx.UpdateProject(row); err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(newSession(row, nil)), nil
}

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
	body := []api.LocStep{api.Key("body")}
	if p.Name != nil {
		row.Name = *p.Name
		if row.Name == "" {
			v.Add(form.Loc(body, "name"), "string_too_short", "String should have at least 1 character")
		}
	}
	if p.Description != nil {
		row.Description = p.Description
	}
	if extra := string(p.Extra); extra != "" && extra != "null" {
		row.Extra = &extra
		if extra[0] != '{' {
			v.Add(form.Loc(body, "extra"), "dict_type", "Input should be a valid dictionary")
		}
	}
	return v.Err()
}

// deleteSession returns a body, because a client fails on an empty one labelled as JSON.
func (s *Service) deleteSession(c *rest.Call) (rest.Answer, error) {
	row, err := s.session(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{Status: http.StatusAccepted, Body: map[string]string{"message": "Session " + row.Name + " deleted."}},
		c.Tx.DeleteProject(c.WorkspaceID, row.ID)
}

func sessionNotFound(id string) *refusal.Error {
	return refusal.Missing("Session ID %s not found.", id)
}
