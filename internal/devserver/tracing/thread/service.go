package thread

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// Service answers queries of conversations.
type Service struct{ runs *run.Service }

// New returns a service whose turns are runs.
func New(runs *run.Service) *Service { return &Service{runs: runs} }
