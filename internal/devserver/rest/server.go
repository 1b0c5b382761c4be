package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Server runs the operations of endpoints, each in a transaction.
type Server struct {
	Store   *store.Store
	Dialect *api.Dialect
	Keys    []Key // Empty: any key, or none, is accepted for any workspace.
	Clock   func() time.Time
	// InTx is the time in a transaction that writes; nil if it is that of Clock.
	InTx   func(*store.Tx) time.Time
	Logger *slog.Logger
	// Lagging is what endpoints that lag read, as it was Lag ago; nil without a lag.
	Lagging *store.Lagging
	Lag     time.Duration
	// Memory limits what bodies may take, BodyTime how long each may take to arrive, and QueryTime how long a read-only
	// request may take; zero means no limit.
	Memory              *limits.Memory
	BodyTime, QueryTime time.Duration
	// Advance updates the stored state to a time, at the start of each transaction. Due reports whether that would change
	// anything.
	Advance func(tx *store.Tx, now time.Time) error
	Due     func(tx *store.Tx, now time.Time) (bool, error)

	Faults   Faults
	Requests RequestLog
}

// Call is one request inside its transaction.
type Call struct {
	Request     *http.Request
	Tx          *store.Tx
	Now         time.Time
	WorkspaceID string
	UserID      string // The user that the request's key belongs to.
	Body        []byte
	Dialect     *api.Dialect // The dialect of the control plane.
	// Do runs work in a transaction, and Read read-only work. They are for handlers that run outside of one and have no Tx.
	Do, Read func(ctx context.Context, work func(*Call) error) error

	exchange *exchange // Nil unless a handler of an endpoint gets the call: in calls made by Do, Read and Owner it is nil.
	ahead    *ahead    // Nil unless the transaction writes.
}

// Serve handles a request to an endpoint and logs it.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, e Endpoint) {
	began := time.Now()
	x := &exchange{
		endpoint: e, request: r, dialect: s.dialectOf(e), names: asked{query: r.URL.Query(), known: map[string]bool{}},
		entry: Request{
			ID:     ArrivalOf(r.Context()).ID,
			Method: Logged(r.Method),
			Path:   RedactedPath(r.URL.Path),
			Query:  redactQuery(r.URL.RawQuery),
			Time:   s.Clock(), Tracing: e.Neutral, Sent: sentPath(r.URL),
		},
		counted: !e.reads(r), release: func() {}, // What a request has changed must be answered.
	}
	reply, err := s.reply(r.Context(), w, x)
	if err == nil {
		reply, err = s.hold(reply, x)
	}
	defer func() { x.release() }()
	if unknown := x.names.unknown(); e.Neutral && err == nil && unknown != nil {
		s.Logger.WarnContext(r.Context(), "ignored unknown parameters", "names", unknown, "method", x.entry.Method, "path", x.entry.Path)
	}
	if err != nil {
		reply, ArrivalOf(r.Context()).Refused = e.refusal(r, AnswerTo(err, x.dialect)), Reason(err)
		s.logError(r.Context(), err, x.entry)
	}
	dropped := errors.Is(err, errDropped)
	left := errors.Is(err, context.Canceled) // The client has gone.
	if !dropped && !left {
		x.entry.Status = reply.Status
	}
	if e.LogsAnswers && x.entry.Status != 0 && (!e.reads(r) || reply.Status >= http.StatusBadRequest) {
		if reply, err = reply.encoded(x.dialect); err == nil {
			body, _ := reply.Body.(encodedBody)
			x.entry.Answer = redactJSON(body.joined(), true)
		}
	}
	if x.entry.Took = time.Since(began); !e.Dev {
		if err := s.Requests.add(r.Context(), x.entry); err != nil {
			s.Logger.Warn("request not logged", "error", err, "request_id", x.entry.ID)
		}
	}
	if dropped {
		panic(http.ErrAbortHandler) // Makes net/http close the connection without a response.
	}
	if !left {
		s.Send(w, r, reply, x.dialect)
	}
}

