package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

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

// Config has the address of the service and the settings of the client.
type Config struct {
	// BaseURL is http(s)://host with any path prefix; a self-hosted installation serves its control plane at /api-host.
	BaseURL string
	// TracingURL is http(s)://host with any path prefix. If empty, it is derived from BaseURL: in the cloud, the tracing host of the
	// same region; otherwise the same host without /api-host.
	//
	// Tracing requests send the credential only there. It is the credential of that API too, and the user has chosen the host,
	// here or with BaseURL: no response of a service can change it.
	TracingURL string
	// APIKey is sent as X-Api-Key. It excludes BearerToken.
	APIKey string
	// BearerToken is sent as Authorization: Bearer.
	BearerToken string
	// Dialect is the dialect of the service. Nil means api.Neutral.
	Dialect *api.Dialect
	// WorkspaceID is sent as X-Tenant-Id. Keys of a single workspace don't need it.
	WorkspaceID string
	// Headers are sent with every request to the host of BaseURL, and to no other: they may be the credentials of a gateway in front
	// of it. None of them is a header that the client sends by itself.
	Headers   map[string]string
	UserAgent string
	// RequestTimeout limits one attempt, including its body. Zero means defaultRequestTimeout.
	RequestTimeout time.Duration
	// MaxRetries is the number of further attempts after the first; zero or negative means none.
	MaxRetries int
	// RootCAs replaces the system's certificate authorities.
	RootCAs *x509.CertPool
	// Certificate identifies the client to services that require a client certificate. Nil means none.
	Certificate *tls.Certificate
	// Sleep waits between attempts and returns the context's error if that ends first. Nil uses a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now is the clock that Sleep uses. Nil means the system's.
	Now func() time.Time
	// Log is called for every attempt. It never gets headers or bodies. Nil logs nothing.
	Log func(ctx context.Context, message string, fields map[string]any)
}

// defaultRequestTimeout limits one attempt if Config doesn't.
const defaultRequestTimeout = 60 * time.Second

// completed checks the settings, except for the addresses, and fills in the defaults.
func (cfg Config) completed() (Config, error) {
	if cfg.APIKey != "" && cfg.BearerToken != "" {
		return cfg, errors.New("api_key and bearer_token are both set: keep the one that the service expects")
	}
	for _, header := range []struct{ name, value string }{
		{"api_key", cfg.APIKey}, {"bearer_token", cfg.BearerToken}, {"workspace_id", cfg.WorkspaceID},
	} {
		// The message doesn't quote the value: it may be the key with a trailing line break.
		if strings.ContainsFunc(header.value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return cfg, fmt.Errorf("%s contains a space, a line break or a control character: remove it", header.name)
		}
	}
	if cfg.RequestTimeout <= 0 {
		cfg.RequestTimeout = defaultRequestTimeout
	}
	cfg.Dialect = cmp.Or(cfg.Dialect, api.Neutral)
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = func(context.Context, string, map[string]any) {}
	}
	return cfg, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
