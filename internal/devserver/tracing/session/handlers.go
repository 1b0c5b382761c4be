package session

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// session reads the project named by the path.
func session(c *rest.Call) (store.Project, error) {
	return rest.Named(c, "session_id", Read)
}

func getSession(c *rest.Call, row store.Project) (rest.Answer, error) {
	p := c.Params()
	p.Ignore("limit") // One client limits each request.
	with := readSessionStats(p)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	if with == nil {
		return rest.OK(newSession(row, nil)), nil
	}
	stats, err := measureSession(c.Tx, row, with)
	return rest.OK(newSession(row, stats)), err
}

// createSession uses the ID that some clients send. With upsert, it changes an existing project with that name instead.
func createSession(c *rest.Call, request sessionCreation) (rest.Answer, error) {
	p := c.Params()
	upsert := p.Flag("upsert")
	if err := p.Err(); err != nil {
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
	existing, err := c.Tx.ProjectNamed(c.WorkspaceID, request.Name)
	switch {
	case err == nil && upsert:
		if err := request.changes().apply(&existing); err != nil {
			return rest.Answer{}, err
		}
		return storeSession(c, existing)
	case err == nil:
		return rest.Answer{}, sessionExists()
	case !errors.Is(err, store.ErrNotFound):
		return rest.Answer{}, err
	}
	if err := c.Tx.EnsureProject(row); err != nil {
		return rest.Answer{}, err
	}
	// The ID may be that of another project, even in a workspace that the caller can't access.
	row, err = c.Tx.ProjectNamed(c.WorkspaceID, row.Name)
	if store.Missing(&err) {
		err = sessionExists()
	}
	return rest.OK(newSession(row, nil)), err
}

func patchSession(c *rest.Call, row store.Project) (rest.Answer, error) {
	request, err := rest.DecodeTolerant[sessionPatch](c)
	if err != nil {
		return rest.Answer{}, err
	}
	before := row.Name
	if err := request.apply(&row); err != nil {
		return rest.Answer{}, err
	}
	if row.Name != before {
		if _, err := c.Tx.ProjectNamed(c.WorkspaceID, row.Name); !store.Missing(&err) {
			return rest.Answer{}, cmp.Or(err, error(sessionExists()))
		}
	}
	return storeSession(c, row)
}

// storeSession stores a changed project, and returns it.
func storeSession(c *rest.Call, row store.Project) (rest.Answer, error) {
	return rest.OK(newSession(row, nil)), c.Tx.UpdateProject(row)
}

// deleteSession returns a body, because a client fails on an empty one labelled as JSON.
func deleteSession(c *rest.Call, row store.Project) (rest.Answer, error) {
	return rest.Answer{Status: http.StatusAccepted, Body: map[string]string{"message": "Session " + row.Name + " deleted."}},
		c.Tx.DeleteProject(c.WorkspaceID, row.ID)
}

// resolvable are the kinds of objects that have a project. Here, only agents are found.
var resolvable = []string{"AGENT", "EXPERIMENT", "EVALUATOR"}

// resolveSession finds the project of an agent in an environment, whose name contains both.
func resolveSession(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	kind, id, environment := strings.ToUpper(api.OrEmpty(p.Text("kind"))), api.OrEmpty(p.Text("id")), api.OrEmpty(p.Text("environment"))
	if !slices.Contains(resolvable, kind) {
		p.Add("kind", form.EnumError, "Input should be one of "+strings.Join(resolvable, ", "))
	}
	if kind == "AGENT" && !run.AgentID.MatchString(id) {
		p.Add("id", "string_pattern_mismatch", "Input should be the name of an agent, such as support-bot")
	}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	if kind != "AGENT" {
		return rest.Answer{}, form.Missing("This service has only projects of agents, not of kind '%s'.", kind)
	}
	project, err := c.Tx.ProjectNamed(c.WorkspaceID, run.AgentProject(id, environment))
	if store.Missing(&err) {
		err = form.Missing("Agent '%s' has no project in environment '%s'.", id, environment)
	}
	return rest.OK(map[string]string{"session_id": project.ID}), err
}