// dialectOf returns the dialect of an endpoint. The server's own endpoints and traced data have none.
func (s *Server) dialectOf(e Endpoint) *api.Dialect {
	if e.Dev || e.Neutral {
		return api.Neutral
	}
	return s.Dialect
}

// Send writes an answer in a dialect's terms.
func (s *Server) Send(w http.ResponseWriter, r *http.Request, a Answer, dialect *api.Dialect) {
	if err := a.write(w, dialect); err != nil {
		s.Logger.WarnContext(r.Context(), "response not sent", "error", err)
	}
}

// logError reports errors of the server and, for information, paths that it doesn't have, but not ordinary refusals.
func (s *Server) logError(ctx context.Context, err error, entry Request) {
	refused, expected := Refused(err, s.Dialect)
	switch {
	case errors.Is(err, errDropped), errors.Is(err, context.Canceled):
	case !expected:
		s.Logger.ErrorContext(ctx, "request failed", "error", err)
	case refused.NotServed():
		s.Logger.InfoContext(ctx, "no such route: check the base URL and the path", "method", entry.Method, "path", entry.Path)
	}
}

// reply determines the answer and completes the log entry.
func (s *Server) reply(ctx context.Context, w http.ResponseWriter, x *exchange) (Answer, error) {
	r, e := x.request, x.endpoint
	workspaceID, unknown := Identify(s.Keys, r.Header)
	x.workspaceID, x.ownerID, x.entry.WorkspaceID, ArrivalOf(ctx).WorkspaceID = workspaceID, workspaceID, workspaceID, workspaceID
	if e.Methods == nil && e.Streams == nil && e.Outside == nil {
		return Answer{}, PathNotServed()
	}
	answer, offered := s.modeOf(e, r)
	if !offered {
		return Answer{}, &Error{Answer{
			Status: http.StatusMethodNotAllowed, Header: http.Header{"Allow": e.Allowed()}, Body: api.ErrorDetail{Detail: "Method Not Allowed"},
		}}
	}
	if unknown != nil && !e.Public {
		return Answer{}, unknown
	}
	if e.Everybody && !e.reads(r) {
		if err := forEverybody(s.Keys, r.Header); err != nil {
			return Answer{}, err
		}
	}
	share := s.Memory.Share(workspaceID, 2*limits.Body) // A growing buffer is larger than its contents.
	defer share.Release()
	s.ExpectBody(w, r)
	if e.Streams[r.Method] == nil {
		body, err := readBody(w, r, share)
		if err != nil {
			return Answer{}, err
		}
		if !e.Confidential {
			x.entry.Body = redact(body, e.Neutral)
		}
		x.body = x.dialect.Body(body)
	}
	if e.Dev {
		return answer(ctx, x)
	}
	reply, made, err := s.Faults.around(ctx, x, answer)
	x.entry.Fault = made
	return reply, err
}

// Outside returns a call for work that starts its own transactions.
func (s *Server) Outside(r *http.Request, workspaceID, userID string) *Call {
	call := s.call(nil, s.Now(), workspaceID)
	call.Request, call.UserID = r, userID
	run := func(do func(context.Context, string, func(*Call) error) error) func(context.Context, func(*Call) error) error {
		return func(ctx context.Context, work func(*Call) error) error {
			return do(ctx, workspaceID, func(in *Call) error {
				in.Request, in.UserID = r, userID
				return work(in)
			})
		}
	}
	call.Do, call.Read = run(s.Do), run(s.Read)
	return call
}

// Do runs work in a transaction. It commits before the response is sent: after a 2xx, the data is on disk.
func (s *Server) Do(ctx context.Context, workspaceID string, work func(*Call) error) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		now := s.Now()
		if s.InTx != nil {
			now = s.InTx(tx)
		}
		if err := s.Advance(tx, now); err != nil {
			return err
		}
		return work(s.call(tx, now, workspaceID))
	})
}

// Now is called inside transactions where the order of times must be the order of commits.
func (s *Server) Now() time.Time { return s.Clock().UTC().Truncate(time.Microsecond) }
