package listener_test

import (
	"regexp"
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

// TestAccListenerDataSource looks up the same listener in both ways, and reads every attribute.
func TestAccListenerDataSource(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	register(plane, "another-cluster", "agents")
	var steps []resource.TestStep
	for variable, value := range map[string]string{"id": plane.ListenerID, "compute_id": seeded} {
		step := lookUp(config.Variables{variable: config.StringVariable(value)})
		step.ConfigStateChecks = []statecheck.StateCheck{
			known("id", knownvalue.StringExact(plane.ListenerID)),
			known("compute_id", knownvalue.StringExact(seeded)),
			known("compute_type", knownvalue.StringExact("k8s")),
			known("compute_config", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"k8s_namespaces": knownvalue.ListExact([]knownvalue.Check{
					knownvalue.StringExact(plane.K8sNamespace), knownvalue.StringExact(plane.OtherK8sNamespace),
				}),
			})),
			known("version", knownvalue.Null()),
			known("created_at", knownvalue.StringRegexp(regexp.MustCompile(`^2026-01-02T03:04:05`))),
			known("updated_at", knownvalue.StringRegexp(regexp.MustCompile(`^2026-01-02T03:04:05`))),
		}
		steps = append(steps, step)
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
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

// TestAccListenerDataSource_refused expects a clear error for every lookup without a result.
func TestAccListenerDataSource_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	const elsewhere = "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80"
	var steps []resource.TestStep
	for _, test := range []struct {
		id, computeID string
		want          string
	}{
		{computeID: "no-such-cluster", want: `Listener not found`},
		{computeID: "no-such-cluster", want: `has the compute_id "no-such-cluster". The data source agentplane_listeners lists the existing ones`},
		{id: elsewhere, want: `Cannot read listener`},
		{id: elsewhere, want: `Status: 404`},
	} {
		variables := config.Variables{}
		if test.id != "" {
			variables["id"] = config.StringVariable(test.id)
		}
		if test.computeID != "" {
			variables["compute_id"] = config.StringVariable(test.computeID)
		}
		step := lookUp(variables)
		step.ExpectError = providertest.Words(test.want)
		steps = append(steps, step)
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}
