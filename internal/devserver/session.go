package devserver

import "github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"

// session is a tracing project; the tracing API calls it a session. The service creates one of the same name with each
// deployment.
type session struct {
	ID                 string  `json:"id"`
	TenantID           string  `json:"tenant_id"`
	Name               string  `json:"name"`
	StartTime          string  `json:"start_time"`
	EndTime            *string `json:"end_time"`
	Description        *string `json:"description"`
	ReferenceDatasetID *string `json:"reference_dataset_id"`
}

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
	return ok(collect(rows, newSession)), nil
}

func newSession(row store.Project) session {
	return session{ID: row.ID, TenantID: row.WorkspaceID, Name: row.Name, StartTime: dateTime(row.StartTime)}
}
