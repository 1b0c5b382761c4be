package providertest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestMatrix keeps the list of dialects complete in which the long runs go through all cells.
func TestMatrix(t *testing.T) {
	t.Parallel()
	var names []string
	for _, dialect := range api.Dialects {
		names = append(names, dialect.Name)
	}
	want := "${DIALECTS:-" + strings.Join(names, " ") + "}"
	if !strings.Contains(readText(t, filepath.Join(root, ".ci", "torture")), want) {
		t.Errorf(".ci/torture should say %q", want)
	}
}

// violating is set for the process in which TestPlane_breaksContract is meant to fail.
const violating = "AGENTPLANE_TEST_VIOLATING"

// TestPlane_breaksContract sends an undefined request to a plane, in a separate process whose test must fail.
func TestPlane_breaksContract(t *testing.T) {
	t.Parallel()
	if os.Getenv(violating) != "" {
		providertest.NewFrom(t, api.LangSmith, recorded(t, nil)).Call("GET", "/v2/listeners?sort=name", nil, nil)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, "-test.run=^TestPlane_breaksContract$")
	command.Env = append(os.Environ(), violating+"=1")
	output, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "request GET /v2/listeners?sort=name breaks the contract") {
		t.Errorf("the test ended with %v: %s", err, output)
	}
}
