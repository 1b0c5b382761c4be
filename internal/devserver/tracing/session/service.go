package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// Service manages projects, which the API calls sessions, and returns their figures.
type Service struct {
	store *store.Store
	now   func() time.Time // Called inside transactions.
	inUse sync.Map         // The IDs of workspaces that have had a project.
}

// New returns a service on a database.
func New(db *store.Store, now func() time.Time) *Service { return &Service{store: db, now: now} }

// EnsureProject creates a project unless there is one with that name.
func (s *Service) EnsureProject(tx *store.Tx, workspaceID, name string, now time.Time) error {
	return tx.EnsureProject(store.Project{ID: uuid.NewString(), WorkspaceID: workspaceID, Name: name, StartTime: now})
}

// ProjectID returns the ID of the project with a name; empty if there is none.
func (s *Service) ProjectID(tx *store.Tx, workspaceID, name string) (string, error) {
	project, err := tx.ProjectNamed(workspaceID, name)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return project.ID, err
}

// DeleteProject deletes a project with all of its traces.
func (s *Service) DeleteProject(tx *store.Tx, workspaceID, id string) error {
	return tx.DeleteProject(workspaceID, id)
}

// ensureDefault creates the first project of a workspace: clients query a project to determine their workspace.
func (s *Service) ensureDefault(ctx context.Context, workspaceID string) error {
	if _, known := s.inUse.Load(workspaceID); known {
		return nil
	}
	empty := false
	err := s.store.ReadTraced(ctx, func(tx *store.Tx) error {
		all, err := tx.Projects(workspaceID, store.ProjectFilter{})
		empty = len(all) == 0
		return err
	})
	if err == nil && empty {
		err = s.store.Do(ctx, func(tx *store.Tx) error { return s.EnsureProject(tx, workspaceID, run.DefaultProject, s.now()) })
	}
	if err == nil {
		s.inUse.Store(workspaceID, true)
	}
	return err
}
