package providertest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

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
