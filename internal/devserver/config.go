package devserver

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Config says how a Server behaves. The zero value is a server in memory that deploys at once and takes any key.
type Config struct {
	Data             string        // Path of the SQLite file; empty keeps everything in memory.
	Address          string        // Where the server is reached, for another one that is told to use the same file.
	Hosts            []string      // Names by which the server is reached, besides localhost and IP addresses.
	Rollout          time.Duration // From the creation of a revision to DEPLOYED; zero means already at the next look.
	Clock            Clock         // Nil: the system clock.
	Dialect          *api.Dialect  // Nil: api.Neutral.
	Keys             []Key         // Empty: any key, also none, is accepted for any workspace.
	DevAPI           bool          // Serve /dev/….
	MaskSecrets      bool          // Answer secret values masked.
	OmitSecrets      bool          // Answer an empty secrets list.
	EchoResourceSpec bool          // Answer resource_spec as sent, without the documented defaults.
	Logger           *slog.Logger  // Nil: discard.
}

// withDefaults fills in what was left out, or says what is wrong. Workspaces come back in canonical form.
func (c Config) withDefaults() (Config, error) {
	if c.Dialect == nil {
		c.Dialect = api.Neutral
	}
	if c.Clock == nil {
		c.Clock = systemClock{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Rollout < 0 {
		return c, fmt.Errorf("rollout %s is negative: use zero or more", c.Rollout)
	}
	c.Rollout = c.Rollout.Truncate(time.Microsecond)
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

// isUser says that a user has a key.
func (c Config) isUser(id string) bool {
	return slices.ContainsFunc(c.Keys, func(key Key) bool { return key.User == id })
}

// SetDialect chooses Dialect by its name.
func (c *Config) SetDialect(name string) error {
	dialect, err := api.ParseDialect(name)
	if err != nil {
		return err
	}
	c.Dialect = dialect
	return nil
}
