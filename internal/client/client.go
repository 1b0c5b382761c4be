package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// DefaultRequestTimeout bounds one attempt when Config does not.
const DefaultRequestTimeout = 60 * time.Second

// writeGrace is less than CI systems and Terraform's users wait before they stop a cancelled run by force.
const writeGrace = 10 * time.Second

// Config says which service to talk to, and how.
type Config struct {
	// BaseURL is http(s)://host with any path prefix; a self-hosted installation has its control plane at /api-host.
	BaseURL string
	// TracingURL is http(s)://host with any path prefix. Empty is what belongs to BaseURL: the tracing host of the same
	// region of the cloud, or on own hosts the same host without /api-host.
	//
	// Tracing operations carry the credential there and nowhere else. It is the credential of that API too, and the host is
	// one that the user has named, here or by BaseURL: no answer of a service can choose it.
	TracingURL string
	// APIKey is sent as X-Api-Key. It excludes BearerToken.
	APIKey string
	// BearerToken is sent as Authorization: Bearer.
	BearerToken string
	// Dialect is what the service speaks. Nil is api.Neutral.
	Dialect *api.Dialect
	// WorkspaceID is sent as X-Tenant-Id. Keys that belong to one workspace do without.
	WorkspaceID string
	UserAgent   string
	// RequestTimeout bounds one attempt, body included. Zero means DefaultRequestTimeout.
	RequestTimeout time.Duration
	// MaxRetries is the number of further attempts after the first; none when it is zero or negative.
	MaxRetries int
	// RootCAs replaces the system's certificate authorities.
	RootCAs *x509.CertPool
	// Certificate identifies the client to services that ask for a certificate. Nil is none.
	Certificate *tls.Certificate
	// Sleep waits between attempts and returns the context's error when that ends first. Nil is a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now is the clock that Sleep goes by. Nil is the system's.
	Now func() time.Time
	// Log is told about every attempt. It never gets headers or bodies. Nil logs nothing.
	Log func(ctx context.Context, message string, fields map[string]any)
}

// Client talks to one service as one workspace. It is safe for concurrent use.
type Client struct {
	*session
	workspaceID string
}

// session is what the clients of several workspaces have in common.
type session struct {
	http                       *http.Client
	baseURL, tracingURL, uiURL string
	// suggestedBaseURL is where the control plane may be instead; empty where baseURL is at the usual place.
	suggestedBaseURL string
	cfg              Config
	// grace is how long a write may go on after its caller's context has ended.
	grace time.Duration

	mu sync.Mutex
	// claimed holds the deployments that a create of this process already returned: none of them is adopted by another.
	claimed map[string]struct{}
}

// New checks cfg and makes a Client. It sends nothing.
func New(cfg Config) (*Client, error) {
	base, err := parseURL("base_url", cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if cfg.APIKey != "" && cfg.BearerToken != "" {
		return nil, errors.New("api_key and bearer_token are both set: keep the one that the service expects")
	}
	for _, header := range []struct{ name, value string }{
		{"api_key", cfg.APIKey}, {"bearer_token", cfg.BearerToken}, {"workspace_id", cfg.WorkspaceID},
	} {
		// The value stays out of the message: it may be the key with a line break at its end.
		if strings.ContainsFunc(header.value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return nil, fmt.Errorf("%s contains a space, a line break or a control character: remove it", header.name)
		}
	}
	if cfg.RequestTimeout <= 0 {
		cfg.RequestTimeout = DefaultRequestTimeout
	}
	if cfg.Dialect == nil {
		cfg.Dialect = api.Neutral
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = func(context.Context, string, map[string]any) {}
	}
	shared := &session{http: newHTTPClient(cfg), cfg: cfg, grace: writeGrace, claimed: map[string]struct{}{}}
	if err := shared.locate(base); err != nil {
		return nil, err
	}
	return &Client{session: shared, workspaceID: cfg.WorkspaceID}, nil
}

// InWorkspace is a client for another workspace that shares c's connections. An empty id gives c.
func (c *Client) InWorkspace(id string) *Client {
	if id == "" || id == c.workspaceID {
		return c
	}
	return &Client{session: c.session, workspaceID: id}
}

// WorkspaceID is the workspace that c works in; empty when the key decides.
func (c *Client) WorkspaceID() string { return c.workspaceID }

// Dialect is what the service speaks.
func (c *Client) Dialect() *api.Dialect { return c.cfg.Dialect }

// claim takes a deployment for the calling create; false says that another create of this process has it.
func (s *session) claim(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.claimed[id]; taken {
		return false
	}
	s.claimed[id] = struct{}{}
	return true
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
