package store_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// plainDeployments are rows of a program that had the secrets of deployments in plain text. The second needs several pages.
const plainDeployments = `
	INSERT INTO deployments (id, workspace_id, name, source, status, secrets, created_at, updated_at) VALUES
		('aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000000', 'short', 'external_container', 'READY',
			'[{"name":"A","value":"canary-1"}]', 1, 1),
		('aaaaaaaa-0000-4000-8000-000000000002', 'aaaaaaaa-0000-4000-8000-000000000000', 'long', 'external_container', 'READY',
			'[{"name":"B","value":"canary-2' || hex(zeroblob(20000)) || 'canary-3"}]', 1, 1),
		('aaaaaaaa-0000-4000-8000-000000000003', 'aaaaaaaa-0000-4000-8000-000000000000', 'none', 'external_container', 'READY', '[]', 1, 1);
	INSERT INTO revisions (id, deployment_id, source, image_uri, status, rollout, created_at, updated_at, finished_at, deployed_at)
		SELECT 'r-' || name, id, source, 'registry.example/agent:1', 'DEPLOYED', 1, 1, 1, 1, 1 FROM deployments;`

// TestPlainSecretsAreSealed checks that a server encrypts the secrets in a file of an older program, and leaves no plain text in it.
func TestPlainSecretsAreSealed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	store.WriteVersion(t, path, "0011_sealed_secrets", plainDeployments)
	// A program that was killed after the migration leaves the rest to the next one.
	migrated, err := store.Open(t.Context(), path)
	devservertest.Must(t, err)
	devservertest.Must(t, migrated.Close())
	for range 2 {
		p := devservertest.New(t, devserver.Config{Data: path})
		got := map[string][]string{}
		var listed struct {
			Resources []struct {
				Name    string
				Secrets []struct{ Name, Value string }
			}
		}
		devservertest.Must(t, json.Unmarshal(p.Do(http.MethodGet, "/v2/deployments", nil).Want(http.StatusOK).Body, &listed))
		for _, d := range listed.Resources {
			got[d.Name] = []string{}
			for _, secret := range d.Secrets {
				got[d.Name] = append(got[d.Name], secret.Name+"="+secret.Value[:8])
			}
		}
		devservertest.Same(t, "secrets", map[string][]string{"short": {"A=canary-1"}, "long": {"B=canary-2"}, "none": {}}, got)
		files, err := filepath.Glob(path + "*") // With those that exist only while it is open.
		if err != nil || len(files) < 3 {
			t.Fatalf("files = %v, %v; want at least three", files, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			devservertest.Must(t, err)
			if bytes.Contains(content, []byte("canary-")) {
				t.Errorf("%s contains a secret", filepath.Base(file))
			}
		}
		p.Stop()
	}
}
