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

// defaultRequestTimeout limits one attempt if Config doesn't.
const defaultRequestTimeout = 60 * time.Second

// writeGrace is shorter than the time after which CI systems and users usually kill a cancelled run.
const writeGrace = 10 * time.Second

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

// Client sends requests to one service, for one workspace. It is safe for concurrent use.
type Client struct {
	*session
	workspaceID string
}

// session is shared by the clients of several workspaces.
type session struct {
	http                       *http.Client
	baseURL, tracingURL, uiURL string
	// sameHost means that the tracing API is on the host of the control plane.
	sameHost bool
	// credentials are the configured values that nobody may see.
	credentials []string
	// suggestedBaseURL is where the control plane may be instead; empty if baseURL has the usual form.
	suggestedBaseURL string
	cfg              Config
	// grace is how long a write may continue after its caller's context has ended.
	grace time.Duration

	// servers has a servedBy for each Server of the service's own responses.
	servers sync.Map

	mu sync.Mutex
	// claimed has the IDs that creates of this process have returned; another create must not adopt them.
	claimed map[string]struct{}

	// earlier has an *earlier for each workspace.
	earlier sync.Map

	// imports is held by an import of a token, from its list of those that exist to its end.
	imports sync.Mutex
}

// New checks cfg and returns a Client. It sends nothing.
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
		// The message doesn't quote the value: it may be the key with a trailing line break.
		if strings.ContainsFunc(header.value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return nil, fmt.Errorf("%s contains a space, a line break or a control character: remove it", header.name)
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
	shared := &session{http: newHTTPClient(cfg), cfg: cfg, grace: writeGrace, claimed: map[string]struct{}{}}
	shared.credentials = slices.Concat([]string{cfg.APIKey, cfg.BearerToken}, slices.Collect(maps.Values(cfg.Headers)))
	if err := shared.locate(base); err != nil {
		return nil, err
	}
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

// claim reserves an ID for the calling create; it returns false if another create of this process has it.
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
