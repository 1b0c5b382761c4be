package tracing

import (
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Service is the tracing service.
type Service struct {
	store        store.Store
	now          func() time.Time // Asked inside transactions.
	memory       *limits.Memory
	prices       prices
	figuresCache figuresCache
	groupsCache  groupsCache
	inUse        sync.Map // The ids of workspaces that have had a project.
}

// New makes a tracing service over a database, which shares the memory for bodies with others.
func New(db store.Store, now func() time.Time, memory *limits.Memory) *Service {
	return &Service{store: db, now: now, memory: memory}
}

// EnsureProject makes a project unless there is one of that name.
func (s *Service) EnsureProject(tx store.Tx, workspaceID, name string, now time.Time) error {
	return tx.EnsureProject(store.Project{ID: uuid.NewString(), WorkspaceID: workspaceID, Name: name, StartTime: now})
}

// ProjectID is the id of the project with a name; empty when there is none.
func (s *Service) ProjectID(tx store.Tx, workspaceID, name string) (string, error) {
	project, err := tx.ProjectNamed(workspaceID, name)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return project.ID, err
}

// DeleteProject deletes a project with all that was traced.
func (s *Service) DeleteProject(tx store.Tx, workspaceID, id string) error {
	return tx.DeleteProject(workspaceID, id)
}
