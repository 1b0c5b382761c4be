package controlplane

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Service is the control plane.
type Service struct{ cfg Config }

// Config is the configuration of a control plane, including its dependencies.
type Config struct {
	Dialect          *api.Dialect
	Rollout          time.Duration // From the creation of a revision to DEPLOYED.
	MaskSecrets      bool          // Mask secret values in responses.
	OmitSecrets      bool          // Return an empty secrets list.
	EchoResourceSpec bool          // Return resource_spec as sent, without the documented defaults.
	Key              seal.Key      // Seals secrets in the data.
	Address          string        // The server's address; empty if it is unknown.
	Registry         string        // Host, and perhaps path, of a container registry that push tokens name; empty if there is none.
	Store            *store.Store  // For uploads, which aren't in a transaction.
	Now              func() time.Time
	Faults           *rest.Faults
}

// New returns a control plane.
func New(cfg Config) *Service { return &Service{cfg} }
