package devserver

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/toylogin"
)

// What Seed registers.
const (
	seedCompute = "dev-cluster"
	seedAccount = "example-org"
	seedLogin   = "toy-login"
)

// toyBase is the base path of the toy login.
const toyBase = "/toy-login"

var seedNamespaces = []string{"agents", "agents-staging"}

// withOwnKey adds an API key for DefaultWorkspaceID that can't be guessed, if it is wanted. With the same data, it is always the same one.
func (c Config) withOwnKey(secret seal.Key) Config {
	if c.OwnKey && len(c.Keys) == 0 {
		own, _ := Key{Value: secret.Text("API key"), Workspaces: []string{DefaultWorkspaceID}}.Canonical() // It is valid.
		c.Keys = []Key{own}
	}
	return c
}

// Keys are those that the server accepts; empty if it accepts any.
func (s *Server) Keys() []Key { return s.cfg.Keys }

// Seeded contains what a deployment of either source refers to.
type Seeded struct {
	ListenerID    string
	K8sNamespaces []string
	IntegrationID string
	// ProviderID is the slug of an OAuth provider with a built-in login; empty for a server without an Address.
	ProviderID string
}

// Seed registers, in a workspace, a listener with two namespaces, an integration with a few repositories and, for a server
// with an Address, an OAuth provider with a built-in login, unless they exist. They are shown at once, whatever Config.Lag is.
func (s *Server) Seed(ctx context.Context, workspaceID string) (Seeded, error) {
	id, err := uuid.Parse(workspaceID)
	if err != nil {
		return Seeded{}, fmt.Errorf("seed: workspace %q is not a UUID: %w", workspaceID, err)
	}
	var seeded Seeded
	err = s.rest.Do(ctx, id.String(), func(c *rest.Call) error {
		listener, err := controlplane.EnsureListener(c, store.Listener{ComputeID: seedCompute, K8sNamespaces: seedNamespaces})
		if err != nil {
			return err
		}
		integration, err := controlplane.EnsureIntegration(c, seedAccount)
		if err != nil {
			return err
		}
		seeded = Seeded{
			ListenerID:    listener.ID,
			K8sNamespaces: listener.K8sNamespaces,
			IntegrationID: integration.ID,
		}
		if s.cfg.Address == "" {
			return nil
		}
		seeded.ProviderID = seedLogin
		base, client := s.cfg.Address+toyBase, s.toy.Client()
		return s.auth.EnsureOAuthProvider(c, api.OAuthProviderCreateRequest{
			ProviderID: seedLogin, Name: "Toy login", ClientID: client.ID, ClientSecret: api.Some(client.Secret),
			AuthURL: toylogin.AuthURL(base), TokenURL: toylogin.TokenURL(base), UsesPKCE: api.Some(true),
		})
	})
	if err == nil {
		err = s.rest.ShowAll(ctx)
	}
	if err != nil {
		return Seeded{}, fmt.Errorf("seed workspace %s: %w", workspaceID, err)
	}
	return seeded, nil
}
