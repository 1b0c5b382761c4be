package client

import (
	"crypto/tls"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const (
	// writeGrace is shorter than the time after which CI systems and users usually kill a cancelled run.
	writeGrace = 10 * time.Second
	// maxRedirects is enough for a proxy that adds or removes a trailing slash.
	maxRedirects = 3
	// idleConnTimeout is below the idle timeout of common servers (5 s). If the other side is closing the connection at that moment, the
	// outcome of a POST is unknown.
	idleConnTimeout = 4 * time.Second
)

// Client sends requests to one service, for one workspace. It is safe for concurrent use.
type Client struct {
	*session
	workspaceID string
}

// session is shared by the clients of several workspaces.
type session struct {
	http *http.Client
	endpoints
	// credentials are the configured values that are never shown.
	credentials []string
	cfg         Config
	// grace is how long a write may continue after its caller's context has ended.
	grace time.Duration

	// servers has each server of the APIs' own responses.
	servers sync.Map

	mu sync.Mutex
	// claimed has the IDs of objects that this process has created or deleted: no other create made them.
	claimed map[string]struct{}

	// earlier has an *earlier for each workspace and path.
	earlier sync.Map

	// imports is held during an import of a token, from listing the existing tokens to the end.
	imports sync.Mutex
}

// New checks cfg and returns a Client. It sends nothing.
func New(cfg Config) (*Client, error) {
	cfg, err := cfg.completed()
	if err != nil {
		return nil, err
	}
	at, err := locate(cfg)
	if err != nil {
		return nil, err
	}
	shared := &session{http: newHTTPClient(cfg), endpoints: at, cfg: cfg, grace: writeGrace, claimed: map[string]struct{}{}}
	shared.credentials = slices.Concat([]string{cfg.APIKey, cfg.BearerToken}, slices.Collect(maps.Values(cfg.Headers)))
	return &Client{session: shared, workspaceID: cfg.WorkspaceID}, nil
}

// InWorkspace returns a client for another workspace that shares c's connections. With an empty ID, it returns c.
func (c *Client) InWorkspace(id string) *Client {
	if id == "" || id == c.workspaceID {
		return c
	}
	return &Client{session: c.session, workspaceID: id}
}

// WorkspaceID returns the workspace of c; empty if the key determines it.
func (c *Client) WorkspaceID() string { return c.workspaceID }

// Dialect returns the dialect of the service.
func (c *Client) Dialect() *api.Dialect { return c.cfg.Dialect }

// claim reserves an ID for its caller, and reports whether no other create or deletion of this process had it before.
func (s *session) claim(id string) bool {
	id = plainID(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.claimed[id]; taken {
		return false
	}
	s.claimed[id] = struct{}{}
	return true
}

// newHTTPClient sets no timeout: every attempt has a context with one.
func newHTTPClient(cfg Config) *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = standard.Clone()
	}
	transport.MaxIdleConnsPerHost = 10 // Terraform's default parallelism.
	transport.IdleConnTimeout = idleConnTimeout
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs}
	if cfg.Certificate != nil {
		transport.TLSClientConfig.Certificates = []tls.Certificate{*cfg.Certificate}
	}
	return &http.Client{Transport: transport, CheckRedirect: checkRedirect}
}

// checkRedirect only follows redirects of reads that keep the credentials on the same origin. All others are returned as 3xx
// responses.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || len(via) > maxRedirects || origin(next.URL) != origin(first.URL) {
		return http.ErrUseLastResponse
	}
	return nil
}
