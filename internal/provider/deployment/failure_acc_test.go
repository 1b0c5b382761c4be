package deployment_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// expectRequests counts the writes that reached the service, by method.
func expectRequests(plane *providertest.Plane, wanted map[string]int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for method, want := range wanted {
			path := "/v2/deployments"
			if method != "POST" {
				path += "/*"
			}
			if got := len(plane.Requests(method, path)); got != want {
				return fmt.Errorf("%d %s requests were sent, not %d", got, method, want)
			}
		}
		return nil
	}
}

// words matches an error whose text holds the words in that order, however it is wrapped and framed.
func words(words string) *regexp.Regexp {
	return regexp.MustCompile("(?s)" + strings.Join(strings.Fields(words), `[\s│]+`))
}

func rolloutFault(state api.RevisionStatus, message string) devserver.Fault {
	return devserver.Fault{Rollout: &devserver.RolloutFault{State: state, Message: message}}
}

// TestAccDeployment_firstRevisionFails expects the deployment in the state, tainted as Terraform does with what was
// created in error, and nothing lost or left behind when it is replaced.
func TestAccDeployment_firstRevisionFails(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	failing := step(plane, "external_container", nil)
	failing.PreConfig = plane.Arm(rolloutFault(api.RevisionDeploying, "the container exited with code 1"))
	failing.ExpectError = words(`Rollout of deployment "tf-acc-image" failed .* the container exited with code 1 .*Revision: [0-9a-f-]{36} · status: DEPLOY_FAILED`)
	healed := step(plane, "external_container", nil)
	healed.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace),
	}
	healed.Check = expectRequests(plane, map[string]int{"POST": 2, "DELETE": 1})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{failing, healed},
	})
}

// TestAccDeployment_laterRevisionFails expects the failure to be shown by the next plan, which repairs it.
func TestAccDeployment_laterRevisionFails(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	newer := config.Variables{"repo_ref": config.StringVariable("release")}
	failing := step(plane, "git_host", newer)
	failing.PreConfig = plane.Arm(rolloutFault(api.RevisionBuilding, "npm ci: exit status 1"))
	failing.ExpectError = words(`npm ci: exit status 1 .*BUILD_FAILED`)
	repaired := step(plane, "git_host", newer)
	repaired.ConfigPlanChecks.PreApply = append(revisionPredicted(true),
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))
	repaired.ConfigStateChecks = append(repaired.ConfigStateChecks, known(text("DEPLOYED"), "latest_revision_status"))
	repaired.Check = expectRequests(plane, map[string]int{"POST": 1, "PATCH": 2, "DELETE": 0})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{step(plane, "git_host", nil), failing, repaired},
	})
}

func TestAccDeployment_tooManyRequests(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	after := int64(30)
	create := step(plane, "external_container", nil)
	create.PreConfig = plane.Arm(
		devserver.Fault{Match: "POST /v2/deployments", Status: 429, RetryAfter: &after, Times: 2},
		devserver.Fault{Match: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}", Status: 429, RetryAfter: &after},
	)
	create.Check = expectRequests(plane, map[string]int{"POST": 3})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{create},
	})
}

// TestAccDeployment_timeout expects an error at the limit, the deployment in the state, and a next apply that works.
func TestAccDeployment_timeout(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	limit := config.Variables{"timeouts": config.MapVariable(map[string]config.Variable{
		"create": config.StringVariable("5m"), "update": config.StringVariable("3m"),
	})}
	create := step(plane, "external_container", limit)
	create.ExpectError = words(`Deployment "tf-acc-image" was not rolled out in time .*status: DEPLOYING · after 5m0s`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{create, step(plane, "external_container", nil)},
	})
}

// TestAccDeployment_updateTimeout leaves a revision in progress: the next apply only waits for it.
func TestAccDeployment_updateTimeout(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	image := config.StringVariable("registry.example.com/agents/chat:2.0.0")
	short := step(plane, "external_container", config.Variables{
		"image_uri": image,
		"timeouts":  config.MapVariable(map[string]config.Variable{"update": config.StringVariable("3m")}),
	})
	short.ExpectError = words(`was not rolled out in time .* after 3m`)
	resumed := step(plane, "external_container", config.Variables{"image_uri": image})
	resumed.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
	}
	resumed.ConfigStateChecks = append(resumed.ConfigStateChecks, known(text("DEPLOYED"), "latest_revision_status"))
	resumed.Check = expectRequests(plane, map[string]int{"POST": 1, "PATCH": 1})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{step(plane, "external_container", nil), short, resumed},
	})
}
