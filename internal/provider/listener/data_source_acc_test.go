package listener_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const address = "data.agentplane_listener.test"

// lookUp returns a step that reads the data source of one listener.
func lookUp(variables config.Variables) resource.TestStep {
	return resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/one"), ConfigVariables: variables}
}

func known(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), value)
}

// TestAccListenerDataSource_anotherComputeType reads a listener that isn't Kubernetes'.
func TestAccListenerDataSource_anotherComputeType(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		if !plane.HasComputeType(t, "vm") {
			return
		}
		plane.Call("POST", "/dev/listeners", map[string]any{"compute_type": "vm", "compute_id": "rack"}, nil)
		one := lookUp(config.Variables{"compute_id": config.StringVariable("rack")})
		one.ConfigStateChecks = []statecheck.StateCheck{known("compute_type", knownvalue.StringExact("vm"))}
		providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{one}})
	})
}

// TestAccListenerDataSource_namespaces distinguishes a listener without namespaces from one that doesn't report them.
func TestAccListenerDataSource_namespaces(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	register(plane, "silent")
	plane.Call("POST", "/dev/listeners", map[string]any{"compute_id": "nowhere", "k8s_namespaces": []string{}}, nil)
	var steps []resource.TestStep
	for computeID, want := range map[string]knownvalue.Check{
		"silent": knownvalue.Null(), "nowhere": knownvalue.ListSizeExact(0),
	} {
		step := lookUp(config.Variables{"compute_id": config.StringVariable(computeID)})
		step.ConfigStateChecks = []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, tfjsonpath.New("compute_config").AtMapKey("k8s_namespaces"), want),
		}
		steps = append(steps, step)
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}
