package controlplane

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Service is the control plane.
type Service struct{ cfg Config }

// Config says how a control plane behaves, and what it needs of others.
type Config struct {
	Dialect          *api.Dialect
	Rollout          time.Duration // From the creation of a revision to DEPLOYED.
	MaskSecrets      bool          // Answer secret values masked.
	OmitSecrets      bool          // Answer an empty secrets list.
	EchoResourceSpec bool          // Answer resource_spec as sent, without the documented defaults.
	Faults           *rest.Faults
	Projects         Projects
}

// Projects are the tracing projects of deployments, which have their names.
type Projects interface {
	// EnsureProject makes a project unless there is one of that name.
	EnsureProject(tx store.Tx, workspaceID, name string, now time.Time) error
	// ProjectID is the id of the project with a name; empty when there is none.
	ProjectID(tx store.Tx, workspaceID, name string) (string, error)
	// DeleteProject deletes a project with all that was traced.
	DeleteProject(tx store.Tx, workspaceID, id string) error
}

// New makes a control plane.
func New(cfg Config) *Service { return &Service{cfg} }
