//go:build !race

package main

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// allocations are how many allocations each call of an unchanged resource takes. They hardly depend on the machine, unlike
// times. A Read includes a connection to a service that answers from memory. A change that needs many more or far fewer than
// these records its own numbers here.
var allocations = map[string]map[string]float64{
	ours:                        {"Validate": 3410, "Plan": 4640, "Read": 4790},
	"agentplane_listener":       {"Validate": 261, "Plan": 2040, "Read": 2210},
	"agentplane_llm_run":        {"Validate": 2030, "Plan": 5310, "Read": 4330},
	"agentplane_model_price":    {"Validate": 393, "Plan": 2910, "Read": 2880},
	"agentplane_oauth_provider": {"Validate": 1800, "Plan": 5120, "Read": 3600},
}

// allocationBound is by which share of the recorded number a call may differ. Versions of Go differ by less.
const allocationBound = 0.2

// allocationRuns is how many calls are made. The least counts: connections, and what else runs in the process, add to some.
const allocationRuns = 10

// The race detector allocates by itself, so this test isn't part of its pass. It isn't parallel, because allocations are
// counted in the whole process.
func TestAllocations(t *testing.T) {
	resources := configurations(startPlane(t))
	if len(resources) != len(newExisting(t, ours).provider(t).schema.ResourceSchemas) {
		t.Error("a resource has no configuration here: add it")
	}
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		e := newExisting(t, name)
		for _, c := range calls {
			p, got := e.provider(t), math.Inf(1)
			for range allocationRuns {
				providers := []*inProcess{p, p} // The first is to warm up.
				if c.fresh {
					providers = []*inProcess{e.provider(t), e.provider(t)}
				}
				got = min(got, testing.AllocsPerRun(1, func() {
					if err := c.call(e, t.Context(), providers[0]); err != nil {
						t.Fatalf("%s of %s: %v", c.name, name, err)
					}
					providers = providers[1:]
				}))
			}
			want := allocations[name][c.name]
			if got < want*(1-allocationBound) || got > want*(1+allocationBound) {
				t.Errorf("%s of %s takes %.0f allocations, recorded are %.0f: if that is right, record it", c.name, name, got, want)
			}
		}
	}
}
