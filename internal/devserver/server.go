package devserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/authservice"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/toylogin"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
)

// Server is a control plane and a tracing service. It implements http.Handler.
type Server struct {
	cfg     Config
	data    *data
	rest    *rest.Server
	control *controlplane.Service
	auth    *authservice.Service
	toy     *toylogin.Server
	tracing *tracing.Service
	pages   *pages.Service
	guard   guard
	handler http.Handler
	edge    rest.HTTPServer
	metrics *rest.Metrics
	// readiness is what a load balancer wants to know.
	readiness readiness
	// running is what runs in the background until stop is called.
	running sync.WaitGroup
	stop    context.CancelFunc
}

// New opens the data and returns a Server that is ready to serve; call Close to release the data.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	cfg.Logger = slog.New(rest.Identified(cfg.Logger.Handler()))
	certificate, err := rest.OpenCertificate(cfg.TLSCert, cfg.TLSKey, cfg.Logger)
	if err != nil {
		return nil, err
	}
	d, err := openData(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	s, err := newServer(context.Background(), cfg, d)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	s.edge = rest.HTTPServer{Handler: s, Logger: cfg.Logger, Certificate: certificate, DrainDelay: cfg.DrainDelay, EndStreams: s.EndStreams}
	s.start()
	return s, nil
}

// newServer connects the services of a server on its data.
func newServer(ctx context.Context, cfg Config, d *data) (*Server, error) {
	cfg, db := cfg.withOwnKey(d.key), d.Store
	memory := limits.NewMemory(limits.BodiesTogether)
	server := &rest.Server{
		Store: db, Memory: memory, BodyTime: limits.BodyTime, QueryTime: limits.QueryTime, Dialect: cfg.Dialect, Keys: cfg.Keys,
		Clock: d.clock.Now, InTx: d.inTx, Lag: cfg.Lag, Logger: cfg.Logger,
	}
	if cfg.DevAPI && db.Shared() {
		server.Faults.Shared, server.Requests.Shared = db, db
	}
	if cfg.Lag > 0 {
		var err error
		if server.Lagging, err = db.Lagging(ctx, server.Now, cfg.Lag); err != nil {
			return nil, err
		}
	}
	traced := tracing.New(db, server.Now, memory)
	traced.MaxBytes = cfg.MaxBytes
	if !cfg.NoDefaultPrices {
		traced.Prices.Defaults = listprice.Bundled
	}
	control := controlplane.New(controlplane.Config{
		Key: d.key, Dialect: cfg.Dialect, Rollout: cfg.Rollout, MaskSecrets: cfg.MaskSecrets, OmitSecrets: cfg.OmitSecrets,
		EchoResourceSpec: cfg.EchoResourceSpec, Address: cfg.Address, Registry: cfg.Registry, Store: db, Now: server.Now, Faults: &server.Faults,
	})
	server.Advance, server.Due = control.Advance, control.Due
	toy := toylogin.New(server.Now, d.key)
	auth := authservice.New(authservice.Config{
		Local: authservice.LocalURLs{All: cfg.AllowLoopback || len(cfg.Keys) == 0 && !db.Shared(), Own: toylogin.TokenURL(cfg.Address + toyBase)},
		Key:   d.key, IsUser: cfg.isUser, PlatformProviders: []string{seedLogin}, Page: pages.OAuthPath,
	})
	pages, err := pages.New(server, control, traced, auth, cfg.DevAPI)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, data: d, rest: server, control: control, auth: auth, toy: toy, tracing: traced, pages: pages, guard: newGuard(cfg)}
	s.metrics = s.newMetrics(memory)
	s.handler = s.routes()
	s.readiness.ask = s.usable
	return s, nil
}

// start begins the work in the background, which Close ends.
func (s *Server) start() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.keepUp(ctx) })
	s.running.Go(func() { s.awaitSpace(ctx) })
	s.running.Go(func() {
		figure.NewRoller(s.rest.Store).Run(ctx, func(err error) { s.cfg.Logger.Warn("figures could not be rolled up", "error", err) })
	})
}

// Close releases the data. Requests that are still running fail.
func (s *Server) Close() error {
	s.EndStreams()
	s.stop()
	s.running.Wait()
	return s.data.Close()
}

// Serve handles the requests of a listener until ctx is done, and lets those in progress finish.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	return s.edge.Serve(ctx, listener)
}

// EndStreams ends responses that would continue as long as a login is pending, so that a shutdown needn't wait for them.
func (s *Server) EndStreams() {
	s.auth.End()
}

// ServeHTTP serves the control plane at the root and under /api-host, like self-hosted installations.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest.Arrive(w, r, s.cfg.Proxies, s.serve, s.served)
}

// served counts and logs a request that has ended, without its query, which may have secrets.
func (s *Server) served(r *http.Request, a *rest.Arrival) {
	s.metrics.Request(a.Pattern, r.Method, a.Status, a.Took)
	var reason slog.Attr
	if a.Refused != "" {
		s.metrics.Refused(a.Refused)
		reason = slog.String("refused", a.Refused)
	}
	level := rest.LevelAccess
	if a.Pattern == healthPattern || a.Pattern == readyPattern {
		level = slog.LevelDebug // Probes come every few seconds.
	}
	s.cfg.Logger.LogAttrs(r.Context(), level, "request", slog.String("method", rest.Logged(r.Method)), slog.String("path", rest.RedactedPath(r.URL.Path)),
		slog.Int("status", a.Status), slog.Int64("bytes", a.Sent), slog.String("workspace_id", a.WorkspaceID), slog.String("client", r.RemoteAddr), slog.Duration("took", a.Took), reason)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	// Date has the clock of created_at, which may be skewed.
	w.Header().Set("Date", s.rest.Now().Format(http.TimeFormat))
	s.guarded(s.handler, w, r)
}

// guarded calls a handler unless a website makes a browser send the request.
func (s *Server) guarded(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	if refused := s.guard.check(r); refused != nil {
		s.cfg.Logger.WarnContext(r.Context(), "request refused", "host", rest.Logged(r.Host), "origin", rest.Logged(r.Header.Get("Origin")),
			"method", rest.Logged(r.Method), "path", rest.RedactedPath(r.URL.Path))
		s.rest.Send(w, r, rest.Refusal(refused.Kind, refused.Body(s.cfg.Dialect)), api.Neutral)
		return
	}
	handler.ServeHTTP(w, r)
}
