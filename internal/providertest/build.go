package providertest

import (
	"os"
	"os/exec"
	"testing"
)

// providerVariable is the variable with the directory of a provider and a dev server that were built from the same sources. Without it,
// each test that runs one of them in a separate process builds both.
const providerVariable = "AGENTPLANE_TEST_PROVIDER"

// Build returns a directory with the programs terraform-provider-agentplane and devserver. module is the path of the module's root.
func Build(t testing.TB, module string) (directory string) {
	t.Helper()
	if directory = os.Getenv(providerVariable); directory != "" {
		return directory
	}
	directory = t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", directory, module, module+"/internal/cmd/devserver") //nolint:gosec // The test's own.
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, output)
	}
	return directory
}
