package rest

import (
	"context"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// LagHeader is the header that exempts a request from the lag, with the value LagNone: a read shows what is stored now, and
// what is stored when a write has ended is shown at once.
const (
	LagHeader = "X-Dev-Lag"
	LagNone   = "none"
)

// lags reports whether a request has to lag.
func (s *Server) lags(r *http.Request) bool {
	return s.Lagging != nil && r.Header.Get(LagHeader) != LagNone
}

// behind runs read-only work on what was stored Lag ago.
func (s *Server) behind(ctx context.Context, workspaceID string, work func(*Call) error) error {
	then := s.Now().Add(-s.Lag)
	return s.Lagging.Do(ctx, then, func(tx *store.Tx) error {
		if err := s.Advance(tx, then); err != nil {
			return err
		}
		return work(s.call(tx, then, workspaceID))
	})
}

// ShowAll ends the lag of everything stored so far.
func (s *Server) ShowAll(ctx context.Context) error {
	if s.Lagging == nil {
		return nil
	}
	return s.Lagging.End(ctx)
}
