package devserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// What Seed registers.
const (
	seedCompute = "dev-cluster"
	seedAccount = "example-org"
)

// seedRepositories are those of an integration that is registered without any.
var seedRepositories = []repositoryRequest{
	{Name: "chat"}, {Name: "research-agent"}, {Name: "support-agent", DefaultBranch: api.Some("trunk")},
}

var seedNamespaces = []string{"agents", "agents-staging"}

// Seeded names what a deployment of either source refers to.
type Seeded struct {
	ListenerID    string
	K8sNamespaces []string
	IntegrationID string
}

// Seed registers a listener with two namespaces and an integration with a few repositories in a workspace, unless they are there already.
func (s *Server) Seed(ctx context.Context, workspaceID string) (Seeded, error) {
	id, err := uuid.Parse(workspaceID)
	if err != nil {
		return Seeded{}, fmt.Errorf("seed: workspace %q is not a UUID: %w", workspaceID, err)
	}
	var seeded Seeded
	err = s.store.Do(ctx, func(tx *store.Tx) error {
		c := &call{server: s, tx: tx, now: s.now(), workspaceID: id.String()}
		listener, err := tx.ListenerOf(c.workspaceID, seedCompute)
		if errors.Is(err, store.ErrNotFound) {
			listener, err = addListener(c, store.Listener{ComputeID: seedCompute, K8sNamespaces: seedNamespaces})
		}
		if err != nil {
			return err
		}
		integration, err := tx.IntegrationNamed(c.workspaceID, seedAccount)
		if errors.Is(err, store.ErrNotFound) {
			integration, err = addIntegration(c, integrationRequest{Name: seedAccount})
		}
		if err != nil {
			return err
		}
		seeded = Seeded{
			ListenerID:    listener.ID,
			K8sNamespaces: listener.K8sNamespaces,
			IntegrationID: integration.ID,
		}
		return nil
	})
	if err != nil {
		return Seeded{}, fmt.Errorf("seed workspace %s: %w", workspaceID, err)
	}
	return seeded, nil
}
