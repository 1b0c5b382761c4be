package devservertest

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// databases are the PostgreSQL databases of tests that keep their data in a file, by its path.
var databases sync.Map

// Stored makes a test's server keep its data in PostgreSQL if AGENTPLANE_TEST_DATA says so: in a new database in place of memory, and in
// the same one for the same file.
func Stored(t testing.TB, cfg devserver.Config) devserver.Config {
	t.Helper()
	if !postgrestest.Wanted() {
		return cfg
	}
	path := cfg.Data
	if path == "" {
		path = filepath.Join(t.TempDir(), "data")
	}
	cfg.AllowLoopback = cfg.AllowLoopback || len(cfg.Keys) == 0 // As in memory.
	if cfg.SealKey == "" {
		cfg.SealKey = path + "-key"
	}
	if known, is := databases.Load(path); is {
		cfg.Data, _ = known.(string)
		return cfg
	}
	cfg.Data = postgrestest.New(t, func(_ context.Context, address string) (*devserver.Server, error) {
		return devserver.New(devserver.Config{Data: address, SealKey: filepath.Join(t.TempDir(), "key")}) //nolint:contextcheck // As for users.
	})
	databases.Store(path, cfg.Data)
	return cfg
}
