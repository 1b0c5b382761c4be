package main

import "testing"

// TestCountRequests_unraced asserts the requests of each resource for more objects than a page has. A plan takes a page for each 99 objects and
// the few reads before the list. The numbers of writes are bounds: how much creations share depends on their order.
func TestCountRequests_unraced(t *testing.T) {
	t.Parallel()
	const amount = 110
	writes := map[string][2]int{ // For a creation and for a deletion.
		ours: {8, 6}, "agentplane_listener": {3, 4}, "agentplane_model_price": {1, 2}, "agentplane_oauth_provider": {2, 2},
		"agentplane_agent_provider_token": {4, 3}, "agentplane_agent_connection": {4, 3}, "agentplane_oauth_token": {4, 3},
		"agentplane_llm_run": {4, 0},
	}
	for _, c := range counted {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sent, err := countRequests(t.Context(), c, amount)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("requests of %d objects: %d to create, %d to plan, %d to destroy", amount, sent[0], sent[1], sent[2])
			if sent[1] > 13 {
				t.Errorf("a plan took %d requests, want at most 13", sent[1])
			}
			for i, phase := range map[int]string{0: "creations", 2: "deletions"} {
				if most := writes[c.name][i/2]*amount + 30; sent[i] > most {
					t.Errorf("%s took %d requests, want at most %d", phase, sent[i], most)
				}
			}
		})
	}
}
