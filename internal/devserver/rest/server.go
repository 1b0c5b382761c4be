package rest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Server runs the operations of endpoints, each in a transaction.
type Server struct {
	Store   store.Store
	Dialect *api.Dialect
	Keys    []Key // Empty: any key, or none, is accepted for any workspace.
	Clock   func() time.Time
	// InTx is the time in a transaction that writes; nil if it is that of Clock.
	InTx   func(*store.Tx) time.Time
	Logger *slog.Logger
	// Replica is what endpoints that lag read, as it was Lag ago; nil without a lag.
	Replica *store.Replica
	Lag     time.Duration
	// Memory limits what bodies may take, BodyTime how long each may take to arrive, and QueryTime how long a read-only
	// request may take; zero means no limit.
	Memory              *limits.Memory
	BodyTime, QueryTime time.Duration
	// Advance updates the stored state to a time, at the start of each transaction. Due says whether that would change
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
	// Do runs work in a transaction, and Glance read-only work. They are for handlers that run outside of one and have no Tx.
	Do, Glance func(ctx context.Context, work func(*Call) error) error

	asked *asked // Nil unless the endpoint is tolerant.
	ahead *ahead // Nil unless the transaction writes.
}

// Serve handles a request to an endpoint and logs it.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, e Endpoint) {
	began := time.Now()
	entry := Request{
		ID:     ArrivalOf(r.Context()).ID,
		Method: Logged(r.Method),
		Path:   RedactedPath(r.URL.Path),
		Query:  redactQuery(r.URL.RawQuery),
		Time:   s.Clock(), Tracing: e.Neutral, Sent: sentPath(r.URL),
	}
	names := &asked{query: r.URL.Query(), known: map[string]bool{}}
	inMemory := &held{counted: !e.reads(r), release: func() {}} // What a request has changed must be answered.
	reply, err := s.reply(w, r, e, &entry, names, inMemory)
	if err == nil {
		reply, err = s.hold(reply, e, cmp.Or(reply.ownerID, entry.WorkspaceID), inMemory)
	}
	defer inMemory.release()
	if unknown := names.unknown(); e.Tolerant && err == nil && unknown != nil {
		s.Logger.WarnContext(r.Context(), "ignored unknown parameters", "names", unknown, "method", entry.Method, "path", entry.Path)
	}
	if err != nil {
		reply, ArrivalOf(r.Context()).Refused = e.refusal(r, AnswerTo(err, s.dialectOf(e))), Reason(err)
		s.logError(r.Context(), err, entry)
	}
	dropped := errors.Is(err, errDropped)
	left := errors.Is(err, context.Canceled) // There is nobody to send a response to.
	if !dropped && !left {
		entry.Status = reply.Status
	}
	if e.LogsAnswers && entry.Status != 0 && (!e.reads(r) || reply.Status >= http.StatusBadRequest) {
		if reply, err = reply.encoded(s.dialectOf(e)); err == nil {
			body, _ := reply.Body.(encodedBody)
			entry.Answer = redactAnswer(body.joined())
		}
	}
	if entry.Took = time.Since(began); !e.Dev {
		if err := s.Requests.add(r.Context(), entry); err != nil {
			s.Logger.Warn("request not logged", "error", err, "request_id", entry.ID)
		}
	}
	if dropped {
		panic(http.ErrAbortHandler) // Makes net/http close the connection without a response.
	}
	if !left {
		s.Send(w, r, reply, s.dialectOf(e))
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
func (s *Server) reply(w http.ResponseWriter, r *http.Request, e Endpoint, entry *Request, names *asked, inMemory *held) (Answer, error) {
	workspaceID, unknown := Identify(s.Keys, r.Header)
	entry.WorkspaceID, ArrivalOf(r.Context()).WorkspaceID = workspaceID, workspaceID
	if e.Methods == nil && e.Streams == nil && e.Outside == nil {
		return Answer{}, PathNotServed()
	}
	work, offered := e.Methods[r.Method]
	streaming, streams := e.Streams[r.Method]
	waiting, waits := e.Outside[r.Method]
	if !offered && !streams && !waits {
		return Answer{}, &Error{Answer{
			Status: http.StatusMethodNotAllowed, Header: http.Header{"Allow": e.allow()}, Body: api.ErrorDetail{Detail: "Method Not Allowed"},
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
	if streams {
		reply, made, err := s.Faults.around(r, e, workspaceID, func(context.Context) (Answer, error) { return streaming(r, workspaceID) })
		entry.Fault = made
		return reply, err
	}
	body, err := readBody(w, r, share)
	if err != nil {
		return Answer{}, err
	}
	if !e.Confidential {
		entry.Body = redact(body)
	}
	body = s.dialectOf(e).Body(body)
	do := func(ctx context.Context) (Answer, error) {
		return s.transact(ctx, work, e, r, workspaceID, body, names, inMemory)
	}
	if waits {
		do = func(context.Context) (Answer, error) { return s.outside(waiting, r, workspaceID, body) }
	}
	if e.Dev {
		return do(r.Context())
	}
	reply, made, err := s.Faults.around(r, e, workspaceID, do)
	entry.Fault = made
	return reply, err
}

func (s *Server) transact(
	ctx context.Context, work Handler, e Endpoint, r *http.Request, workspaceID string, body []byte, names *asked, inMemory *held,
) (reply Answer, err error) {
	// A workspace that only the request names isn't stored: anybody can name any number of them.
	if known := len(s.Keys) > 0 || workspaceID == DefaultWorkspaceID; known && e.Prepare != nil && r.Method == http.MethodGet {
		if err := e.Prepare(ctx, workspaceID); err != nil {
			return Answer{}, err
		}
	}
	ownerID, err := s.owner(ctx, e, r, workspaceID)
	if err != nil {
		return Answer{}, err
	}
	do, long := s.doer(e, r, ownerID)
	fault := faultOf(ctx)
	known := ahead{}
	err = known.repeat(func() error {
		return do(ctx, workspaceID, func(c *Call) error {
			c.Request, c.Body, c.UserID, c.asked = r, body, UserOf(s.Keys, r.Header), names
			if !e.reads(r) {
				c.ahead = &known
			}
			if fault.Stale {
				reply, err = staleAnswer(c, e.object(r.Method), work)
				return err
			}
			if reply, err = work(c); err == nil && fault.Swallow {
				return errSwallowed
			}
			if err == nil && long { // As long reads are few, so are large answers that aren't accounted for.
				reply, err = s.hold(reply, e, ownerID, inMemory)
			}
			return err
		})
	})
	reply.ownerID = ownerID
	switch {
	case errors.Is(err, errSwallowed):
		return reply, nil
	case err == nil && !e.reads(r) && !s.lags(r):
		err = s.ShowAll(ctx)
	}
	return reply, err
}

// doer returns what runs the work of a request in a transaction, and whether that may be long.
func (s *Server) doer(e Endpoint, r *http.Request, ownerID string) (
	do func(ctx context.Context, workspaceID string, work func(*Call) error) error, long bool,
) {
	switch reads := e.reads(r); {
	case e.Lags && r.Method == http.MethodGet && s.lags(r):
		return s.behind, false
	case reads && (e.Neutral || e.Dev): // Traced data can be large.
		return func(ctx context.Context, workspaceID string, work func(*Call) error) error {
			return s.lookFor(ctx, ownerID, workspaceID, work)
		}, true
	case reads:
		return s.Glance, false
	default:
		return s.Do, false
	}
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

// outside lets work start its own transactions.
func (s *Server) outside(work Handler, r *http.Request, workspaceID string, body []byte) (Answer, error) {
	call := s.Outside(r, workspaceID, UserOf(s.Keys, r.Header))
	call.Body = body
	return work(call)
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
	call.Do, call.Glance = run(s.Do), run(s.Glance)
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

// ExpectBody sets the deadline for the request's body to arrive.
func (s *Server) ExpectBody(w http.ResponseWriter, r *http.Request) {
	if s.BodyTime == 0 || r.ContentLength == 0 {
		return
	}
	connection := http.NewResponseController(w)
	if err := connection.SetReadDeadline(time.Now().Add(s.BodyTime)); err != nil {
		return // There is no connection, as in a test.
	}
	r.Body = &timedBody{ReadCloser: r.Body, arrived: func() { _ = connection.SetReadDeadline(time.Time{}) }}
}

// timedBody is a body whose deadline is removed at its end.
type timedBody struct {
	io.ReadCloser
	arrived func()
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.arrived()
	}
	return n, err
}

// values bounds the bodies of all requests that don't log runs.
var values = limits.JSON{Depth: api.MaxDepth, Values: limits.Values}

func readBody(w http.ResponseWriter, r *http.Request, share *limits.Share) ([]byte, error) {
	body, err := share.ReadAll(values.Reader(http.MaxBytesReader(w, r.Body, limits.Body)))
	if tooMany, is := errors.AsType[*limits.TooManyError](err); is {
		return nil, form.Refuse(form.TooLarge, "The request body has %s.", tooMany)
	}
	if tooDeep, is := errors.AsType[*limits.TooDeepError](err); is {
		return nil, form.NotJSON(tooDeep)
	}
	if tooMuch, is := errors.AsType[*limits.TooMuchError](err); is {
		return nil, form.Refuse(form.Busy, "The requests in progress have more than %d bytes in total.  "+
			"Try again later.", tooMuch.Bytes)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, form.Refuse(form.TooLate, "The request body did not arrive within %s.", limits.BodyTime)
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, form.Refuse(form.TooLarge, "The request body is larger than %d bytes.", limits.Body)
	}
	if err != nil {
		return nil, form.Broken("There was an error reading the body: %s", err)
	}
	return body, nil
}
