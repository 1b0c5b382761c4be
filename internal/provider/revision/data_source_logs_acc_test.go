package revision_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccRevisionLogsDataSource reads logs of a deployment whose rollout failed with a message that quotes a secret.
func TestAccRevisionLogsDataSource(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "DEPLOYING", Message: "The key sk-4711-secret is not valid."}})()
		made := plane.Deploy("tf-acc-logs", api.Secret{Name: "KEY", Value: "sk-4711-secret"})
		plane.Clock.Advance(providertest.Rollout)
		const address = "data.agentplane_deployment_revision_logs.test"
		read := func(more config.Variables, messages ...string) resource.TestStep {
			lines := make([]knownvalue.Check, len(messages))
			for i, message := range messages {
				lines[i] = knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"message": knownvalue.StringExact(message), "timestamp": knownvalue.NotNull(), "level": knownvalue.NotNull(),
				})
			}
			more["deployment_id"] = config.StringVariable(made.ID)
			return resource.TestStep{
				ConfigDirectory: config.StaticDirectory("testdata/logs"), ConfigVariables: more,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("lines"), knownvalue.ListExact(lines)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("revision_id"), knownvalue.NotNull()),
				},
			}
		}
		refused := func(more config.Variables, want string) resource.TestStep {
			step := read(more)
			step.ConfigStateChecks, step.ExpectError = nil, regexp.MustCompile(want)
			return step
		}
		const failed = "The key *** is not valid."
		providertest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(),
			Steps: []resource.TestStep{
				read(config.Variables{}, "Queued.", "Waiting for compute.", "Deploying registry.example.com/agents/chat:1.", failed),
				read(config.Variables{"max_lines": config.IntegerVariable(1)}, failed),
				read(config.Variables{"type": config.StringVariable("build")}),
				refused(config.Variables{"type": config.StringVariable("server")}, `type`),
				refused(config.Variables{"max_lines": config.IntegerVariable(1001)}, `max_lines`),
				refused(config.Variables{"revision_id": config.StringVariable(made.ID)}, `Cannot read log`),
			},
		})
	})
}
