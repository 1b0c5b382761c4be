package devserver

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// readiness checks whether the data can be used. Concurrent callers share one check, so that a database that doesn't answer gets one
// query.
type readiness struct {
	ask     func(ctx context.Context) error
	asking  singleflight.Group
	unready atomic.Bool // According to the last answer.
}

// errNoAnswer means that a question has no answer in time.
var errNoAnswer = errors.New("no answer in time")

// usable returns why the data can't be used. A disk that was full may still take a transaction that stores nothing.
func (s *Server) usable(ctx context.Context) error {
	if s.rest.Store.Full() {
		return store.ErrFull
	}
	return s.rest.Do(ctx, DefaultWorkspaceID, func(*rest.Call) error { return nil })
}

// check returns the answer, or errNoAnswer after limits.ReadyTime.
func (q *readiness) check() error {
	answered := q.asking.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), limits.ReadyTime)
		defer cancel()
		return nil, q.ask(ctx)
	})
	select {
	case answer := <-answered:
		return answer.Err
	case <-time.After(limits.ReadyTime):
		return errNoAnswer
	}
}

// unreadyReason is what a probe, which has no key, may know about the reason.
func unreadyReason(err error) string {
	switch {
	case errors.Is(err, errNoAnswer), errors.Is(err, context.DeadlineExceeded):
		return "The database does not answer."
	case errors.Is(err, store.ErrUnavailable):
		return "The database is not available."
	case errors.Is(err, store.ErrFull):
		return "The disk is full."
	case errors.Is(err, store.ErrDamaged):
		return "The data file is damaged."
	default:
		return "The data can't be used."
	}
}

type healthAnswer struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// ready reports whether requests should be sent here: a load balancer asks.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.edge.Draining() {
		s.notReady(w, r, "The server is shutting down.")
		return
	}
	err := s.readiness.check() //nolint:contextcheck // Others may wait for the answer, too.
	if was := s.readiness.unready.Swap(err != nil); err != nil {
		if !was {
			s.cfg.Logger.WarnContext(r.Context(), "not ready", "error", err)
		}
		s.notReady(w, r, unreadyReason(err))
		return
	} else if was {
		s.cfg.Logger.InfoContext(r.Context(), "ready again")
	}
	s.health(w, r)
}

func (s *Server) notReady(w http.ResponseWriter, r *http.Request, reason string) {
	s.rest.Send(w, r, rest.Answer{Status: http.StatusServiceUnavailable, Body: healthAnswer{Status: "unavailable", Reason: reason}}, api.Neutral)
}

// health reports that the process serves requests, whether or not its data can be used. Supervisors that restart hanging processes call it.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	s.rest.Send(w, r, rest.OK(healthAnswer{Status: "ok"}), api.Neutral)
}
