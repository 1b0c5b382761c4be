package chaos

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets the provider reach services in this process without sockets: tens of thousands of cells, each with several
// providers, would use up the ports. The provider clones http.DefaultTransport, and with it how to connect.
func TestMain(m *testing.M) {
	if transport, ok := http.DefaultTransport.(*http.Transport); ok {
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if found, ok := inProcess.Load(address); ok {
				return found.(*pipes).dial(ctx)
			}
			return dial(ctx, network, address)
		}
	}
	os.Exit(m.Run())
}

var (
	inProcess sync.Map // By address.
	lastPort  atomic.Int64
)

// pipes is a listener whose connections are pipes.
type pipes struct {
	address  string
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// listenInProcess serves a handler, and returns its URL and the server. The address is a loopback one, for which no
// environment configures a proxy.
func listenInProcess(service http.Handler) (string, *http.Server, *pipes) {
	l := &pipes{address: fmt.Sprintf("127.77.0.1:%d", lastPort.Add(1)), accepted: make(chan net.Conn), closed: make(chan struct{})}
	inProcess.Store(l.address, l)
	server := &http.Server{Handler: service, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)} // Handlers abort connections.
	go func() { _ = server.Serve(l) }()                                                                            // It ends with an error in any case.
	return "http://" + l.address, server, l
}

func (l *pipes) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.accepted <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipes) Close() error {
	l.once.Do(func() {
		inProcess.Delete(l.address)
		close(l.closed)
	})
	return nil
}

// Addr implements net.Listener.
func (l *pipes) Addr() net.Addr { return here(l.address) }

type here string

func (here) Network() string  { return "pipe" }
func (h here) String() string { return string(h) }
