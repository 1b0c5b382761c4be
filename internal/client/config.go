package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

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
