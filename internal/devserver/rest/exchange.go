package rest

import (
	"context"
	"errors"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// exchange is a request to an endpoint on the way to its answer.
type exchange struct {
	endpoint    Endpoint
	dialect     *api.Dialect // That of the bodies.
	request     *http.Request
	workspaceID string
	ownerID     string // The workspace for which the request counts.
	body        []byte // Nil if the handler reads it.
	names       asked
	entry       Request
	fault       Fault // What hits the request.
	// counted reports whether the memory of the answer is accounted for, until release, or needn't be.
	counted bool
	release func()
}

// mode answers a request in one of three ways: in a transaction that reads, in one that writes, or outside of transactions.
type mode func(ctx context.Context, x *exchange) (Answer, error)

// modeOf returns the mode in which an endpoint answers a request, and whether it offers the method.
func (s *Server) modeOf(e Endpoint, r *http.Request) (_ mode, offered bool) {
	if work := e.Streams[r.Method]; work != nil {
		return s.streams(work), true
	}
	if work := e.Outside[r.Method]; work != nil {
		return s.outside(work), true
	}
	work := e.Methods[r.Method]
	if e.reads(r) {
		return s.reads(work), work != nil
	}
	return s.writes(work), work != nil
}

// reads runs a handler in a transaction that only reads.
func (s *Server) reads(work Handler) mode {
	return func(ctx context.Context, x *exchange) (reply Answer, err error) {
		// A workspace that only the request names isn't stored: clients can name any number of them.
		if known := len(s.Keys) > 0 || x.workspaceID == DefaultWorkspaceID; known && x.endpoint.Prepare != nil {
			if err := x.endpoint.Prepare(ctx, x.workspaceID); err != nil {
				return Answer{}, err
			}
		}
		if x.ownerID, err = s.owner(ctx, x); err != nil {
			return Answer{}, err
		}
		read, long := s.Read, false
		switch {
		case x.endpoint.Lags && s.lags(x.request):
			read = s.behind
		case x.endpoint.Neutral || x.endpoint.Dev: // Traced data can be large.
			long = true
			read = func(ctx context.Context, workspaceID string, work func(*Call) error) error {
				return s.readTracedFor(ctx, x.ownerID, workspaceID, work)
			}
		}
		err = read(ctx, x.workspaceID, func(c *Call) error {
			s.enter(c, x)
			if reply, err = work(c); err == nil && long { // As long reads are few, so are large answers that aren't accounted for.
				reply, err = s.hold(reply, x)
			}
			return err
		})
		return reply, err
	}
}

// writes runs a handler in a transaction that writes, and applies the fault that hits the request.
func (s *Server) writes(work Handler) mode {
	return func(ctx context.Context, x *exchange) (reply Answer, err error) {
		known := ahead{}
		err = known.repeat(func() error {
			return s.Do(ctx, x.workspaceID, func(c *Call) error {
				s.enter(c, x)
				c.ahead = &known
				if x.fault.Stale {
					reply, err = staleAnswer(c, x.endpoint.object(x.request.Method), work)
					return err
				}
				if reply, err = work(c); err == nil && x.fault.Swallow {
					return errSwallowed
				}
				return err
			})
		})
		switch {
		case errors.Is(err, errSwallowed):
			return reply, nil
		case err == nil && !s.lags(x.request):
			err = s.ShowAll(ctx)
		}
		return reply, err
	}
}

// streams runs a handler that reads the request and the database piece by piece.
func (s *Server) streams(work stream) mode {
	return func(_ context.Context, x *exchange) (Answer, error) { return work(x.request, x.workspaceID) }
}

// outside runs a handler that starts its own transactions.
func (s *Server) outside(work Handler) mode {
	return func(_ context.Context, x *exchange) (Answer, error) {
		c := s.Outside(x.request, x.workspaceID, UserOf(s.Keys, x.request.Header))
		c.Body, c.exchange = x.body, x
		return work(c)
	}
}

// enter completes the call of a transaction with its request.
func (s *Server) enter(c *Call, x *exchange) {
	c.Request, c.Body, c.UserID, c.exchange = x.request, x.body, UserOf(s.Keys, x.request.Header), x
}

// staleAnswer does the work and answers with the object as it was before.
func staleAnswer(c *Call, object, work Handler) (Answer, error) {
	before, unknown := object(c)
	reply, err := work(c)
	if err != nil || unknown != nil {
		return reply, err
	}
	return before, nil
}

// hold encodes an answer and accounts for it, unless that was done before.
func (s *Server) hold(a Answer, x *exchange) (_ Answer, err error) {
	if a, err = a.encoded(x.dialect); err == nil && !x.counted {
		x.release, err = s.Hold(x.ownerID, a.size())
		x.counted = true
	}
	return a, err
}
