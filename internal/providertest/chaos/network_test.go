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

	"google.golang.org/grpc/test/bufconn"
)

// TestMain lets the provider reach services in this process without sockets: tens of thousands of cells, each with several
// providers, would use up the ports. The provider clones http.DefaultTransport, and with it how to connect.
func TestMain(m *testing.M) {
	if transport, ok := http.DefaultTransport.(*http.Transport); ok {
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if found, ok := inProcess.Load(address); ok {
				return found.(*bufconn.Listener).DialContext(ctx)
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

// listenInProcess serves a handler, and returns its URL and the server. The address is a loopback one, for which no
// environment configures a proxy.
func listenInProcess(service http.Handler) (string, *http.Server) {
	address, listener := fmt.Sprintf("127.77.0.1:%d", lastPort.Add(1)), bufconn.Listen(64<<10)
	inProcess.Store(address, listener)
	server := &http.Server{Handler: service, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)} // Handlers abort connections.
	go func() {
		_ = server.Serve(listener) // It ends with an error in any case.
		inProcess.Delete(address)
	}()
	return "http://" + address, server
}
