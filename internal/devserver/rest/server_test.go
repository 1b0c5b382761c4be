package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// newServer starts a server with one endpoint.
func newServer(t *testing.T, memory int64, bodyTime time.Duration, work rest.Handler) *httptest.Server {
	t.Helper()
	db, err := store.Open(t.Context(), "")
	devservertest.Must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	server := &rest.Server{
		Store: db, Memory: limits.NewMemory(memory), BodyTime: bodyTime, Dialect: api.Neutral, Clock: time.Now,
		Logger: slog.New(slog.DiscardHandler), Advance: func(*store.Tx, time.Time) error { return nil }, Due: func(*store.Tx, time.Time) (bool, error) { return false, nil },
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.Serve(w, r, rest.Endpoint{Methods: rest.Methods{http.MethodPost: work}})
	}))
	t.Cleanup(web.Close)
	return web
}

// TestAnswerNotEncodable checks that a response that can't be encoded as JSON becomes an error, also in the request log.
func TestAnswerNotEncodable(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db, err := store.Open(t.Context(), "")
	devservertest.Must(t, err)
	defer db.Close()
	server := &rest.Server{
		Store: db, Memory: limits.NewMemory(1 << 20), Dialect: api.Neutral, Clock: time.Now,
		Logger: slog.New(slog.NewTextHandler(&log, nil)), Advance: func(*store.Tx, time.Time) error { return nil }, Due: func(*store.Tx, time.Time) (bool, error) { return false, nil },
	}
	answer := httptest.NewRecorder()
	infinite := rest.Endpoint{Methods: rest.Methods{http.MethodGet: func(*rest.Call) (rest.Answer, error) { return rest.OK(math.Inf(1)), nil }}}
	server.Serve(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody), infinite)
	if answer.Code != http.StatusInternalServerError || !strings.Contains(answer.Body.String(), "Internal Server Error") {
		t.Errorf("status %d, want 500: %s", answer.Code, answer.Body)
	}
	if logged, err := server.Requests.Of(nil, ""); err != nil || len(logged) != 1 || logged[0].Status != http.StatusInternalServerError {
		t.Errorf("logged requests = %+v, want one with status 500", logged)
	}
	if !strings.Contains(log.String(), "unsupported value") {
		t.Errorf("the log doesn't contain the cause:\n%s", &log)
	}
}

// TestLongQuery checks that a query that takes too long gets an error that says so, and that a disconnected client gets no response.
func TestLongQuery(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "")
	devservertest.Must(t, err)
	defer db.Close()
	var log bytes.Buffer
	server := &rest.Server{
		Store: db, Memory: limits.NewMemory(1 << 20), QueryTime: time.Second, Dialect: api.Neutral, Clock: time.Now,
		Logger: slog.New(slog.NewTextHandler(&log, nil)), Advance: func(*store.Tx, time.Time) error { return nil },
		Due: func(*store.Tx, time.Time) (bool, error) { return false, nil },
	}
	look := func(c *rest.Call) (rest.Answer, error) {
		time.Sleep(time.Minute) // Longer than a query may take, on the clock of the bubble.
		_, err := c.Tx.Projects(c.WorkspaceID, store.ProjectFilter{})
		return rest.Answer{}, err
	}
	query := rest.Endpoint{Path: "/query", Queries: true, Methods: rest.Methods{http.MethodPost: look}}
	synctest.Test(t, func(t *testing.T) {
		answer := httptest.NewRecorder()
		server.Serve(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/query", http.NoBody), query)
		if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "took more than 1s") {
			t.Errorf("status %d, want 400 that names the limit: %s", answer.Code, answer.Body)
		}
		server.QueryTime = 0
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		server.Serve(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/query", http.NoBody), query)
		if logged, err := server.Requests.Of(nil, ""); err != nil || len(logged) != 2 || logged[1].Status != 0 {
			t.Errorf("logged requests = %+v, want two, the second without a status", logged)
		}
		if strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("the log contains an error, want none:\n%s", &log)
		}
	})
}

// TestPublic checks that requests without a valid key aren't in a workspace's log, and aren't hit by its faults.
func TestPublic(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "")
	devservertest.Must(t, err)
	defer db.Close()
	const workspace = "aaaaaaaa-0000-4000-8000-000000000000"
	server := &rest.Server{
		Store: db, Memory: limits.NewMemory(1 << 20), Dialect: api.Neutral, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Advance: func(*store.Tx, time.Time) error { return nil }, Due: func(*store.Tx, time.Time) (bool, error) { return false, nil },
		Keys: []rest.Key{{Value: "hush", Workspaces: []string{workspace}}},
	}
	devservertest.Must(t, server.Faults.Arm(nil, rest.Fault{Status: http.StatusTeapot, WorkspaceID: workspace}))
	ask := func(key string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/info", http.NoBody)
		r.Header.Set("X-Tenant-Id", workspace)
		r.Header.Set("X-Api-Key", key)
		answer := httptest.NewRecorder()
		server.Serve(answer, r, rest.Endpoint{Public: true, Methods: rest.Methods{http.MethodGet: fine}})
		return answer.Code
	}
	if status := ask("guess"); status != http.StatusOK {
		t.Errorf("request with a wrong key: status %d, want 200 without the workspace's fault", status)
	}
	if logged, err := server.Requests.Of(nil, workspace); err != nil || len(logged) > 0 {
		t.Errorf("log of the workspace = %+v, want no requests with a wrong key", logged)
	}
	if status := ask("hush"); status != http.StatusTeapot {
		t.Errorf("request with the workspace's key: status %d, want that of the fault", status)
	}
	if logged, err := server.Requests.Of(nil, workspace); err != nil || len(logged) != 1 {
		t.Errorf("log of the workspace = %+v, want one request", logged)
	}
}

