package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// seen is a request as the service received it.
type seen struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         string
}

// service is a scripted server. It records the requests and the pauses between them.
type service struct {
	*httptest.Server
	turn     sync.Mutex // Held while the handler runs, so that it can keep what it has seen in plain variables.
	mu       sync.Mutex
	requests []seen
	pauses   []time.Duration
}

func (s *service) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := make([]string, len(s.requests))
	for i, r := range s.requests {
		calls[i] = r.Method + " " + r.Path
	}
	return calls
}

func (s *service) last(t *testing.T) seen {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		t.Fatal("the service received no requests")
	}
	return s.requests[len(s.requests)-1]
}

func (s *service) slept() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pauses)
}

// idleTimeout is when the test server closes idle connections, as common servers do.
const idleTimeout = 5 * time.Second

// serve runs handler and returns a client for it that retries three times and records pauses instead of sleeping.
func serve(t *testing.T, handler http.HandlerFunc, options ...func(*Config)) (*Client, *service) {
	t.Helper()
	return serveOn(t, httptest.NewUnstartedServer(nil), handler, options...)
}

// serveInMemory is serve without sockets, for tests in a synctest bubble, where time doesn't pass during network I/O.
func serveInMemory(t *testing.T, handler http.HandlerFunc, options ...func(*Config)) (*Client, *service) {
	t.Helper()
	listener := &pipeListener{connections: make(chan net.Conn), closed: make(chan struct{})}
	c, s := serveOn(t, &httptest.Server{Listener: listener, Config: &http.Server{}}, handler, options...) //nolint:gosec // In memory, nobody else can connect.
	transport, ok := c.http.Transport.(*http.Transport)
	if !ok {
		t.Fatalf("the client's transport is a %T, want *http.Transport", c.http.Transport)
	}
	transport.DialContext = listener.dial
	return c, s
}

func serveOn(t *testing.T, server *httptest.Server, handler http.HandlerFunc, options ...func(*Config)) (*Client, *service) {
	t.Helper()
	s := &service{Server: server}
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("reading the request: %v", err)
		}
		s.mu.Lock()
		s.requests = append(s.requests, seen{r.Method, r.URL.EscapedPath(), r.URL.Query(), r.Header, string(body)})
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.turn.Lock()
		defer s.turn.Unlock()
		handler(w, r)
	})
	s.Config.IdleTimeout = idleTimeout
	s.Start()
	t.Cleanup(s.Close)
	cfg := Config{
		BaseURL: s.URL, APIKey: "key-of-the-test", MaxRetries: 3,
		Sleep: func(ctx context.Context, d time.Duration) error {
			s.mu.Lock()
			s.pauses = append(s.pauses, d)
			s.mu.Unlock()
			return ctx.Err()
		},
	}
	for _, option := range options {
		option(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.http.CloseIdleConnections)
	c.grace = 20 * time.Millisecond
	return c, s
}

// pipeListener accepts in-memory connections.
type pipeListener struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.connections <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// script passes the first request to the first handler and so on; the last handler gets all further requests.
func script(handlers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	next := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handlers[min(next, len(handlers)-1)]
		next++
		mu.Unlock()
		h(w, r)
	}
}

// appearing answers reads with the empty list until a POST has arrived, and everything else as handler.
func appearing(empty string, handler http.HandlerFunc) http.HandlerFunc {
	var posted atomic.Bool
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posted.Store(true)
		}
		if !posted.Load() {
			answerWith(http.StatusOK, empty)(w, r)
			return
		}
		handler(w, r)
	}
}

// answerWith writes a status and a JSON body; headers are pairs.
func answerWith(status int, body any, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		if text, ok := body.(string); ok {
			_, _ = io.WriteString(w, text)
		} else if body != nil {
			_ = json.NewEncoder(w).Encode(body)
		}
	}
}

// hangUp closes the connection without a response.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// breakOff sends less than its Content-Length announces.
func breakOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"id": "`)
}

// neverAnswer blocks until the client gives up.
func neverAnswer(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
