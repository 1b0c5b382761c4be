package devserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Serve handles the requests of a listener until ctx is done. It then closes idle connections at once, and the others when
// their requests have finished, or after limits.Grace.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	log := s.cfg.Logger
	var silent silentConnections
	web := &http.Server{
		Handler: s, ReadHeaderTimeout: limits.HeaderTime, MaxHeaderBytes: limits.Header, IdleTimeout: limits.IdleTime,
		ConnState: silent.track, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	web.RegisterOnShutdown(s.EndStreams)
	web.RegisterOnShutdown(silent.end)
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("shutting down")
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.Grace)
	defer cancel()
	err := web.Shutdown(ending)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("some requests were cut off: they took too long to finish", "grace", limits.Grace)
		return web.Close()
	}
	return err
}

// silentConnections are connections on which nothing was ever sent. http.Server.Shutdown would wait for them.
type silentConnections struct {
	mu    sync.Mutex
	open  map[net.Conn]struct{}
	ended bool
}

// track is an http.Server.ConnState.
func (c *silentConnections) track(connection net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(c.open, connection)
	case c.ended:
		_ = connection.Close()
	default:
		if c.open == nil {
			c.open = map[net.Conn]struct{}{}
		}
		c.open[connection] = struct{}{}
	}
}

// end closes these connections and future ones.
func (c *silentConnections) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for connection := range c.open {
		_ = connection.Close()
	}
}
