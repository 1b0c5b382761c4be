package devserver

import (
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listSessions answers a bare array; no project of the name is an empty one, not a 404.
func listSessions(c *call) (answer, error) {
	p := newParams(c.request)
	name, nameContains := p.text("name"), p.text("name_contains")
	window := p.page()
	if err := p.err(); err != nil {
		return answer{}, err
	}
	rows, err := c.tx.Projects(c.workspaceID, name, nameContains, window)
	if err != nil {
		return answer{}, err
	}
	return ok(collect(rows, newTracingProject)), nil
}

func getSession(c *call) (answer, error) {
	p := newParams(c.request)
	id := p.pathID("session_id")
	if err := p.err(); err != nil {
		return answer{}, err
	}
	row, err := c.tx.Project(c.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return answer{}, sessionNotFound(id)
	}
	if err != nil {
		return answer{}, err
	}
	return ok(newTracingProject(row)), nil
}

func newTracingProject(row store.Project) api.TracingProject {
	return api.TracingProject{
		ID: row.ID, TenantID: row.WorkspaceID, Name: row.Name, StartTime: dateTime(row.StartTime),
	}
}
