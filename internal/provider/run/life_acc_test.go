package run_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccLLMRun_life logs, replaces and destroys a run, with a CLI and without.
func TestAccLLMRun_life(t *testing.T) {
	t.Parallel()
	again := config.Variables{"triggers": config.MapVariable(map[string]config.Variable{"revision": config.StringVariable("2")})}
	longer := config.Variables{"timeouts": config.ObjectVariable(map[string]config.Variable{"create": config.StringVariable("5m")})}
	providertest.Both(t, func(plane *providertest.Plane) resource.TestCase {
		destroyed := logOne(again, nil, planned(plancheck.ResourceActionDestroy))
		destroyed.Destroy = true
		return resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
			logOne(nil, nil, planned(plancheck.ResourceActionCreate)), logOne(longer, nil, planned(plancheck.ResourceActionUpdate)),
			logOne(again, nil, planned(plancheck.ResourceActionReplace)), destroyed,
		}}
	})
}
