package revision_test

import (
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

// TestAccRevisionLogsDataSource_range reads the lines of a time range: of all revisions, or of one. The neutral dialect has no ranges.
func TestAccRevisionLogsDataSource_range(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		made := plane.Deploy("tf-acc-range", api.Secret{Name: "KEY", Value: "agents/chat"})
		plane.Clock.Advance(2 * providertest.Rollout)
		between := plane.Clock.Now().UTC().Format("2006-01-02T15:04:05Z")
		plane.Clock.Advance(providertest.Rollout)
		plane.Call("PATCH", "/v2/deployments/"+made.ID, map[string]any{
			"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:2"},
		}, nil)
		plane.Clock.Advance(providertest.Rollout)

		first := []string{"Queued.", "Waiting for compute.", "Deploying registry.example.com/***:1.", "Deployed."}
		second := []string{"Queued.", "Waiting for compute.", "Deploying registry.example.com/***:2.", "Deployed."}
		both := append(append([]string{}, first...), second...)
		read := func(more map[string]string, messages []string) resource.TestStep {
			variables := config.Variables{"deployment_id": config.StringVariable(made.ID)}
			for name, value := range more {
				variables[name] = config.StringVariable(value)
			}
			step := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/logs"), ConfigVariables: variables}
			if !plane.Dialect().LangSmithAPI {
				step.ExpectError = providertest.Words("Not supported by dialect")
				return step
			}
			lines := make([]knownvalue.Check, len(messages))
			for i, message := range messages {
				lines[i] = knownvalue.ObjectPartial(map[string]knownvalue.Check{"message": knownvalue.StringExact(message)})
			}
			step.ConfigStateChecks = []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.agentplane_deployment_revision_logs.test", tfjsonpath.New("lines"), knownvalue.ListExact(lines)),
			}
			return step
		}
		refused := func(more map[string]string, want string, fault ...devserver.Fault) resource.TestStep {
			step := read(more, nil)
			step.ConfigStateChecks = nil
			if plane.Dialect().LangSmithAPI {
				step.ExpectError = providertest.Words(want)
				for _, f := range fault {
					step.PreConfig = plane.Arm(f)
				}
			}
			return step
		}
		const long, later = "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
		listing := func(fault devserver.Fault) devserver.Fault {
			fault.Match = "GET /v2/deployment-logs"
			return fault
		}
		steps := []resource.TestStep{
			read(map[string]string{"start_time": long}, both),
			read(map[string]string{"start_time": between}, second),
			read(map[string]string{"end_time": between}, first),
			read(map[string]string{"start_time": later}, nil),
			read(map[string]string{"start_time": long, "max_lines": "5"}, both[3:]),
			read(map[string]string{"start_time": long, "revision_id": *made.LatestRevisionID}, first),
			read(map[string]string{"start_time": long, "type": "build"}, nil),
			refused(map[string]string{"start_time": later, "end_time": between}, "so no line is in the range"),
			refused(map[string]string{"start_time": long, "revision_id": made.ID}, "Cannot read log"),
			refused(map[string]string{"start_time": long}, "No access", listing(devserver.Fault{Status: 403, Detail: "No access"})),
			refused(map[string]string{"start_time": long}, "boom. Status: 500", listing(devserver.Fault{Status: 500, Detail: "boom", Times: 5})),
			refused(map[string]string{"start_time": long}, "the response is not a log", listing(devserver.Fault{Body: new(`{"logs": []}`)})),
		}
		providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
	})
}