func fine(*rest.Call) (rest.Answer, error) { return rest.OK("fine"), nil }

// TestLateBody checks that the server doesn't wait for a body that stops arriving.
func TestLateBody(t *testing.T) {
	t.Parallel()
	web := newServer(t, 1<<20, 20*time.Millisecond, fine)
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", web.Listener.Addr().String())
	devservertest.Must(t, err)
	defer connection.Close()
	if _, err := io.WriteString(connection, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	devservertest.Must(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestTimeout {
		t.Errorf("status %d, want 408", response.StatusCode)
	}
}

// TestBodiesTogether checks that the limit on the total size counts bodies being received, until they are done.
func TestBodiesTogether(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	web := newServer(t, 200<<10, 0, func(*rest.Call) (rest.Answer, error) {
		entered <- struct{}{}
		<-leave
		return rest.OK("fine"), nil
	})
	post := func(size int) (status int, retryAfter string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(`"`+strings.Repeat("x", size)+`"`))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		response.Body.Close()
		return response.StatusCode, response.Header.Get("Retry-After")
	}
	first := make(chan int)
	go func() { status, _ := post(60 << 10); first <- status }()
	<-entered
	if status, retryAfter := post(60 << 10); status != http.StatusServiceUnavailable || retryAfter == "" {
		t.Errorf("second request: status %d, Retry-After %q; want 503 with Retry-After", status, retryAfter)
	}
	leave <- struct{}{}
	if status := <-first; status != http.StatusOK {
		t.Errorf("first request: status %d, want 200", status)
	}
	go func() { <-entered; leave <- struct{}{} }()
	if status, _ := post(60 << 10); status != http.StatusOK {
		t.Errorf("request after the first: status %d, want 200", status)
	}
}

// unread is a client that doesn't read its response until it is told to.
type unread struct {
	*httptest.ResponseRecorder
	writes chan<- struct{}
	read   <-chan struct{}
}

func (u unread) Write(p []byte) (int, error) {
	u.writes <- struct{}{}
	<-u.read
	return u.ResponseRecorder.Write(p)
}

// TestAnswersTogether checks that large responses that clients don't read are limited per workspace, that small ones and those of other
// workspaces are still sent, and that changes are always answered.
func TestAnswersTogether(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "")
	devservertest.Must(t, err)
	defer db.Close()
	const large = 100 << 10
	server := &rest.Server{
		Store: db, Memory: limits.NewMemory(6 * large), Dialect: api.Neutral, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Advance: func(*store.Tx, time.Time) error { return nil }, Due: func(*store.Tx, time.Time) (bool, error) { return false, nil },
	}
	const a, b = "aaaaaaaa-0000-4000-8000-000000000000", "bbbbbbbb-0000-4000-8000-000000000000"
	serve := func(w http.ResponseWriter, method, workspaceID string, size int) {
		r := httptest.NewRequestWithContext(t.Context(), method, "/", http.NoBody)
		r.Header.Set("X-Tenant-Id", workspaceID)
		work := func(*rest.Call) (rest.Answer, error) { return rest.OK(strings.Repeat("x", size)), nil }
		server.Serve(w, r, rest.Endpoint{Methods: rest.Methods{http.MethodGet: work, http.MethodPost: work}})
	}
	writes, read := make(chan struct{}), make(chan struct{})
	var clients sync.WaitGroup
	for range 2 { // Each response is slightly larger than its text, so three exceed the half.
		clients.Go(func() { serve(unread{httptest.NewRecorder(), writes, read}, http.MethodGet, a, large) })
		<-writes
	}
	want := func(name, method, workspaceID string, size, status int) {
		t.Helper()
		answer := httptest.NewRecorder()
		serve(answer, method, workspaceID, size)
		if answer.Code != status {
			t.Errorf("%s: status %d, want %d", name, answer.Code, status)
		}
		if status == http.StatusServiceUnavailable && answer.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", name)
		}
	}
	want("third response", http.MethodGet, a, large, http.StatusServiceUnavailable)
	want("small response", http.MethodGet, a, 1000, http.StatusOK)
	want("response to a change", http.MethodPost, a, large, http.StatusOK)
	want("other workspace", http.MethodGet, b, large, http.StatusOK)
	close(read)
	clients.Wait()
	want("after the others", http.MethodGet, a, large, http.StatusOK)
}

// TestFullDisk checks that a request that fails because the disk is full can be sent again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	web := newServer(t, 1<<20, 0, func(*rest.Call) (rest.Answer, error) { return rest.Answer{}, store.ErrFull })
	response, err := http.Post(web.URL, "application/json", strings.NewReader("{}")) //nolint:noctx // The request ends with the server.
	devservertest.Must(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("status %d, Retry-After %q; want 503 with Retry-After", response.StatusCode, response.Header.Get("Retry-After"))
	}
}
