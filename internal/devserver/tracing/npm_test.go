package tracing_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestNPMClient_unraced logs runs with the package that most users trace with, and reads them back with it. Its scripts
// are in testdata/npm, and the README there explains the setup. Without npm, the test is skipped, unless AGENTPLANE_TEST_NPM is set.
func TestNPMClient_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "npm clients", 30*time.Second)
	scripts := devservertest.InstallNPM(t)
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "runs.db"), Clock: systemClock{}})).As()
	env := append(documented(t, "README.md", t.Name(), []string{"LANGSMITH_PROJECT=chat", "LANGSMITH_PROJECT=npm"},
		"AGENTPLANE_BASE_URL="+p.Web.URL, "AGENTPLANE_API_KEY=sesame"), "FAKE_MODEL="+newFakeModel(t))
	p.Do(http.MethodPost, "/model-price-map", object{"name": "example", "match_pattern": "^example-large$", "prompt_cost": 0.000002,
		"completion_cost": 0.000003, "prompt_cost_details": object{"cache_read": 0.000001}}).Want(http.StatusOK)
	ids := runNode(t, scripts, "log.mjs", env)
	if !json.Valid(ids) {
		t.Fatalf("log.mjs printed %s", ids)
	}
	env = append(env, "RUN_IDS="+string(ids))
	runNode(t, scripts, "read.mjs", env)
	// The package warns about each function that uses API v1.
	runNode(t, scripts, "read_v1.mjs", append(env, "NODE_OPTIONS=--no-deprecation"))
}

// runNode runs a script that may print to standard output only: a warning is a failure.
func runNode(t testing.TB, dir, script string, env []string) []byte {
	t.Helper()
	var out, complaints bytes.Buffer
	node := exec.CommandContext(t.Context(), "node", script)
	node.Dir, node.Env, node.Stdout, node.Stderr = dir, append(os.Environ(), env...), &out, &complaints
	if err := node.Run(); err != nil {
		t.Fatalf("%s: %s\n%s%s", script, err, out.Bytes(), complaints.Bytes())
	}
	if complaints.Len() > 0 {
		t.Errorf("%s printed to standard error:\n%s", script, complaints.Bytes())
	}
	return bytes.TrimSpace(out.Bytes())
}

// systemClock is for clients in other processes, which use the system's clock.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }
