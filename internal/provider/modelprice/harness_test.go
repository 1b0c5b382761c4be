package modelprice_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	typeName   = "agentplane_model_price"
	address    = typeName + ".test"
	collection = "/api/v1/model-price-map"
)

// Patterns of requests for faults.
const (
	creation = "POST " + collection
	listing  = "GET " + collection
)

// args are arguments that differ from those in testdata/price.
type args map[string]config.Variable

func text(value string) config.Variable { return config.StringVariable(value) }

func prices(of map[string]string) config.Variable {
	variables := map[string]config.Variable{}
	for kind, price := range of {
		variables[kind] = text(price)
	}
	return config.MapVariable(variables)
}

func step(more args) resource.TestStep {
	variables := config.Variables{}
	maps.Copy(variables, more)
	return resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/price"), ConfigVariables: variables}
}

// refused returns a step that must fail.
func refused(more args, says string) resource.TestStep {
	s := step(more)
	s.ExpectError = providertest.Words(says)
	return s
}

func planned(s resource.TestStep, checks ...plancheck.PlanCheck) resource.TestStep {
	s.ConfigPlanChecks.PreApply = checks
	return s
}

func action(want plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, want)
}

func run(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), Steps: steps,
	})
}

func checkNoneLeft(plane *providertest.Plane) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if left := listed(plane); len(left) > 0 {
			return fmt.Errorf("%d prices are left, want none; the first is %q", len(left), left[0].Name)
		}
		return nil
	}
}

func listed(plane *providertest.Plane) []api.ModelPrice {
	var all []api.ModelPrice
	plane.Call(http.MethodGet, collection, nil, &all)
	return all
}

// made creates an entry as another user would.
func made(plane *providertest.Plane, more map[string]any) api.ModelPrice {
	body := map[string]any{
		"name": "example-large", "match_pattern": "^example-large$", "prompt_cost": 0.000002, "completion_cost": "3e-6",
	}
	maps.Copy(body, more)
	var price api.ModelPrice
	plane.Call(http.MethodPost, collection, body, &price)
	return price
}

// newWrites checks the sent requests, including the digits of numbers.
func newWrites(plane *providertest.Plane) *providertest.Writes {
	return &providertest.Writes{Plane: plane, Path: collection}
}

// put returns the write of the entry in testdata/price, with some fields replaced by JSON.
func put(method string, more map[string]string) string {
	fields := map[string]json.RawMessage{
		"name": json.RawMessage(`"example-large"`), "match_pattern": json.RawMessage(`"^example-large$"`),
		"match_path": json.RawMessage(`["model","model_name","model_id","model_path","endpoint_name"]`), "provider": nil, "start_time": nil,
		"prompt_cost": json.RawMessage("2e-6"), "completion_cost": json.RawMessage("0.000003"), "prompt_cost_details": nil,
		"completion_cost_details": nil,
	}
	for name, value := range more {
		fields[name] = json.RawMessage(value)
	}
	body, err := json.Marshal(fields) // Sorted by name, as the dev server records bodies.
	if err != nil {
		panic(err)
	}
	return method + " " + string(body)
}
