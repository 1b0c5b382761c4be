package devserver

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// What Seed registers.
const (
	seedCompute = "dev-cluster"
	seedAccount = "example-org"
)

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
	err = s.rest.Do(ctx, id.String(), func(c *rest.Call) error {
		listener, err := s.control.EnsureListener(c, seedCompute, seedNamespaces)
		if err != nil {
			return err
		}
		integration, err := s.control.EnsureIntegration(c, seedAccount)
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
