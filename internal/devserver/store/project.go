package store

import (
	"slices"
	"strings"
	"time"
)

// Project is a row of projects: a tracing project.
type Project struct {
	ID                 string
	WorkspaceID        string
	Name               string
	StartTime          time.Time
	EndTime            *time.Time
	Description        *string
	Extra              *string // A JSON object.
	ReferenceDatasetID *string
	TraceTier          *string // How long traces are kept, as clients say it.
	LonglivedTTLDays   *int64
}

const selectProject = `SELECT p.id, p.workspace_id, p.name, p.start_time, p.end_time, p.description, p.extra, p.reference_dataset_id,
	p.trace_tier, p.longlived_ttl_days FROM projects p `

func scanProject(row scanner) (Project, error) {
	var p Project
	err := row.Scan(&p.ID, &p.WorkspaceID, &p.Name, timeColumn{&p.StartTime}, nullableTimeColumn{&p.EndTime}, &p.Description,
		&p.Extra, &p.ReferenceDatasetID, &p.TraceTier, &p.LonglivedTTLDays)
	return p, err
}

// Project reads one project.
func (t *Tx) Project(workspaceID, id string) (Project, error) {
	return queryOne(t, scanProject, selectProject+"WHERE p.workspace_id = ? AND p.id = ?", workspaceID, id)
}

// ProjectNamed reads the project with a name.
func (t *Tx) ProjectNamed(workspaceID, name string) (Project, error) {
	return queryOne(t, scanProject, selectProject+"WHERE p.workspace_id = ? AND p.name = ?", workspaceID, name)
}

// ProjectFilter selects projects; nil fields match all.
type ProjectFilter struct {
	Name, NameContains  *string
	IDs                 []string
	ReferenceFree       *bool
	ReferenceDatasetIDs []string
}

// Projects lists all matching projects, newest first.
func (t *Tx) Projects(workspaceID string, f ProjectFilter) ([]Project, error) {
	where, args := "p.workspace_id = ?", []any{workspaceID}
	and := func(condition string, values ...any) {
		where += " AND " + condition
		args = append(args, values...)
	}
	if f.Name != nil {
		and("p.name = ?", *f.Name)
	}
	for column, ids := range map[string][]string{"p.id": f.IDs, "p.reference_dataset_id": f.ReferenceDatasetIDs} {
		if ids != nil {
			and(column+" IN ("+marks(len(ids))+")", anys(ids)...)
		}
	}
	if f.ReferenceFree != nil {
		and("(p.reference_dataset_id IS NULL) = ?", *f.ReferenceFree)
	}
	all, err := query(t, scanProject, selectProject+"WHERE "+where+" ORDER BY p.seq DESC", args...)
	if f.NameContains != nil { // In linear time, which SQL doesn't promise: names can be long.
		all = slices.DeleteFunc(all, func(p Project) bool { return !strings.Contains(p.Name, *f.NameContains) })
	}
	return all, err
}

// EnsureProject adds a project unless the workspace has one with that name, or any workspace has one with that ID.
func (t *Tx) EnsureProject(p Project) error {
	return t.exec(`
		INSERT INTO projects (id, workspace_id, name, start_time, end_time, description, extra, reference_dataset_id, trace_tier, longlived_ttl_days)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		p.ID, p.WorkspaceID, p.Name, micros(p.StartTime), nullableMicros(p.EndTime), p.Description, p.Extra, p.ReferenceDatasetID, p.TraceTier,
		p.LonglivedTTLDays)
}

// UpdateProject updates the columns of a project that can change.
func (t *Tx) UpdateProject(p Project) error {
	return t.execOne(`UPDATE projects SET name = ?, end_time = ?, description = ?, extra = ?, trace_tier = ?, longlived_ttl_days = ?
		WHERE workspace_id = ? AND id = ?`,
		p.Name, nullableMicros(p.EndTime), p.Description, p.Extra, p.TraceTier, p.LonglivedTTLDays, p.WorkspaceID, p.ID)
}
