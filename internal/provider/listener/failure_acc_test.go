package listener_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const oneListener = "/v2/listeners/{listener_id}"

// TestAccListener_conflict expects specific next steps for conflicts of a change and a deletion: importing or renaming doesn't help.
func TestAccListener_conflict(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made := step(plane, "resource", nil)
	for _, test := range []struct {
		match, says string
		step        resource.TestStep
	}{
		{"PATCH ", "Another change of this listener is in progress", step(plane, "resource", config.Variables{"listener_version": config.StringVariable("2.0.0")})},
		{"DELETE ", "Delete the deployments first", destroying(made, nil)},
	} {
		test.step.PreConfig = plane.Arm(devserver.Fault{Match: test.match + oneListener, Status: 409, Detail: "Busy"})
		test.step.ExpectError = providertest.Words("Busy. Status: 409")
		again := test.step
		again.ExpectError = providertest.Words(test.says)
		tryAll(t, plane, made, test.step, again)
	}
}
