package main

import "testing"

// TestCountRequests_unraced asserts the requests of each resource for more objects than a page has. A plan takes a page for each 99 objects and
// the few reads before the list. The numbers of writes are bounds: how much creations share depends on their order.
func TestCountRequests_unraced(t *testing.T) {
	t.Parallel()
	const amount = 110
	writes := map[string][2]int{ // For a creation and for a deletion.
		ours: {4, 2}, "agentplane_listener": {3, 4}, "agentplane_model_price": {3, 2}, "agentplane_oauth_provider": {2, 2},
		"agentplane_agent_provider_token": {4, 3}, "agentplane_agent_connection": {4, 3}, "agentplane_oauth_token": {4, 3},
		"agentplane_llm_run": {4, 0},
	}
	for _, c := range counted {
		for _, dialect := range countedDialects {
			t.Run(c.name+"/"+dialect, func(t *testing.T) {
				t.Parallel()
				sent, err := countRequests(t.Context(), dialect, c, amount)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("requests of %d objects: %d to plan new ones, %d to create, %d to plan, %d to destroy", amount, sent[0], sent[1], sent[2], sent[3])
				for phase, most := range []int{12, writes[c.name][0]*amount + 30, 13, writes[c.name][1] * amount} {
					if sent[phase] > most {
						t.Errorf("%s took %d requests, want at most %d", []string{"a plan of new objects", "creations", "a plan", "deletions"}[phase], sent[phase], most)
					}
				}
			})
		}
	}
}
