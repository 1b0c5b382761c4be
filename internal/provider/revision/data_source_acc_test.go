package revision_test

import (
	"fmt"
	"regexp"
	"strings"
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

const failure = "the container exited with code 1"

// history makes a deployment with four revisions: :1 deployed, :2 failed, :3 superseded, :4 in progress. It returns the
// ids of the deployment and of the second revision.
func history(t *testing.T, plane *providertest.Plane) (deploymentID, second string) {
	t.Helper()
	deploymentID = plane.Deploy("chat").ID
	plane.Clock.Advance(providertest.Rollout)
	plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "DEPLOYING", Message: failure}})()
	for tag := 2; tag <= 4; tag++ {
		var made api.Deployment
		plane.Call("PATCH", "/v2/deployments/"+deploymentID, map[string]any{
			"source_revision_config": map[string]any{"image_uri": fmt.Sprintf("registry.example.com/agents/chat:%d", tag)},
		}, &made)
		if tag == 2 {
			second = *made.LatestRevisionID
			plane.Clock.Advance(providertest.Rollout)
		}
	}
	return deploymentID, second
}

func TestAccRevisionDataSource(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		deploymentID, second := history(t, plane)
		const address = "data.agentplane_deployment_revision.test"
		is := func(name, value string) statecheck.StateCheck {
			return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), knownvalue.StringExact(value))
		}
		str := config.StringVariable
		providertest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(),
			Steps: []resource.TestStep{
				{
					ConfigDirectory: config.StaticDirectory("testdata/one"),
					ConfigVariables: config.Variables{"deployment_id": str(deploymentID)},
					ConfigStateChecks: []statecheck.StateCheck{
						is("status", plane.FirstStatus()), is("source", "external_container"),
						statecheck.ExpectKnownValue(address, tfjsonpath.New("source_revision_config").AtMapKey("image_uri"),
							knownvalue.StringExact("registry.example.com/agents/chat:4")),
						statecheck.ExpectKnownValue(address, tfjsonpath.New("status_message"), knownvalue.Null()),
					},
				},
				{
					ConfigDirectory: config.StaticDirectory("testdata/one"),
					ConfigVariables: config.Variables{"deployment_id": str(deploymentID), "id": str(second)},
					ConfigStateChecks: []statecheck.StateCheck{
						is("id", second), is("status", "DEPLOY_FAILED"), is("status_message", failure),
					},
				},
				{
					ConfigDirectory: config.StaticDirectory("testdata/one"),
					ConfigVariables: config.Variables{"deployment_id": str(second)},
					ExpectError:     regexp.MustCompile(`Cannot read revision[\s\S]*not\s+found`),
				},
				{
					ConfigDirectory: config.StaticDirectory("testdata/one"),
					ConfigVariables: config.Variables{"deployment_id": str(deploymentID), "id": str(deploymentID)},
					ExpectError:     regexp.MustCompile(`Cannot read revision`),
				},
			},
		})
	})
}

func TestAccRevisionsDataSource(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	deploymentID, _ := history(t, plane)
	list := func(variables config.Variables, tags ...string) resource.TestStep {
		variables["deployment_id"] = config.StringVariable(deploymentID)
		images := make([]knownvalue.Check, len(tags))
		for i, tag := range tags {
			images[i] = knownvalue.StringExact("registry.example.com/agents/chat:" + tag)
		}
		return resource.TestStep{
			ConfigDirectory: config.StaticDirectory("testdata/list"), ConfigVariables: variables,
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("images", knownvalue.ListExact(images))},
		}
	}
	states := func(names string) config.Variable {
		var all []config.Variable
		for name := range strings.SplitSeq(names, " ") {
			all = append(all, config.StringVariable(name))
		}
		return config.SetVariable(all...)
	}
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		Steps: []resource.TestStep{
			list(config.Variables{}, "4", "3", "2", "1"),
			list(config.Variables{"max_results": config.IntegerVariable(2)}, "4", "3"),
			list(config.Variables{"status": states("DEPLOYED")}, "1"),
			list(config.Variables{"status": states("DEPLOYED DEPLOY_FAILED SKIPPED")}, "3", "2", "1"),
			list(config.Variables{"status": states("DEPLOYED SKIPPED"), "max_results": config.IntegerVariable(1)}, "3"),
			{
				ConfigDirectory: config.StaticDirectory("testdata/list"),
				ConfigVariables: config.Variables{
					"deployment_id": config.StringVariable(deploymentID), "max_results": config.IntegerVariable(0),
				},
				ExpectError: regexp.MustCompile(`max_results`),
			},
		},
	})
}
