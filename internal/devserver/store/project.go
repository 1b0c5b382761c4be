package store

import (
	"slices"
	"strings"
	"time"
)

// Project is a row of projects: a tracing project.
type Project struct {
	ID                 string     `db:"id"`
	WorkspaceID        string     `db:"workspace_id"`
	Name               string     `db:"name"`
	StartTime          time.Time  `db:"start_time"`
	EndTime            *time.Time `db:"end_time"`
	Description        *string    `db:"description"`
	Extra              *string    `db:"extra"` // A JSON object.
	ReferenceDatasetID *string    `db:"reference_dataset_id"`
	TraceTier          *string    `db:"trace_tier"` // How long traces are kept, as clients say it.
	LonglivedTTLDays   *int64     `db:"longlived_ttl_days"`
}

var projects = tableOf[Project]("projects", "workspace_id", "id")

// Project reads one project.
func (t *Tx) Project(workspaceID, id string) (Project, error) {
	return projects.one(t, "p WHERE p.workspace_id = ? AND p.id = ?", workspaceID, id)
}

// ProjectNamed reads the project with a name.
func (t *Tx) ProjectNamed(workspaceID, name string) (Project, error) {
	return projects.one(t, "p WHERE p.workspace_id = ? AND p.name = ?", workspaceID, name)
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
	all, err := projects.find(t, "p WHERE "+where+" ORDER BY p.seq DESC", args...)
	if f.NameContains != nil { // In linear time, which SQL doesn't promise: names can be long.
		all = slices.DeleteFunc(all, func(p Project) bool { return !strings.Contains(p.Name, *f.NameContains) })
	}
	return all, err
}

// EnsureProject adds a project unless the workspace has one with that name, or any workspace has one with that ID.
func (t *Tx) EnsureProject(p Project) error {
	return t.exec(projects.insertion()+" ON CONFLICT DO NOTHING", projects.values(p, projects.inserted)...)
}

// UpdateProject updates the columns of a project that can change.
func (t *Tx) UpdateProject(p Project) error {
	return projects.update(t, p, "name", "end_time", "description", "extra", "trace_tier", "longlived_ttl_days")
}
