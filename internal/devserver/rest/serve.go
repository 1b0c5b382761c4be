package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// HTTPServer serves a handler on a listener.
type HTTPServer struct {
	Handler http.Handler
	Logger  *slog.Logger
	// DrainDelay is how long new connections are accepted after the end of the context of Serve: a load balancer may need this time to
	// notice that the server isn't ready.
	DrainDelay time.Duration
	// Certificate is for TLS; nil without.
	Certificate *Certificate
	// EndStreams ends responses of unlimited length, after the delay.
	EndStreams func()

	draining atomic.Bool
}

// Draining reports whether the server was told to stop.
func (s *HTTPServer) Draining() bool { return s.draining.Load() }

// Serve handles the requests of a listener until ctx is done and DrainDelay is over. It then closes idle connections at once, and the
// others when their requests have finished, or after limits.Grace.
func (s *HTTPServer) Serve(ctx context.Context, listener net.Listener) error {
	var silent sync.Map // Connections on which nothing was ever sent, for which Shutdown would wait.
	var ending atomic.Bool
	web := &http.Server{
		Handler: http.HandlerFunc(s.handle), ReadHeaderTimeout: limits.HeaderTime, MaxHeaderBytes: limits.Header, IdleTimeout: limits.IdleTime,
		ErrorLog: slog.NewLogLogger(s.Logger.Handler(), slog.LevelWarn),
	}
	web.ConnState = func(connection net.Conn, state http.ConnState) {
		if state == http.StateNew {
			silent.Store(connection, nil)
			if ending.Load() { // It was accepted just before, and may be too late for the loop below.
				_ = connection.Close()
			}
		} else {
			silent.Delete(connection)
		}
	}
	if s.Certificate != nil {
		listener = tls.NewListener(listener, s.Certificate.config())
	}
	web.RegisterOnShutdown(s.EndStreams)
	web.RegisterOnShutdown(func() {
		ending.Store(true)
		for connection := range silent.Range {
			_ = connection.(io.Closer).Close() //nolint:forcetypeassert // All of them are connections.
		}
	})
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.Logger.Info("shutting down", "addr", listener.Addr().String(), "delay", s.DrainDelay)
	select {
	case err := <-served:
		return err
	case <-time.After(s.DrainDelay):
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.Grace)
	defer cancel()
	err := web.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		s.Logger.Warn("some requests were cut off: they took too long to finish", "grace", limits.Grace)
		return web.Close()
	}
	return err
}

// handle lets each connection end with its request once the server drains: the next request should go elsewhere. Closing idle connections
// before the delay is over would cut off requests that are on their way.
func (s *HTTPServer) handle(w http.ResponseWriter, r *http.Request) {
	if s.Draining() {
		w.Header().Set("Connection", "close")
	}
	s.Handler.ServeHTTP(w, r)
}
