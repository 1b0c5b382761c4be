package providertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// providerVariable is the variable with the directory of a provider that was built from the same sources. Without it, each test
// that runs the provider in a separate process builds one.
const providerVariable = "AGENTPLANE_TEST_PROVIDER"

// Build returns a directory with the provider as a program. module is the path of the module's root.
func Build(t testing.TB, module string) (directory string) {
	t.Helper()
	if directory = os.Getenv(providerVariable); directory != "" {
		return directory
	}
	directory = t.TempDir()
	program := filepath.Join(directory, "terraform-provider-agentplane")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, module) //nolint:gosec // The test's own.
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, output)
	}
	return directory
}
