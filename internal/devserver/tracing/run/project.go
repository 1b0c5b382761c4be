package run

import (
	"errors"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// DefaultProject is the project of runs that don't name one.
const DefaultProject = "default"

// project finds the project of a run. A missing project is created by name, but not by ID.
func (l *logging) project(run *llmrun.Run) (string, error) {
	if run.SessionID != uuid.Nil {
		id := run.SessionID.String()
		_, err := l.tx.Project(l.workspaceID, id)
		if errors.Is(err, store.ErrNotFound) {
			// Not 404: clients would conclude that the path doesn't exist, and switch to another one permanently.
			return "", refuseRun(refusal.Unprocessable, run.ID.String(), []string{"session_id " + id +
				" is not a project of this workspace: create it, or send session_name, which creates the project if it doesn't exist"})
		}
		return id, err
	}
	name := run.SessionName
	if name == "" {
		name = DefaultProject
	}
	if id, known := l.projects[name]; known {
		return id, nil
	}
	err := l.tx.EnsureProject(store.Project{ID: uuid.NewString(), WorkspaceID: l.workspaceID, Name: name, StartTime: l.now})
	if err != nil {
		return "", err
	}
	project, err := l.tx.ProjectNamed(l.workspaceID, name)
	l.projects[name] = project.ID
	return project.ID, err
}
