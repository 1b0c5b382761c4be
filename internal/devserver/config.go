package devserver

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Config configures a Server. The zero value is a server that deploys immediately, accepts any key and keeps nothing.
type Config struct {
	Data             string        // Path of the SQLite file, or postgres://…; empty keeps everything until Close.
	SealKey          string        // Path of the key file that encrypts secrets in Data; empty: next to the SQLite file.
	Address          string        // The server's address, reported to another server that is started with the same file.
	Hosts            []string      // Host names of the server, in addition to localhost and IP addresses.
	Proxies          rest.Proxies  // Trusted proxies: their forwarding headers name the client and the URL of a request.
	Rollout          time.Duration // From the creation of a revision to DEPLOYED; zero means DEPLOYED on the next request.
	Lag              time.Duration // Reads and lists of the control plane show each object as it was this long ago.
	ClockSkew        time.Duration // What the server's clock is ahead of Clock; negative: behind.
	Clock            Clock         // Nil: the clock of the system, or of the database if other servers may use it.
	Dialect          *api.Dialect  // Nil: api.Neutral.
	Keys             []Key         // Empty: any key, or none, is accepted for any workspace.
	AllowLoopback    bool          // Request URLs on this machine for OAuth providers, also with Keys or PostgreSQL.
	OwnKey           bool          // Without Keys, accept a generated one: see Server.Keys.
	DevAPI           bool          // Serve /dev/….
	DiscardSecrets   bool          // Delete the secrets in Data that its key does not decrypt, instead of refusing to start.
	MaskSecrets      bool          // Mask secret values in responses.
	OmitSecrets      bool          // Return an empty secrets list.
	EchoResourceSpec bool          // Return resource_spec as sent, without the documented defaults.
	Registry         string        // The container registry that push tokens name; empty: there is none.
	Retain           time.Duration // How long traces are kept whose project doesn't say it; zero keeps all traces.
	MaxBytes         int64         // What a workspace may take in the database before its runs and examples are refused; zero means no limit.
	NoDefaultPrices  bool          // Price runs only from the price map of their workspace, not from published list prices.
	NoSearchIndex    bool          // Search the texts of runs that arrive from now on without an index.
	TLSCert, TLSKey  string        // Paths of a certificate and its key; empty: Serve has no TLS.
	DrainDelay       time.Duration // How long Serve accepts connections after it was told to stop.
	Version          string        // The program's, for its metrics.
	Logger           *slog.Logger  // Nil: discard.
}

// withDefaults sets defaults and validates the configuration. It returns workspaces in canonical form.
func (c Config) withDefaults() (Config, error) {
	if c.Dialect == nil {
		c.Dialect = api.Neutral
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	for _, option := range []struct {
		name  string
		value time.Duration
	}{{"rollout", c.Rollout}, {"lag", c.Lag}, {"retain", c.Retain}, {"drain-delay", c.DrainDelay}} {
		if option.value < 0 {
			return c, fmt.Errorf("%s %s is negative: use zero or more", option.name, option.value)
		}
	}
	c.Rollout = c.Rollout.Truncate(time.Microsecond)
	if c.MaxBytes < 0 {
		return c, fmt.Errorf("max-bytes %d is negative: use zero or more", c.MaxBytes)
	}
	if store.IsPostgres(c.Data) && c.SealKey == "" {
		return c, errors.New("the secrets in a PostgreSQL database need a key: use -seal-key with the path of a file, which is created if it doesn't exist")
	}
	keys := make([]Key, len(c.Keys))
	for i, key := range c.Keys {
		checked, err := key.Canonical()
		if err != nil {
			return c, fmt.Errorf("API key %d: %w", i+1, err)
		}
		keys[i] = checked
	}
	c.Keys = keys
	return c, nil
}

// keyFile is the path of the key that encrypts the secrets in Data.
func (c Config) keyFile() string {
	if c.SealKey != "" {
		return c.SealKey
	}
	return c.Data + "-key"
}

// dataName names Data in messages, without what is secret in it.
func (c Config) dataName() string {
	if store.IsPostgres(c.Data) {
		return store.PostgresName(c.Data)
	}
	return c.Data
}

// isUser reports whether a key belongs to a user.
func (c Config) isUser(id string) bool {
	return slices.ContainsFunc(c.Keys, func(key Key) bool { return key.User == id })
}

// SetProxies sets Proxies by a list.
func (c *Config) SetProxies(list string) (err error) {
	c.Proxies, err = rest.ParseProxies(list)
	return err
}

// SetDialect sets Dialect by name.
func (c *Config) SetDialect(name string) error {
	dialect, err := api.ParseDialect(name)
	if err != nil {
		return err
	}
	c.Dialect = dialect
	return nil
}
