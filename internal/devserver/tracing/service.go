package tracing

import (
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/dataset"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/share"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/thread"
)

// Service is the tracing service: the rooms that other services and pages need.
type Service struct {
	*runs
	*sessions
	datasets *dataset.Service
}

type (
	runs     = run.Service
	sessions = session.Service
)

// New returns a tracing service on a database, which shares the memory limit for bodies with other services.
func New(db *store.Store, now func() time.Time, memory *limits.Memory) *Service {
	runs := run.New(db, now, memory)
	return &Service{runs: runs, sessions: session.New(db, now), datasets: dataset.New(db, now, runs, memory)}
}

// Endpoints returns the endpoints of both API versions at each of their paths. Clients strip known prefixes from the
// configured URL, and add their own prefixes to paths.
func (s *Service) Endpoints() []rest.Endpoint {
	version1 := slices.Concat(about(), s.Prices.Endpoints(), feedback.Endpoints(), s.runs.Version1(), s.sessions.Version1(), s.datasets.Version1(),
		thread.Version1(), share.Version1())
	version2 := slices.Concat(s.runs.Version2(), s.sessions.Version2(), thread.Version2(), share.Version2())
	return slices.Concat(rest.Below(version1, "", "/v1", "/api", "/api/v1"), rest.Below(version2, "/v2", "/api/v2"), s.OTLPEndpoints())
}
