package devserver

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// session reads the project that the path names.
func (s *tracing) session(c *call) (store.Project, error) {
	p := newParams(c.request)
	id := p.pathID("session_id")
	if err := p.err(); err != nil {
		return store.Project{}, err
	}
	return s.Project(c, id)
}

// Project reads a project.
func (s *tracing) Project(c *call, id string) (store.Project, error) {
	row, err := c.tx.Project(c.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, sessionNotFound(id)
	}
	return row, err
}

func (s *tracing) getSession(c *call) (answer, error) {
	row, err := s.session(c)
	if err != nil {
		return answer{}, err
	}
	p := newParams(c.request)
	with := readSessionStats(p)
	if err := p.err(); err != nil {
		return answer{}, err
	}
	if with == nil {
		return ok(newSession(row, nil)), nil
	}
	stats, err := s.sessionFigures(c, row, with.from)
	if err != nil {
		return answer{}, err
	}
	return ok(newSession(row, stats)), nil
}

// sessionPatch changes what it doesn't leave null.
type sessionPatch struct {
	Name        *string         `json:"name,omitzero"`
	EndTime     *string         `json:"end_time,omitzero"`
	Description *string         `json:"description,omitzero"`
	Extra       json.RawMessage `json:"extra,omitzero"`
}

// sessionCreation is what a project is made of. Clients write null for what they leave out.
type sessionCreation struct {
	ID                 *api.UUID       `json:"id,omitzero"`
	Name               string          `json:"name"`
	StartTime          *string         `json:"start_time,omitzero"`
	EndTime            *string         `json:"end_time,omitzero"`
	Description        *string         `json:"description,omitzero"`
	Extra              json.RawMessage `json:"extra,omitzero"`
	ReferenceDatasetID *api.UUID       `json:"reference_dataset_id,omitzero"`
}

// changes are what a creation says that can be said of a project that exists.
func (r sessionCreation) changes() sessionPatch {
	return sessionPatch{Name: &r.Name, EndTime: r.EndTime, Description: r.Description, Extra: r.Extra}
}

func sessionExists() *problem { return conflict("Session already exists.") }

// createSession honours the id that some clients bring. With upsert, a project of that name is changed instead.
func (s *tracing) createSession(c *call) (answer, error) {
	p := newParams(c.request)
	upsert := p.flag("upsert")
	if err := p.err(); err != nil {
		return answer{}, err
	}
	request, err := decode[sessionCreation](c.body, api.Neutral)
	if err != nil {
		return answer{}, err
	}
	existing, err := c.tx.ProjectNamed(c.workspaceID, request.Name)
	switch {
	case err == nil && upsert:
		return s.changeSession(c, existing, request.changes())
	case err == nil:
		return answer{}, sessionExists()
	case !errors.Is(err, store.ErrNotFound):
		return answer{}, err
	}
	row := store.Project{ID: uuid.NewString(), WorkspaceID: c.workspaceID, StartTime: c.now, ReferenceDatasetID: (*string)(request.ReferenceDatasetID)}
	if request.ID != nil {
		row.ID = string(*request.ID)
	}
	started, err := bound("start_time", request.StartTime)
	if err != nil {
		return answer{}, err
	}
	if started != nil {
		row.StartTime = *started
	}
	if err := request.changes().apply(&row); err != nil {
		return answer{}, err
	}
	if err := c.tx.EnsureProject(row); err != nil {
		return answer{}, err
	}
	// The id may be that of another project, also of one in a workspace that the caller doesn't see.
	row, err = c.tx.ProjectNamed(c.workspaceID, row.Name)
	if errors.Is(err, store.ErrNotFound) {
		err = sessionExists()
	}
	if err != nil {
		return answer{}, err
	}
	return ok(newSession(row, nil)), nil
}

func (s *tracing) patchSession(c *call) (answer, error) {
	row, err := s.session(c)
	if err != nil {
		return answer{}, err
	}
	request, err := decode[sessionPatch](c.body, api.Neutral)
	if err != nil {
		return answer{}, err
	}
	if request.Name != nil && *request.Name != row.Name {
		_, err := c.tx.ProjectNamed(c.workspaceID, *request.Name)
		if err == nil {
			return answer{}, sessionExists()
		}
		if !errors.Is(err, store.ErrNotFound) {
			return answer{}, err
		}
	}
	return s.changeSession(c, row, request)
}

// changeSession stores a project with changes, and answers it.
func (s *tracing) changeSession(c *call, row store.Project, changes sessionPatch) (answer, error) {
	if err := changes.apply(&row); err != nil {
		return answer{}, err
	}
	if err := c.tx.UpdateProject(row); err != nil {
		return answer{}, err
	}
	return ok(newSession(row, nil)), nil
}

// apply lays what isn't null over a project.
func (p sessionPatch) apply(row *store.Project) error {
	ended, err := bound("end_time", p.EndTime)
	if err != nil {
		return err
	}
	if ended != nil {
		row.EndTime = ended
	}
	var f form
	body := []api.LocStep{api.Key("body")}
	if p.Name != nil {
		row.Name = *p.Name
		if row.Name == "" {
			f.add(in(body, "name"), "string_too_short", "String should have at least 1 character")
		}
	}
	if p.Description != nil {
		row.Description = p.Description
	}
	if extra := string(p.Extra); extra != "" && extra != "null" {
		row.Extra = &extra
		if extra[0] != '{' {
			f.add(in(body, "extra"), "dict_type", "Input should be a valid dictionary")
		}
	}
	return f.err()
}

// deleteSession answers a body, because a client fails on an empty one that is labelled JSON.
func (s *tracing) deleteSession(c *call) (answer, error) {
	row, err := s.session(c)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusAccepted, body: map[string]string{"message": "Session " + row.Name + " deleted."}},
		c.tx.DeleteProject(c.workspaceID, row.ID)
}

func sessionNotFound(id string) *problem {
	return detail(http.StatusNotFound, "Session ID %s not found.", id)
}
