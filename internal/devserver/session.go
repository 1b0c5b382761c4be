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
func (c *call) session() (store.Project, error) {
	p := newParams(c.request)
	id := p.pathID("session_id")
	if err := p.err(); err != nil {
		return store.Project{}, err
	}
	row, err := c.tx.Project(c.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, sessionNotFound(id)
	}
	return row, err
}

func getSession(c *call) (answer, error) {
	row, err := c.session()
	if err != nil {
		return answer{}, err
	}
	p := newParams(c.request)
	with := p.sessionStats()
	if err := p.err(); err != nil {
		return answer{}, err
	}
	project, err := c.describeSession(row, with)
	return ok(project), err
}

// createSession honours the id that some clients bring. With upsert, a project of that name is changed instead.
func createSession(c *call) (answer, error) {
	p := newParams(c.request)
	upsert := p.flag("upsert")
	if err := p.err(); err != nil {
		return answer{}, err
	}
	request, err := decode[sessionCreateRequest](c.body, api.Neutral)
	if err != nil {
		return answer{}, err
	}
	row := store.Project{ID: uuid.NewString(), WorkspaceID: c.workspaceID, Name: request.Name, StartTime: c.now,
		ReferenceDatasetID: (*string)(request.ReferenceDatasetID)}
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
	existing, err := c.tx.ProjectNamed(c.workspaceID, request.Name)
	switch {
	case err == nil && !upsert:
		return answer{}, conflict("Session already exists.")
	case err == nil:
		row = existing
	case !errors.Is(err, store.ErrNotFound):
		return answer{}, err
	}
	if err := c.changeSession(&row, sessionPatchRequest{Description: request.Description, EndTime: request.EndTime, Extra: request.Extra}); err != nil {
		return answer{}, err
	}
	if existing.ID != "" {
		err = c.tx.UpdateProject(row)
	} else if _, taken := c.tx.Project(c.workspaceID, row.ID); taken == nil {
		return answer{}, conflict("Session already exists.")
	} else {
		err = c.tx.EnsureProject(row)
	}
	if err != nil {
		return answer{}, err
	}
	project, err := c.describeSession(row, nil)
	return ok(project), err
}

// sessionCreateRequest is api.TracingProjectCreateRequest as clients write it: with null for what they leave out.
type sessionCreateRequest struct {
	ID                 *api.UUID       `json:"id,omitzero"`
	Name               string          `json:"name"`
	StartTime          *string         `json:"start_time,omitzero"`
	EndTime            *string         `json:"end_time,omitzero"`
	Description        *string         `json:"description,omitzero"`
	Extra              json.RawMessage `json:"extra,omitzero"`
	ReferenceDatasetID *api.UUID       `json:"reference_dataset_id,omitzero"`
}

// sessionPatchRequest changes what it doesn't leave null.
type sessionPatchRequest struct {
	Name        *string         `json:"name,omitzero"`
	EndTime     *string         `json:"end_time,omitzero"`
	Description *string         `json:"description,omitzero"`
	Extra       json.RawMessage `json:"extra,omitzero"`
}

func patchSession(c *call) (answer, error) {
	row, err := c.session()
	if err != nil {
		return answer{}, err
	}
	request, err := decode[sessionPatchRequest](c.body, api.Neutral)
	if err != nil {
		return answer{}, err
	}
	if request.Name != nil && *request.Name != row.Name {
		_, err := c.tx.ProjectNamed(c.workspaceID, *request.Name)
		if err == nil {
			return answer{}, conflict("Session already exists.")
		}
		if !errors.Is(err, store.ErrNotFound) {
			return answer{}, err
		}
	}
	if err := c.changeSession(&row, request); err != nil {
		return answer{}, err
	}
	if err := c.tx.UpdateProject(row); err != nil {
		return answer{}, err
	}
	project, err := c.describeSession(row, nil)
	return ok(project), err
}

// changeSession lays what isn't null over a row.
func (c *call) changeSession(row *store.Project, request sessionPatchRequest) error {
	ended, err := bound("end_time", request.EndTime)
	if err != nil {
		return err
	}
	if ended != nil {
		row.EndTime = ended
	}
	if request.Name != nil {
		row.Name = *request.Name
	}
	if request.Description != nil {
		row.Description = request.Description
	}
	if extra := string(request.Extra); extra != "" && extra != "null" {
		if extra[0] != '{' {
			return unprocessable(api.ValidationError{
				Loc: []api.LocStep{api.Key("body"), api.Key("extra")}, Msg: "Input should be a valid dictionary", Type: "dict_type",
			})
		}
		row.Extra = &extra
	}
	return nil
}

// deleteSession answers a body, because a client fails on an empty one that is labelled JSON.
func deleteSession(c *call) (answer, error) {
	row, err := c.session()
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusAccepted, body: map[string]string{"message": "Session " + row.Name + " deleted."}},
		c.tx.DeleteProject(c.workspaceID, row.ID)
}
