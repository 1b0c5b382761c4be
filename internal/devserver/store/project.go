package store

import "time"

// Project is a row of projects: a tracing project.
type Project struct {
	ID          string
	WorkspaceID string
	Name        string
	StartTime   time.Time
}

const selectProject = "SELECT id, workspace_id, name, start_time FROM projects "

func scanProject(row scanner) (Project, error) {
	var p Project
	err := row.Scan(&p.ID, &p.WorkspaceID, &p.Name, timeColumn{&p.StartTime})
	return p, err
}

// Project reads one project.
func (t *Tx) Project(workspaceID, id string) (Project, error) {
	return queryOne(t, scanProject, selectProject+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// ProjectNamed reads the project with a name.
func (t *Tx) ProjectNamed(workspaceID, name string) (Project, error) {
	return queryOne(t, scanProject, selectProject+"WHERE workspace_id = ? AND name = ?", workspaceID, name)
}

// Projects lists projects, newest first; nil chooses all names.
func (t *Tx) Projects(workspaceID string, name, nameContains *string, p Page) ([]Project, error) {
	return query(t, scanProject, selectProject+`
		WHERE workspace_id = ?1 AND (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR instr(name, ?3) > 0)
		ORDER BY seq DESC LIMIT ?4 OFFSET ?5`, workspaceID, name, nameContains, p.Limit, p.Offset)
}

// EnsureProject adds a project unless the workspace has one of that name.
func (t *Tx) EnsureProject(p Project) error {
	return t.exec(`
		INSERT INTO projects (id, workspace_id, name, start_time) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace_id, name) DO NOTHING`,
		p.ID, p.WorkspaceID, p.Name, micros(p.StartTime))
}

// DeleteProject deletes the project with a name, if there is one.
func (t *Tx) DeleteProject(workspaceID, name string) error {
	return t.exec("DELETE FROM projects WHERE workspace_id = ? AND name = ?", workspaceID, name)
}
