package devserver

import (
	"context"
	"net"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// newMetrics returns metrics that ask the server when they are collected, and that the server's data and tracing service call.
func (s *Server) newMetrics(memory *limits.Memory) *rest.Metrics {
	m := rest.NewMetrics(s.cfg.Version, rest.MetricSources{
		InFlight: memory.Taken, Rollouts: s.rollouts,
		WritersWaiting: func() int64 { return s.rest.Store.Usage().WritersWaiting },
		ReadersInUse:   func() int64 { return s.rest.Store.Usage().ReadersInUse },
	})
	s.rest.Store.Measure(m.Wrote)
	s.tracing.Logged = m.Logged
	return m
}

// rollouts are the numbers of all revisions by status, which first get the status that they have now.
func (s *Server) rollouts() (counted map[string]int64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limits.ReadyTime)
	defer cancel()
	counted = map[string]int64{}
	for _, status := range api.RevisionStatuses {
		counted[string(status)] = 0
	}
	err = s.rest.Read(ctx, DefaultWorkspaceID, func(c *rest.Call) error {
		all, err := c.Tx.RevisionsByStatus()
		for status, n := range all {
			if _, known := counted[status]; !known {
				status = "other" // A fault can report any status.
			}
			counted[status] += n
		}
		return err
	})
	return counted, err
}

// ServeMetrics answers Prometheus on a listener of its own until ctx is done: metrics need no key. Names in the header Host are
// restricted as for the server itself.
func (s *Server) ServeMetrics(ctx context.Context, listener net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	guarded := func(w http.ResponseWriter, r *http.Request) { s.guarded(mux, w, r) }
	server := rest.HTTPServer{Logger: s.cfg.Logger, EndStreams: func() {}, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest.Arrive(w, r, nil, guarded, func(*http.Request, *rest.Arrival) {})
	})}
	return server.Serve(ctx, listener)
}
