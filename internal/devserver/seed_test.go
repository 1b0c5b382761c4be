package devserver_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestOwnKey expects another key for data in memory, and always the same one for a file, whose secrets it doesn't reveal.
func TestOwnKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "plane.db")
	ownKey := func(data string) (string, error) {
		server, err := devserver.New(devserver.Config{Data: data, OwnKey: true})
		if err != nil {
			return "", err
		}
		return server.Keys()[0].Value, server.Close()
	}
	var values []string
	for _, data := range []string{"", "", file, file, file + "2"} {
		key, err := ownKey(data)
		if err != nil || len(key) != 26 {
			t.Fatalf("key for the data %q = %q, %v; want 26 characters", data, key, err)
		}
		values = append(values, key)
	}
	if values[2] != values[3] {
		t.Error("the key of a file changes")
	}
	if slices.Sort(values); len(slices.Compact(values)) != 4 {
		t.Errorf("keys = %q, want four different ones", values)
	}
	devservertest.Must(t, os.WriteFile(file+"-key", nil, 0o600))
	if _, err := ownKey(file); err == nil {
		t.Error("key for a damaged file: error = nil, want one")
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceA)
	first := p.Seeded
	devservertest.Same(t, "seeding again", first, p.WithSeed(devservertest.WorkspaceA).Seeded)
	listeners := devservertest.Get[api.List[api.Listener]](p, "/v2/listeners").Resources
	if len(listeners) != 1 || listeners[0].ID != first.ListenerID {
		t.Errorf("listeners = %+v, want only %s", listeners, first.ListenerID)
	}
	devservertest.Same(t, "namespaces", []string{"agents", "agents-staging"}, first.K8sNamespaces)
	devservertest.Same(t, "namespaces of the listener", first.K8sNamespaces, listeners[0].ComputeConfig.K8sNamespaces)
	integrations := devservertest.Get[[]api.Integration](p, "/v1/integrations/git_host/install")
	if len(integrations) != 1 || integrations[0].ID != first.IntegrationID || integrations[0].InstallationID == 0 {
		t.Errorf("integrations = %+v, want only %s, with an installation ID", integrations, first.IntegrationID)
	}
	repositories := devservertest.Get[[]api.Repository](p, "/v1/integrations/git_host/"+first.IntegrationID+"/repos")
	if len(repositories) != 3 || repositories[0].URL != "https://git.example.com/example-org/chat" {
		t.Errorf("repositories = %+v, want 3, chat first", repositories)
	}
	if other := p.WithSeed(devservertest.WorkspaceB).Seeded; other.ListenerID == first.ListenerID || other.IntegrationID == first.IntegrationID {
		t.Errorf("the seed of workspace B = %+v, want other IDs than those of A", other)
	}
	if _, err := p.Seed(t.Context(), "team"); err == nil {
		t.Error("seeding a workspace that isn't a UUID: error = nil, want one")
	}
}
