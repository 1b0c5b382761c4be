package providertest

import (
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// cliVariable is the variable that makes every test case use the real CLI, even those that core can run.
const cliVariable = "AGENTPLANE_TEST_CLI"

// Test runs a test case without a CLI, in a fraction of the time, or with the real one if a step needs that, such as an import, if
// AGENTPLANE_TEST_CLI is set or if the control plane is a real one. Test cases whose configuration has what core doesn't know, such as
// count, call resource.Test, and so does one test case for each operation of a CLI on a resource.
func Test(t *testing.T, c resource.TestCase) {
	t.Helper()
	if _, err := Installation(); err == nil || os.Getenv(cliVariable) != "" || len(core.Unsupported(c)) > 0 {
		resource.Test(t, c)
		return
	}
	core.Test(t, c)
}
