package devserver

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// DefaultWorkspaceID is the workspace of a request that names none while Config.Keys is empty.
const DefaultWorkspaceID = "00000000-0000-4000-8000-000000000001"

// Config says how a Server behaves. The zero value is a server in memory that deploys at once and takes any key.
type Config struct {
	Data             string        // Path of the SQLite file; empty keeps everything in memory.
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

// Key is an API key and the workspaces that it opens.
type Key struct {
	Value      string
	Workspaces []string // Workspace UUIDs; with exactly one, requests need not name it.
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
		checked, err := key.canonical()
		if err != nil {
			return c, fmt.Errorf("API key %d: %w", i+1, err)
		}
		keys[i] = checked
	}
	c.Keys = keys
	return c, nil
}

// canonical never puts the key's value into its error.
func (k Key) canonical() (Key, error) {
	if k.Value == "" {
		return k, errors.New("the key is empty: give it a value")
	}
	if len(k.Workspaces) == 0 {
		return k, errors.New("the key opens no workspace: name at least one workspace id")
	}
	workspaces := make([]string, len(k.Workspaces))
	for i, w := range k.Workspaces {
		id, err := uuid.Parse(w)
		if err != nil {
			return k, fmt.Errorf("workspace %q is not a UUID: use one like %s", w, DefaultWorkspaceID)
		}
		workspaces[i] = id.String()
	}
	return Key{Value: k.Value, Workspaces: workspaces}, nil
}
