package providertest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccRedeployRevision_progress_next runs the commands that the example of the action shows, and reads the progress
// messages that the CLI prints.
func TestAccRedeployRevision_progress_next(t *testing.T) {
	t.Parallel()
	c := startCLI(t, providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Rollout = 0 }))
	c.needsTerraform(14)
	c.write("main.tf", readText(t, filepath.Join(root, "examples", "actions", "agentplane_redeploy_revision", "action.tf")))
	c.run(0, "apply", "-auto-approve")
	var deployments struct {
		Resources []struct {
			LatestRevisionID string `json:"latest_revision_id"`
		} `json:"resources"`
	}
	c.plane.Call("GET", "/v2/deployments", nil, &deployments)
	first := deployments.Resources[0].LatestRevisionID

	// invoke expects the messages in this order.
	invoke := func(exitCode int, messages ...string) {
		t.Helper()
		output := c.run(exitCode, "apply", "-auto-approve", "-invoke=action.agentplane_redeploy_revision.restart")
		rest := output
		for _, message := range messages {
			_, after, found := strings.Cut(rest, message)
			if !found {
				t.Fatalf("%q is missing or in the wrong place:\n%s", message, output)
			}
			rest = after
		}
	}
	invoke(0, "redeploying its newest revision, "+first, ": DEPLOYED (", "Actions: 1 invoked")
	c.plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Message: "crash loop"}})()
	invoke(1, ": DEPLOY_FAILED (", `Rollout of deployment "helpdesk" failed`, "crash loop")
}
