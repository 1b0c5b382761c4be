package listener_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	// seeded is the compute_id of the listener that every dev server has initially.
	seeded = "dev-cluster"
	// managed is the address of the resource in testdata, computeID its default compute_id there.
	managed   = "agentplane_listener.test"
	computeID = "tf-acc-cluster"
)

// step applies one of the configurations in testdata. Terraform plans again after every step, and the plan must be
// empty.
func step(plane *providertest.Plane, directory string, variables config.Variables) resource.TestStep {
	return resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/" + directory), ConfigVariables: plane.Variables(variables),
	}
}

// tryAll runs the steps, and expects only the seeded listener at the end.
func tryAll(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, testCase(plane, steps...))
}

func testCase(plane *providertest.Plane, steps ...resource.TestStep) resource.TestCase {
	return resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), Steps: steps,
		CheckDestroy: func(*terraform.State) error {
			if left := current(plane); len(left) != 1 || left[0].ComputeID != seeded {
				return fmt.Errorf("%d listeners are left, want the seeded one: %v", len(left), left)
			}
			return nil
		},
	}
}

// is expects a value of an attribute of the resource in state.
func is(value knownvalue.Check, attributePath ...string) statecheck.StateCheck {
	at := tfjsonpath.New(attributePath[0])
	for _, attribute := range attributePath[1:] {
		at = at.AtMapKey(attribute)
	}
	return statecheck.ExpectKnownValue(managed, at, value)
}

func text(s string) knownvalue.Check { return knownvalue.StringExact(s) }

// names returns an input variable that is a list of strings.
func names(values ...string) config.Variable {
	all := make([]config.Variable, len(values))
	for i, value := range values {
		all[i] = config.StringVariable(value)
	}
	return config.ListVariable(all...)
}

// register creates a listener, as installing it in a cluster does.
func register(plane *providertest.Plane, computeID string, namespaces ...string) api.Listener {
	var listener api.Listener
	plane.Call(http.MethodPost, "/dev/listeners", map[string]any{"compute_id": computeID, "k8s_namespaces": namespaces}, &listener)
	return listener
}

// current returns the first page of the service's listeners.
func current(plane *providertest.Plane) []api.Listener {
	var list api.List[api.Listener]
	plane.Call(http.MethodGet, "/v2/listeners?limit=100", nil, &list)
	return list.Resources
}

// holding returns the listener of a compute, which must exist.
func holding(t *testing.T, plane *providertest.Plane, computeID string) api.Listener {
	t.Helper()
	for _, listener := range current(plane) {
		if listener.ComputeID == computeID {
			return listener
		}
	}
	t.Fatalf("no listener has the compute_id %q", computeID)
	return api.Listener{}
}

// deploy creates a deployment on a listener without Terraform, and returns its path.
func deploy(plane *providertest.Plane, listenerID, name string) string {
	var deployment struct {
		ID string `json:"id"`
	}
	plane.Call(http.MethodPost, "/v2/deployments", map[string]any{
		"name": name, "source": "external_container", "secrets": []any{},
		"source_config": plane.SourceConfig(api.SourceExternalContainer, map[string]any{
			"listener_id": listenerID, "listener_config": map[string]any{"k8s_namespace": "agents"},
		}),
		"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1.0.0"},
	}, &deployment)
	return "/v2/deployments/" + deployment.ID
}

// sent returns the requests with a method that changed listeners so far, including the test's own.
func sent(plane *providertest.Plane, method string) []devserver.Request {
	pattern := "/v2/listeners/*"
	if method == http.MethodPost {
		pattern = "/v2/listeners"
	}
	return plane.Requests(method, pattern)
}

// expectSent checks the numbers of requests that changed listeners.
func expectSent(plane *providertest.Plane, posts, patches, deletes int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		want := map[string]int{http.MethodPost: posts, http.MethodPatch: patches, http.MethodDelete: deletes}
		got := map[string]int{}
		for method := range want {
			got[method] = len(sent(plane, method))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("numbers of requests (-want +got):\n%s", diff)
		}
		return nil
	}
}
