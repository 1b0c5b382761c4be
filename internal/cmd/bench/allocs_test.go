//go:build !race

package bench

import (
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// allocations are the numbers of allocations of each call for an unchanged resource. They hardly depend on the machine, unlike
// times. A Read includes a connection to a service that answers from memory. A change that takes many more or far fewer
// allocations has to update these numbers.
var allocations = map[string]map[string]float64{
	ours:                              {"Validate": 11_030, "Plan": 4700, "Read": 5300},
	"agentplane_agent_connection":     {"Validate": 898, "Plan": 663, "Read": 1003},
	"agentplane_agent_provider_token": {"Validate": 1140, "Plan": 5670, "Read": 4200},
	"agentplane_listener":             {"Validate": 981, "Plan": 535, "Read": 1070},
	"agentplane_llm_run":              {"Validate": 3713, "Plan": 1058, "Read": 1257},
	"agentplane_model_price":          {"Validate": 1268, "Plan": 928, "Read": 1460},
	"agentplane_oauth_token":          {"Validate": 1070, "Plan": 5328, "Read": 3060},
	"agentplane_oauth_provider":       {"Validate": 3397, "Plan": 1070, "Read": 1450},
}

// allocationBound is the relative deviation from the recorded number that is allowed. Versions of Go differ by less.
const allocationBound = 0.2

// allocationRuns is the number of calls. The lowest result counts: connections and other work in the process add to some.
const allocationRuns = 10

// The race detector also allocates, so this test doesn't run with it. It isn't parallel, because allocations are
// counted for the whole process.
func TestAllocations(t *testing.T) {
	resources := configurations(t, startPlane(t))
	if len(resources) != len(newExisting(t, ours).provider(t).schema.ResourceSchemas) {
		t.Error("a resource of the provider has no configuration in this test: add one")
	}
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		e := newExisting(t, name)
		for _, c := range calls {
			p := e.provider(t)
			got := leastAllocations(t, func() *inProcess {
				if c.fresh {
					return e.provider(t)
				}
				return p
			}, func(p *inProcess) error { return c.call(e.managed, t.Context(), p) })
			checkAllocations(t, c.name+" of "+name, got, allocations[name][c.name])
		}
	}
}

// TestPlanAllocations counts the allocations for planning a new deployment and a changed one, which includes the description of its
// schema: a provider plans each name once. Terraform validates a configuration before its plan, which here includes that.
func TestPlanAllocations(t *testing.T) {
	e := newExisting(t, ours)
	set := func(in *tfprotov6.DynamicValue, name string, value tftypes.Value) *tfprotov6.DynamicValue {
		var attributes map[string]tftypes.Value
		decoded, err := in.Unmarshal(e.schema)
		if err := errors.Join(err, decoded.As(&attributes)); err != nil {
			t.Fatal(err)
		}
		attributes[name] = value
		encoded, err := tfprotov6.NewDynamicValue(e.schema, tftypes.NewValue(e.schema, attributes))
		if err != nil {
			t.Fatal(err)
		}
		return &encoded
	}
	triggers := tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"a": tftypes.NewValue(tftypes.String, "1")})
	other := managed{name: ours, config: set(e.config, "name", tftypes.NewValue(tftypes.String, "another"))}
	changed := e.managed
	changed.config = set(e.config, "triggers", triggers)
	for _, test := range []struct {
		what     string
		object   managed
		from, to *tfprotov6.DynamicValue
		want     float64
	}{
		{"new", other, e.none, other.config, 19_200},
		{"changed", changed, e.state, set(e.state, "triggers", triggers), 21_900},
	} {
		got := leastAllocations(t, func() *inProcess { return e.provider(t) }, func(p *inProcess) error {
			_, err := test.object.plan(t.Context(), p, test.from, test.to)
			return err
		})
		checkAllocations(t, "planning a "+test.what+" deployment", got, test.want)
	}
}

// leastAllocations makes a call several times, each with a provider that start returns.
func leastAllocations(t *testing.T, start func() *inProcess, call func(*inProcess) error) float64 {
	t.Helper()
	least := math.Inf(1)
	for range allocationRuns {
		providers := []*inProcess{start(), start()} // The first call only warms up.
		least = min(least, testing.AllocsPerRun(1, func() {
			if err := call(providers[0]); err != nil {
				t.Fatal(err)
			}
			providers = providers[1:]
		}))
	}
	return least
}

func checkAllocations(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got < want*(1-allocationBound) || got > want*(1+allocationBound) {
		t.Errorf("%s takes %.0f allocations, want about %.0f: if the change is intended, update the recorded number", what, got, want)
	}
}
