package rest_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// ask sends a request on a new connection, and returns what answers come.
func ask(t *testing.T, p devservertest.Pipes, path string) *bufio.Reader {
	t.Helper()
	client, served := net.Pipe()
	t.Cleanup(func() { _ = client.Close() })
	p <- served
	if _, err := io.WriteString(client, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(client)
}

// late accepts a last connection, on which nothing is sent, after it was closed.
type late struct {
	devservertest.Pipes
	last chan net.Conn
}

func (l late) Accept() (net.Conn, error) {
	if c, err := l.Pipes.Accept(); err == nil {
		return c, nil
	}
	if c, open := <-l.last; open {
		time.Sleep(time.Second / 2)
		return c, nil
	}
	return nil, net.ErrClosed
}

// answered is what an answer says.
type answered struct {
	status int
	ends   bool // The connection.
}

func readAnswer(from *bufio.Reader) (answered, error) {
	answer, err := http.ReadResponse(from, nil)
	if err != nil {
		return answered{}, err
	}
	return answered{answer.StatusCode, answer.Close}, answer.Body.Close()
}

// TestDrain checks what happens when after a server was told to stop: connections are accepted during the delay, then streams end, then
// requests in progress have limits.Grace to finish, and the rest is cut off.
func TestDrain(t *testing.T) {
	t.Parallel()
	const delay = 10 * time.Second
	for name, tc := range map[string]struct {
		takes time.Duration // What a request takes that is in progress at the end of the delay.
		ends  time.Duration // When Serve returns.
		cut   bool
	}{
		"idle":     {0, delay, false},
		"finishes": {delay + limits.Grace/2, delay + limits.Grace, false},
		"too long": {time.Hour, delay + limits.Grace, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended, leave := make(chan struct{}), make(chan struct{})
				defer close(leave)
				server := rest.HTTPServer{Logger: slog.New(slog.DiscardHandler), DrainDelay: delay, EndStreams: func() { close(ended) }}
				server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch r.URL.Path {
					case "/stream":
						<-ended
					case "/slow":
						select {
						case <-time.After(tc.takes):
						case <-leave: // The handler of a connection that was cut off goes on.
						}
					}
				})
				ctx, stop := context.WithCancel(t.Context())
				listener, served := make(devservertest.Pipes), make(chan error, 1)
				client, accepted := net.Pipe()
				defer client.Close()
				last := make(chan net.Conn, 1)
				last <- accepted
				close(last)
				go func() { served <- server.Serve(ctx, late{listener, last}) }()
				stream, slow := ask(t, listener, "/stream"), ask(t, listener, "/slow")
				stop()
				began := time.Now()
				time.Sleep(delay / 2)
				if !server.Draining() {
					t.Error("the server doesn't say that it drains")
				}
				answer, err := readAnswer(ask(t, listener, "/"))
				if err != nil || answer.status != http.StatusOK || !answer.ends {
					t.Errorf("a new request during the delay: %v, %v; want status 200 and the end of the connection", answer, err)
				}
				if _, err := readAnswer(stream); err != nil {
					t.Errorf("the stream ends with %v", err)
				}
				if at := time.Since(began); at != delay {
					t.Errorf("the stream ends after %s, want %s", at, delay)
				}
				if _, open := <-listener; open {
					t.Error("the listener is open after the delay")
				}
				_, err = readAnswer(slow)
				if cut := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF); cut != tc.cut {
					t.Errorf("the slow request ends with %v, want it cut off: %v", err, tc.cut)
				}
				assert.Must(t, <-served)
				if at := time.Since(began); at > tc.ends+time.Second {
					t.Errorf("Serve returns after %s, want about %s", at, tc.ends)
				}
			})
		})
	}
}
