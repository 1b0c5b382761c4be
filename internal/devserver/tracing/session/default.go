package session

import (
	"context"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

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
