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

// Serve answers the requests of a listener until ctx is done. Connections without a request end then, and the others when
// their requests are answered, or after limits.Grace.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	log := s.cfg.Logger
	var silent silentConnections
	web := &http.Server{
		Handler: s, ReadHeaderTimeout: limits.HeaderTime, IdleTimeout: limits.IdleTime,
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
		log.Warn("some requests are cut off: they took too long to end", "grace", limits.Grace)
		return web.Close()
	}
	return err
}

// silentConnections are those on which nothing was ever sent. http.Server.Shutdown would wait for them.
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

// end closes them, and those to come.
func (c *silentConnections) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for connection := range c.open {
		_ = connection.Close()
	}
}
