package devserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	garbage := filepath.Join(t.TempDir(), "garbage")
	devservertest.Must(t, os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 100)), 0o600))
	for name, tc := range map[string]struct {
		cfg  devserver.Config
		want string
	}{
		"negative rollout": {devserver.Config{Rollout: -time.Second}, "rollout -1s is negative"},
		"negative delay":   {devserver.Config{DrainDelay: -time.Second}, "drain-delay -1s is negative"},
		"negative lag":     {devserver.Config{Lag: -time.Second}, "lag -1s is negative"},
		"empty key": {
			devserver.Config{Keys: []devserver.Key{{Workspaces: []string{devservertest.WorkspaceA}}}},
			"API key 1: the key is empty",
		},
		"key of nothing": {
			devserver.Config{Keys: []devserver.Key{{Value: "hush"}}},
			"API key 1: the key has no workspace",
		},
		"bad workspace": {devserver.Config{Keys: []devserver.Key{{Value: "hush", Workspaces: []string{"team"}}}},
			`API key 1: workspace "team" is not a UUID`},
		"no key for PostgreSQL": {devserver.Config{Data: "postgres://user:hush@host/plane"}, "use -seal-key"},
		"no directory":          {devserver.Config{Data: filepath.Join(t.TempDir(), "no", "such.db")}, "no such"},
		"no database":           {devserver.Config{Data: garbage}, "not a database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := devserver.New(tc.cfg)
			if err == nil {
				t.Fatal("error = nil, want one; closing the server:", server.Close())
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %q does not contain %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "hush") {
				t.Errorf("error %q contains the key", err)
			}
		})
	}
}
