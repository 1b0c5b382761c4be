package modelprice_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccModelPrice_spelling plans nothing for what means the same, and one change for what doesn't.
func TestAccModelPrice_spelling(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	first := args{"start_time": text("2026-06-01T00:00:00Z"), "prompt_cost_details": prices(map[string]string{"cache_read": "1e-6", "audio": "1"})}
	created := step(first)
	created.Check = w.Expect(put("POST", map[string]string{"start_time": `"2026-06-01T00:00:00Z"`, "prompt_cost_details": `{"audio":1,"cache_read":1e-6}`}))
	rewritten := planned(step(args{
		"prompt_cost": text("0.0000020"), "completion_cost": text("3E-6"), "start_time": text("2026-06-01T02:00:00.000+02:00"),
		"prompt_cost_details": prices(map[string]string{"cache_read": "0.000001", "audio": "1.0"}),
	}), plancheck.ExpectEmptyPlan())
	rewritten.Check = w.Expect()
	// Nothing is sent for an empty map in the place of none.
	emptied := step(args{
		"start_time": first["start_time"], "prompt_cost_details": first["prompt_cost_details"],
		"completion_cost_details": config.MapVariable(map[string]config.Variable{}),
	})
	emptied.Check = w.Expect()
	changed := planned(step(args{
		"start_time": text("2026-06-01T00:00:01Z"), "prompt_cost_details": prices(map[string]string{"cache_read": "0.000001"}),
	}), action(plancheck.ResourceActionUpdate))
	changed.Check = w.Expect(put("PUT", map[string]string{"start_time": `"2026-06-01T00:00:01Z"`, "prompt_cost_details": `{"cache_read":0.000001}`}))
	run(t, plane, created, rewritten, emptied, changed)
}
