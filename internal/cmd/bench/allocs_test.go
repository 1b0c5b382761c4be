//go:build !race

package main

import (
	"maps"
	"slices"
	"testing"
)

// allocations are how many allocations each call of an unchanged resource takes. They hardly depend on the machine, unlike
// times. A Read includes a connection to a service that answers from memory. A change that needs many more or far fewer than
// these records its own numbers here.
var allocations = map[string]map[string]float64{
	ours:                        {"Validate": 9092, "Plan": 66446, "Read": 28960},
	"agentplane_listener":       {"Validate": 795, "Plan": 6398, "Read": 3990},
	"agentplane_llm_run":        {"Validate": 3028, "Plan": 15725, "Read": 7973},
	"agentplane_model_price":    {"Validate": 994, "Plan": 8916, "Read": 5312},
	"agentplane_oauth_provider": {"Validate": 2729, "Plan": 13336, "Read": 6559},
}

// allocationBound is by which share of the recorded number a call may differ. Versions of Go differ by less.
const allocationBound = 0.2

// allocationRuns is how many calls are made.
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
			providers := slices.Repeat([]*inProcess{e.provider(t)}, allocationRuns+1) // The first is to warm up.
			if c.fresh {
				for i := range providers {
					providers[i] = e.provider(t)
				}
			}
			got := testing.AllocsPerRun(allocationRuns, func() {
				if err := c.call(e, t.Context(), providers[0]); err != nil {
					t.Fatalf("%s of %s: %v", c.name, name, err)
				}
				providers = providers[1:]
			})
			want := allocations[name][c.name]
			if got < want*(1-allocationBound) || got > want*(1+allocationBound) {
				t.Errorf("%s of %s takes %.0f allocations, recorded are %.0f: if that is right, record it", c.name, name, got, want)
			}
		}
	}
}
