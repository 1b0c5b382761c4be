package providertest_test

import (
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestPlane_lags checks that the provider's requests lag, and calls of tests don't. It changes the environment, so it can't run in
// parallel.
func TestPlane_lags(t *testing.T) {
	t.Setenv("AGENTPLANE_TEST_LAG", "2s")
	var rollout time.Duration
	plane := providertest.NewDev(t, func(cfg *devserver.Config) { rollout = cfg.Rollout })
	if rollout+2*time.Second != providertest.Rollout {
		t.Errorf("a rollout takes %s, want that its end is seen after %s", rollout, providertest.Rollout)
	}
	provider := providertest.Account{
		URL: plane.URL, APIKey: providertest.APIKey, WorkspaceID: providertest.WorkspaceID, Dialect: plane.Dialect(),
	}
	listener := func(computeID string) map[string]any {
		return map[string]any{"compute_type": "k8s", "compute_id": computeID, "compute_config": map[string]any{}}
	}
	expect := func(event string, want, wantCurrent int) {
		t.Helper()
		var shown, list api.List[api.Listener]
		if err := provider.Call(t.Context(), "GET", "/v2/listeners", nil, &shown); err != nil || len(shown.Resources) != want {
			t.Errorf("%s: the provider sees %d listeners, want %d (error: %v)", event, len(shown.Resources), want, err)
		}
		if plane.Call("GET", "/v2/listeners", nil, &list); len(list.Resources) != wantCurrent {
			t.Errorf("%s: the test sees %d listeners, want %d", event, len(list.Resources), wantCurrent)
		}
	}
	expect("seeded", 1, 1)
	if err := provider.Call(t.Context(), "POST", "/v2/listeners", listener("a"), nil); err != nil {
		t.Fatal(err)
	}
	expect("registered by the provider", 1, 2)
	plane.Clock.Advance(2 * time.Second)
	expect("two seconds later", 2, 2)
	plane.Call("POST", "/v2/listeners", listener("b"), nil)
	expect("registered by the test", 3, 3)

	before := plane.Clock.Now()
	if again := plane.Clock.Now(); !again.Equal(before) {
		t.Errorf("the clock moves by itself: %s, then %s", before, again)
	}
	plane.Environ()
	for range 1_000_000 {
		if plane.Clock.Now().After(before) {
			return
		}
	}
	t.Error("no time passes for a separate process")
}
