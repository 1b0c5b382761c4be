package session

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Service manages projects, which the API calls sessions, and returns their figures.
type Service struct {
	store store.Store
	now   func() time.Time // Called inside transactions.
	inUse sync.Map         // The IDs of workspaces that have had a project.
}

// New returns a service on a database.
func New(db store.Store, now func() time.Time) *Service { return &Service{store: db, now: now} }

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: s.listSessions, http.MethodPost: s.createSession}},
		{Path: "/sessions/{session_id}", Methods: rest.Methods{
			http.MethodGet:    s.getSession,
			http.MethodPatch:  s.patchSession,
			http.MethodDelete: s.deleteSession,
		}},
		{Path: "/sessions/{session_id}/dashboard", Queries: true, Methods: rest.Methods{http.MethodPost: s.dashboard}},
		{Path: "/sessions/resolutions", Methods: rest.Methods{http.MethodGet: s.resolveSession}},
	}
}

// Version2 is Version1 for version 2.
func (s *Service) Version2() []rest.Endpoint {
	return []rest.Endpoint{{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: s.listSessionsV2}}}
}

// DevEndpoints are endpoints that the service itself doesn't have.
func (s *Service) DevEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Dev: true, Path: "/dev/sessions/{session_id}/series", Methods: rest.Methods{http.MethodGet: s.sessionSeries}},
	}
}

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
