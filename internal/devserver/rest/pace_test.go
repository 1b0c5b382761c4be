package rest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// pipes is a listener whose connections are in memory, so that their deadlines follow the clock of a bubble.
type pipes struct {
	context.Context
	accepted chan net.Conn
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case connection := <-p.accepted:
		return connection, nil
	case <-p.Done():
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestPace checks that a slow client gets all of a large response, however long that takes, and that the connection of one that stops
// reading is closed.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		listener := &pipes{ctx, make(chan net.Conn)}
		large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB.
		wrote, served := make(chan error, 1), make(chan error, 1)
		server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			respond := func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(2 * time.Minute) // A response may begin late.
				_, err := w.Write(large)
				wrote <- errors.Join(err, http.NewResponseController(w).Flush())
			}
			Arrive(w, r, nil, respond, func(*http.Request, *Arrival) {})
		})}
		go func() { served <- server.Serve(listener) }()
		connect := func() (net.Conn, *bufio.Reader) {
			client, connection := net.Pipe()
			listener.accepted <- connection
			return client, bufio.NewReader(client)
		}
		ask := func(client net.Conn, reader *bufio.Reader) io.Reader {
			t.Helper()
			if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(reader, nil) //nolint:bodyclose // Its connection is closed.
			assert.Must(t, err)
			return response.Body
		}

		slow, reader := connect()
		for range 2 {
			got, body := int64(0), ask(slow, reader)
			for {
				n, err := io.CopyN(io.Discard, body, 32<<10)
				if got += n; err != nil {
					break
				}
				time.Sleep(15 * time.Second)
			}
			if err := <-wrote; err != nil || got != int64(len(large)) {
				t.Errorf("a slow client has got %d bytes, want %d: %v", got, len(large), err)
			}
			time.Sleep(2 * time.Minute) // Between requests, too.
		}
		_ = slow.Close()

		stopped, reader := connect()
		body := ask(stopped, reader)
		if err := <-wrote; !errors.Is(err, os.ErrDeadlineExceeded) { // Without a deadline, the bubble is deadlocked.
			t.Errorf("a client that stops reading: error = %v, want os.ErrDeadlineExceeded", err)
		}
		if n, err := io.Copy(io.Discard, body); err == nil {
			t.Errorf("it gets a complete response of %d bytes", n)
		}
		stop()
		if err := <-served; !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
}
