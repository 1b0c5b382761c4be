package devserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/web"
)

// maxBody is the largest request body that is read.
const maxBody = 10 << 20

// Server is a control plane and a tracing service. It implements http.Handler.
type Server struct {
	cfg      Config
	store    *store.Store
	handler  http.Handler
	faults   faults
	requests requests
	memory   *ingest.Memory
	prices   prices
	pages    *web.Pages
	lookedAt lookedAt
	// lookAgain is defaultLookAgain, except in tests.
	lookAgain time.Duration
	// ended is closed with the server, for what would go on as long as somebody looks.
	ended   chan struct{}
	endOnce sync.Once
}

// New opens the data and makes a Server that is ready to serve; Close it to release the data.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	pages, err := web.New()
	if err != nil {
		return nil, err
	}
	db, err := store.Open(context.Background(), cfg.Data)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, store: db, memory: ingest.NewMemory(maxRuns, maxRunsTogether), pages: pages,
		lookAgain: defaultLookAgain, ended: make(chan struct{}),
	}
	s.handler = s.routes()
	return s, nil
}

// Close releases the data. Requests that are still running fail.
func (s *Server) Close() error {
	s.EndStreams()
	return s.store.Close()
}

// EndStreams ends what would go on as long as somebody looks at a page, so that a shutdown needn't wait for it.
func (s *Server) EndStreams() { s.endOnce.Do(func() { close(s.ended) }) }

// ServeHTTP serves the control plane at the root and under /api-host, as self-hosted installations have it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", uuid.NewString())
	// Clients judge the age of what they find by this header, so it must go by the clock that created_at goes by.
	w.Header().Set("Date", s.now().Format(http.TimeFormat))
	s.handler.ServeHTTP(w, r)
}

// call is one request inside its transaction.
type call struct {
	server      *Server
	request     *http.Request
	tx          *store.Tx
	now         time.Time
	workspaceID string
	body        []byte
}

// dialect is what the caller speaks.
func (c *call) dialect() *api.Dialect { return c.server.cfg.Dialect }

// serve answers a request and remembers it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, e endpoint) {
	began := time.Now()
	seen := Request{
		ID:     w.Header().Get("X-Request-Id"),
		Method: r.Method,
		Path:   r.URL.Path,
		Query:  r.URL.RawQuery,
	}
	reply, err := s.reply(w, r, e, &seen)
	if err != nil {
		reply = answerTo(err, s.dialectOf(e))
		s.logError(err, seen)
	}
	dropped := errors.Is(err, errDropped)
	if !dropped {
		seen.Status = reply.status
	}
	if !e.dev {
		s.requests.add(seen)
	}
	s.cfg.Logger.Info("request", "method", seen.Method, "path", seen.Path, "status", seen.Status,
		"workspace_id", seen.WorkspaceID, "request_id", seen.ID, "took", time.Since(began))
	if dropped {
		panic(http.ErrAbortHandler) // How net/http is told to close a connection without an answer.
	}
	s.send(w, reply, s.dialectOf(e))
}

// dialectOf is what an endpoint speaks. What controls this server, and what people trace, is nobody's dialect.
func (s *Server) dialectOf(e endpoint) *api.Dialect {
	if e.dev || e.tracing {
		return api.Neutral
	}
	return s.cfg.Dialect
}

func (s *Server) send(w http.ResponseWriter, a answer, dialect *api.Dialect) {
	if err := a.write(w, dialect); err != nil {
		s.cfg.Logger.Warn("answer not sent", "error", err, "request_id", w.Header().Get("X-Request-Id"))
	}
}

// logError reports what is a mistake of the server or of whoever wrote the client, not an ordinary refusal.
func (s *Server) logError(err error, seen Request) {
	p, expected := errors.AsType[*problem](err)
	switch {
	case errors.Is(err, errDropped):
	case !expected:
		s.cfg.Logger.Error("request failed", "error", err, "request_id", seen.ID)
	case p.body == notServed:
		s.cfg.Logger.Error("no such route: check the base URL and the path",
			"method", seen.Method, "path", seen.Path, "request_id", seen.ID)
	}
}

// notServed is the body for a path that no endpoint has.
var notServed = api.ErrorDetail{Detail: "Not Found"}

// reply finds the answer and fills in what seen does not know yet.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, e endpoint, seen *Request) (answer, error) {
	if e.methods == nil && e.streams == nil {
		return answer{}, &problem{status: http.StatusNotFound, body: notServed}
	}
	work, offered := e.methods[r.Method]
	streaming, streams := e.streams[r.Method]
	if !offered && !streams {
		p := detail(http.StatusMethodNotAllowed, "Method Not Allowed")
		p.header = http.Header{"Allow": e.allow()}
		return answer{}, p
	}
	keys := s.cfg.Keys
	if e.public {
		keys = nil
	}
	workspaceID, err := identify(keys, r.Header)
	if err != nil {
		return answer{}, err
	}
	seen.WorkspaceID = workspaceID
	if streams {
		reply, made, err := s.faults.around(r, workspaceID, func() (answer, error) { return streaming(s, r, workspaceID) })
		seen.Fault = made
		return reply, err
	}
	body, err := readBody(w, r)
	if err != nil {
		return answer{}, err
	}
	seen.Body = redact(body)
	body = s.dialectOf(e).Body(body)
	do := func() (answer, error) { return s.transact(work, r, workspaceID, body) }
	if e.dev {
		return do()
	}
	reply, made, err := s.faults.around(r, workspaceID, do)
	seen.Fault = made
	return reply, err
}

// transact commits before anyone is told: an answered 2xx is on disk.
func (s *Server) transact(work handler, r *http.Request, workspaceID string, body []byte) (answer, error) {
	var reply answer
	err := s.store.Do(r.Context(), func(tx *store.Tx) error {
		now := s.now()
		if err := settle(tx, now, s.cfg.Dialect); err != nil {
			return err
		}
		var err error
		reply, err = work(&call{server: s, request: r, tx: tx, now: now, workspaceID: workspaceID, body: body})
		return err
	})
	return reply, err
}

// now is asked for inside transactions only, so that the order of times is the order of commits.
func (s *Server) now() time.Time { return s.cfg.Clock.Now().UTC().Truncate(time.Microsecond) }

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, detail(http.StatusRequestEntityTooLarge, "The request body is larger than %d bytes.", maxBody)
	}
	if err != nil {
		return nil, badRequest("There was an error reading the body: %s", err)
	}
	return body, nil
}
