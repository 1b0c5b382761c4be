package devserver_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestNPMClient logs runs through the package that most people trace with, and reads them back through it. Its scripts
// are in testdata/npm. It is skipped without npm, unless AGENTPLANE_TEST_NPM says that there has to be one.
func TestNPMClient(t *testing.T) {
	t.Parallel()
	startBudget(t, "npm clients", 30*time.Second)
	scripts := installNPM(t)
	p := newPlane(t, devserver.Config{Data: filepath.Join(t.TempDir(), "runs.db"), Clock: systemClock{}}).as()
	env := []string{
		"LANGSMITH_ENDPOINT=" + p.web.URL, "LANGSMITH_PROJECT=npm", "LANGSMITH_TRACING=true", "FAKE_MODEL=" + newFakeModel(t),
	}
	p.do(http.MethodPost, "/model-price-map", object{"name": "example", "match_pattern": "^example-large$", "prompt_cost": 0.000002,
		"completion_cost": 0.000003, "prompt_cost_details": object{"cache_read": 0.000001}}).want(http.StatusOK)
	ids := runNode(t, scripts, "log.mjs", env)
	if !json.Valid(ids) {
		t.Fatalf("log.mjs printed %s", ids)
	}
	env = append(env, "RUN_IDS="+string(ids))
	runNode(t, scripts, "read.mjs", env)
	// The package warns about each function that reads by the first version of the API.
	runNode(t, scripts, "read_v1.mjs", append(env, "NODE_OPTIONS=--no-deprecation"))
}

// installNPM copies the scripts into a directory with the packages that they import.
func installNPM(t testing.TB) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("AGENTPLANE_TEST_NPM") != "" {
			t.Fatalf("AGENTPLANE_TEST_NPM is set and there is no npm: %s", err)
		}
		t.Skip("npm is not installed")
	}
	packages, err := npmPackages()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "npm"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// npmPackages returns the node_modules of testdata/npm. The first run on a machine installs them below the user's cache
// directory, so that later runs neither need a network nor spend the time. A directory is named after what the files that
// determine its content say, and is renamed to that name when it is complete: an installation that is interrupted leaves
// nothing that is used, and of several at the same time one wins.
var npmPackages = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "terraform-provider-agentplane", "npm")
	digest, files := sha256.New(), map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json"} {
		if files[name], err = os.ReadFile(filepath.Join("testdata", "npm", name)); err != nil {
			return "", err
		}
		digest.Write(files[name])
	}
	installed := filepath.Join(cache, hex.EncodeToString(digest.Sum(nil)))
	packages := filepath.Join(installed, "node_modules")
	if _, err := os.Stat(packages); err == nil {
		return packages, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	staging, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(staging)
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(staging, name), content, 0o644); err != nil {
			return "", err
		}
	}
	install := exec.CommandContext(context.Background(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	install.Dir = staging
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(staging, installed); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return packages, nil
})

// runNode runs a script that may print what it has to say to its standard output only: a warning is a failure.
func runNode(t testing.TB, dir, script string, env []string) []byte {
	t.Helper()
	var out, complaints bytes.Buffer
	node := exec.CommandContext(t.Context(), "node", script)
	node.Dir, node.Env, node.Stdout, node.Stderr = dir, append(os.Environ(), env...), &out, &complaints
	if err := node.Run(); err != nil {
		t.Fatalf("%s: %s\n%s%s", script, err, out.Bytes(), complaints.Bytes())
	}
	if complaints.Len() > 0 {
		t.Errorf("%s complains:\n%s", script, complaints.Bytes())
	}
	return bytes.TrimSpace(out.Bytes())
}

// systemClock is for clients in other processes, which have no other.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }
