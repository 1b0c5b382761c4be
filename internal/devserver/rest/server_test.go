package rest_test

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// newServer serves one endpoint.
func newServer(t *testing.T, memory int64, bodyTime time.Duration, work rest.Handler) *httptest.Server {
	t.Helper()
	db, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	server := &rest.Server{
		Store: db, Memory: limits.NewMemory(memory), BodyTime: bodyTime, Dialect: api.Neutral, Clock: time.Now,
		Logger: slog.New(slog.DiscardHandler), Advance: func(store.Tx, time.Time) error { return nil },
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.Serve(w, r, rest.Endpoint{Methods: rest.Methods{http.MethodPost: work}})
	}))
	t.Cleanup(web.Close)
	return web
}

func fine(*rest.Call) (rest.Answer, error) { return rest.OK("fine"), nil }

// TestLateBody: a body that stops arriving is not waited for.
func TestLateBody(t *testing.T) {
	t.Parallel()
	web := newServer(t, 1<<20, 20*time.Millisecond, fine)
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestTimeout {
		t.Errorf("status %d", response.StatusCode)
	}
}

// TestBodiesTogether: bodies that are on their way count, and give way when they are done.
func TestBodiesTogether(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	web := newServer(t, 100<<10, 0, func(*rest.Call) (rest.Answer, error) {
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
	if status, retryAfter := post(60 << 10); status != http.StatusTooManyRequests || retryAfter == "" {
		t.Errorf("status %d, Retry-After %q", status, retryAfter)
	}
	leave <- struct{}{}
	if status := <-first; status != http.StatusOK {
		t.Errorf("the first is answered by %d", status)
	}
	go func() { <-entered; leave <- struct{}{} }()
	if status, _ := post(60 << 10); status != http.StatusOK {
		t.Errorf("after the first: status %d", status)
	}
}

// TestFullDisk: what finds no space is to be sent again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	web := newServer(t, 1<<20, 0, func(*rest.Call) (rest.Answer, error) { return rest.Answer{}, store.ErrFull })
	response, err := http.Post(web.URL, "application/json", strings.NewReader("{}")) //nolint:noctx // It ends with the server.
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("status %d, Retry-After %q", response.StatusCode, response.Header.Get("Retry-After"))
	}
}
