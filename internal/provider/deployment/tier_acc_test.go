package deployment_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	tierOperation  = "/v2/deployments/*/deployment-tier"
	partsOperation = "/v2/deployments/*/resource-tiers"
)

// tiered returns a configuration of a deployment with tiers. Empty values omit a tier.
func tiered(plane *providertest.Plane, deployment, compute, database string) map[string]any {
	more := map[string]any{}
	for name, tier := range map[string]string{"deployment_tier": deployment, "compute_tier": compute, "database_tier": database} {
		if tier != "" {
			more[name] = tier
		}
	}
	return imageConfig(plane, more)
}

// tiersOf returns the tiers in a state.
func tiersOf(k kept) [3]string {
	return [3]string{k.text("deployment_tier"), k.text("compute_tier"), k.text("database_tier")}
}

// TestTiers changes the tiers of a deployment. Plans must show them, no change may make a revision, and each must send only what is necessary.
func TestTiers(t *testing.T) {
	t.Parallel()
	plane := speaking(t, api.LangSmith)
	d := drive(t, plane)
	count := func() [3]int {
		return [3]int{len(plane.Requests("PATCH", tierOperation)), len(plane.Requests("PATCH", partsOperation)), len(plane.Requests("PATCH", "/v2/deployments/*"))}
	}
	now := d.made(kept{}, imageConfig(plane, nil))
	revision := now.text("latest_revision_id")
	for _, step := range []struct {
		does                          string
		deployment, compute, database string // The configured tiers.
		want                          [3]string
		sent                          [2]int
	}{
		{"no tier is configured", "", "", "", [3]string{}, [2]int{}},
		{"serverless", "SERVERLESS_M", "", "", [3]string{"SERVERLESS_M", "SERVERLESS_M", ""}, [2]int{1, 0}},
		{"dedicated, which sets the database", "DEDICATED_S", "", "", [3]string{"DEDICATED_S", "DEDICATED_S", "DEDICATED_S"}, [2]int{1, 0}},
		{"other compute beside it", "DEDICATED_S", "DEDICATED_L", "", [3]string{"DEDICATED_S", "DEDICATED_L", "DEDICATED_S"}, [2]int{0, 1}},
		{"another tier, the same compute", "DEDICATED_M", "DEDICATED_L", "", [3]string{"DEDICATED_M", "DEDICATED_L", "DEDICATED_M"}, [2]int{1, 1}},
		{"compute and database apart", "", "DEDICATED_S", "DEDICATED_L", [3]string{"DEDICATED_M", "DEDICATED_S", "DEDICATED_L"}, [2]int{0, 1}},
		{"nothing configured keeps all", "", "", "", [3]string{"DEDICATED_M", "DEDICATED_S", "DEDICATED_L"}, [2]int{}},
		{"a tier takes both along", "SERVERLESS_S", "", "", [3]string{"SERVERLESS_S", "SERVERLESS_S", ""}, [2]int{1, 0}},
	} {
		config, before := tiered(plane, step.deployment, step.compute, step.database), count()
		planned, diags := d.plan(now, config)
		if len(diags) > 0 || planned.text("latest_revision_id") != revision {
			t.Errorf("%s: planned %s, want no new revision\n%s", step.does, planned.state, told(diags))
		}
		now = d.made(now, config)
		if diff := cmp.Diff(step.want, tiersOf(now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.does, diff)
		}
		if got, want := count(), [3]int{before[0] + step.sent[0], before[1] + step.sent[1], before[2]}; got != want {
			t.Errorf("%s: %v requests so far, want %v", step.does, got, want)
		}
		if got := now.text("latest_revision_id"); got != revision {
			t.Errorf("%s: made a revision, want none", step.does)
		}
		d.settled(now, config)
	}
	last := map[string]any{"compute_tier": "DEDICATED_S", "database_tier": "DEDICATED_L"}
	if diff := cmp.Diff(last, body(t, plane, "PATCH", partsOperation)); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// TestTiers_unknown checks that plans have only those tiers unknown that can't be known.
func TestTiers_unknown(t *testing.T) {
	t.Parallel()
	plane := speaking(t, api.LangSmith)
	d := drive(t, plane)
	now := d.made(kept{}, tiered(plane, "DEDICATED_S", "", ""))
	for name, tc := range map[string]struct {
		config map[string]any
		want   []string
	}{
		"another tier":                       {tiered(plane, "DEDICATED_M", "", ""), []string{"compute_tier", "database_tier", "updated_at"}},
		"another tier, configured compute":   {tiered(plane, "DEDICATED_M", "DEDICATED_S", ""), []string{"database_tier", "updated_at"}},
		"other compute":                      {tiered(plane, "", "DEDICATED_M", ""), []string{"deployment_tier", "updated_at"}},
		"other compute, the configured tier": {tiered(plane, "DEDICATED_S", "DEDICATED_M", ""), []string{"updated_at"}},
		"nothing":                            {tiered(plane, "", "", ""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned, diags := d.plan(now, tc.config)
			if len(diags) > 0 {
				t.Fatal(told(diags))
			}
			var attributes map[string]tftypes.Value
			if err := planned.state.As(&attributes); err != nil {
				t.Fatal(err)
			}
			var unknown []string
			for _, name := range slices.Sorted(maps.Keys(attributes)) {
				if !attributes[name].IsFullyKnown() {
					unknown = append(unknown, name)
				}
			}
			if diff := cmp.Diff(tc.want, unknown); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTiers_drift checks that a tier changed by another user is shown as drift and changed back, and that one that isn't configured is ignored.
func TestTiers_drift(t *testing.T) {
	t.Parallel()
	plane := speaking(t, api.LangSmith)
	d := drive(t, plane)
	config := tiered(plane, "SERVERLESS_S", "", "")
	made := d.made(kept{}, config)
	plane.Call("PATCH", "/v2/deployments/"+made.text("id")+"/deployment-tier", map[string]any{"deployment_tier": "DEDICATED_L"}, nil)
	refreshed := d.refreshed(made)
	if diff := cmp.Diff([3]string{"DEDICATED_L", "DEDICATED_L", "DEDICATED_L"}, tiersOf(refreshed)); diff != "" {
		t.Errorf("tiers after the refresh (-want +got):\n%s", diff)
	}
	unmanaged := tiered(plane, "", "", "")
	d.settled(refreshed, unmanaged)
	now := d.made(refreshed, config)
	if diff := cmp.Diff([3]string{"SERVERLESS_S", "SERVERLESS_S", ""}, tiersOf(now)); diff != "" {
		t.Errorf("tiers after the apply (-want +got):\n%s", diff)
	}
	d.settled(now, config)
}

// TestTiers_creation fails the request that sets the tier after a creation. Nothing may be created twice, nothing
// healthy may be tainted, and the next apply must set the tier.
func TestTiers_creation(t *testing.T) {
	t.Parallel()
	const match = "PATCH /v2/deployments/{deployment_id}/deployment-tier"
	for name, tc := range map[string]struct {
		fault  devserver.Fault
		more   map[string]any
		warned string // Empty if the first apply succeeds.
	}{
		"a lost reply":         {fault: devserver.Fault{Match: match, Drop: true}},
		"a busy service":       {fault: devserver.Fault{Match: match, Status: http.StatusServiceUnavailable, Times: 2}},
		"a change in progress": {fault: devserver.Fault{Match: match, Status: http.StatusConflict, Detail: "Another change is in progress."}},
		"a change, not waited": {fault: devserver.Fault{Match: match, Status: http.StatusConflict, Detail: "In progress."}, more: map[string]any{"wait_for_deployed": false}, warned: "In progress."},
		"refused":              {fault: devserver.Fault{Match: match, Status: http.StatusBadRequest, Detail: "Not in your plan."}, warned: "Not in your plan."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := speaking(t, api.LangSmith)
			d := drive(t, plane)
			config := tiered(plane, "DEDICATED_S", "", "")
			maps.Copy(config, tc.more)
			plane.Arm(tc.fault)()
			made, diags := d.apply(t.Context(), kept{}, config)
			if hasError(diags) || (len(diags) > 0) != (tc.warned != "") || !strings.Contains(told(diags), tc.warned) {
				t.Errorf("diagnostics, want a warning only with %q:\n%s", tc.warned, told(diags))
			}
			if tc.warned != "" && !strings.Contains(told(diags), "the next apply sets the tier") {
				t.Errorf("the warning doesn't say that the next apply sets the tier:\n%s", told(diags))
			}
			if made.text("id") == "" || !made.state.IsFullyKnown() {
				t.Fatalf("state = %s, want an ID and no unknown values", made.state)
			}
			if tc.warned == "" && made.text("compute_tier") != "DEDICATED_S" {
				t.Errorf("state = %s, want the compute tier DEDICATED_S", made.state)
			}
			refreshed := d.refreshed(made)
			if planned, _ := d.plan(refreshed, config); planned.state.Equal(refreshed.state) != (tc.warned == "" && tc.more == nil) {
				t.Errorf("next plan = %s, want no changes only after a complete creation", planned.state)
			}
			now := d.made(refreshed, config)
			d.settled(now, config)
			if now.text("id") != made.text("id") || now.text("compute_tier") != "DEDICATED_S" {
				t.Errorf("state after the next apply = %s, want the same deployment with the tier", now.state)
			}
			if posts := plane.Requests("POST", "/v2/deployments"); len(posts) != 1 {
				t.Errorf("sent %d POSTs, want 1", len(posts))
			}
		})
	}
}

// TestTiers_update expects an error if a tier can't be changed, the actual values in state, and that the rest of the change isn't sent yet.
func TestTiers_update(t *testing.T) {
	t.Parallel()
	const match = "PATCH /v2/deployments/{deployment_id}/resource-tiers"
	for name, tc := range map[string]struct {
		fault devserver.Fault
		fails string
	}{
		"refused":              {devserver.Fault{Match: match, Status: http.StatusBadRequest, Detail: "Too small."}, "Too small."},
		"a lost reply":         {devserver.Fault{Match: match, Drop: true}, ""},
		"a change in progress": {devserver.Fault{Match: match, Status: http.StatusConflict, Detail: "In progress.", Times: 3}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := speaking(t, api.LangSmith)
			d := drive(t, plane)
			made := d.made(kept{}, tiered(plane, "DEDICATED_M", "", ""))
			config := tiered(plane, "DEDICATED_M", "DEDICATED_S", "DEDICATED_L")
			config["source_revision_config"] = image("2.0.0")
			plane.Arm(tc.fault)()
			now, diags := d.apply(t.Context(), made, config)
			if hasError(diags) != (tc.fails != "") || !strings.Contains(told(diags), tc.fails) {
				t.Errorf("diagnostics, want an error only with %q:\n%s", tc.fails, told(diags))
			}
			if tc.fails != "" {
				if patches := plane.Requests("PATCH", "/v2/deployments/*"); len(patches) != 0 || !now.state.Equal(made.state) {
					t.Errorf("sent %d PATCHes, state = %s; want none, and the old state", len(patches), now.state)
				}
				now = d.made(d.refreshed(now), config)
			}
			if diff := cmp.Diff([3]string{"DEDICATED_M", "DEDICATED_S", "DEDICATED_L"}, tiersOf(now)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if patches := plane.Requests("PATCH", "/v2/deployments/*"); len(patches) != 1 {
				t.Errorf("sent %d PATCHes, want 1", len(patches))
			}
			d.settled(now, config)
		})
	}
}

// TestTiers_imported checks that an import reads the tiers, and that configuring the same values changes nothing.
func TestTiers_imported(t *testing.T) {
	t.Parallel()
	plane := speaking(t, api.LangSmith)
	d := drive(t, plane)
	made := d.made(kept{}, tiered(plane, "DEDICATED_M", "DEDICATED_S", ""))
	imported, err := d.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: driven, ID: made.text("id")})
	if err != nil || len(imported.Diagnostics) > 0 {
		t.Fatal(err, told(imported.Diagnostics))
	}
	one := imported.ImportedResources[0]
	now := d.refreshed(kept{d.decoded(one.State), one.Private, one.Identity})
	if diff := cmp.Diff([3]string{"DEDICATED_M", "DEDICATED_S", "DEDICATED_M"}, tiersOf(now)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, config := range []map[string]any{
		tiered(plane, "DEDICATED_M", "DEDICATED_S", "DEDICATED_M"), tiered(plane, "", "", ""), tiered(plane, "DEDICATED_M", "", ""),
	} {
		planned, diags := d.plan(now, config)
		if diff := cmp.Diff(tiersOf(now), tiersOf(planned)); diff != "" || hasError(diags) {
			t.Errorf("planned (-want +got):\n%s\n%s", diff, told(diags))
		}
	}
}
