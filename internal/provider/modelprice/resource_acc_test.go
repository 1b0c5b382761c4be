package modelprice_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// whole is every optional argument, and what is sent for it.
var (
	whole = args{
		"name": text("Large"), "match_pattern": text(`^large-\d+$`), "match_path": config.ListVariable(text("endpoint_name"), text("model")),
		"model_provider": text("example"), "start_time": text("2026-06-01T02:00:00+02:00"), "prompt_token_threshold": config.IntegerVariable(200000),
		"prompt_cost": text("0.0000025"), "completion_cost": text("0"),
		"prompt_cost_details":     prices(map[string]string{"cache_read": "1e-6", "audio": "0.00001"}),
		"completion_cost_details": prices(map[string]string{"reasoning": "4E-6"}),
	}
	wholeSent = map[string]string{
		"name": `"Large"`, "match_pattern": `"^large-\\d+$"`, "match_path": `["endpoint_name","model"]`, "provider": `"example"`,
		"start_time": `"2026-06-01T02:00:00+02:00"`, "prompt_token_threshold": "200000", "prompt_cost": "0.0000025", "completion_cost": "0",
		"prompt_cost_details": `{"audio":0.00001,"cache_read":1e-6}`, "completion_cost_details": `{"reasoning":4E-6}`,
	}
)

// TestAccModelPrice creates with as little as possible, changes everything in place, and takes it back.
func TestAccModelPrice(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	minimal := step(nil)
	minimal.ConfigStateChecks = []statecheck.StateCheck{
		is("id", knownvalue.NotNull()), is("created_at", knownvalue.NotNull()), is("workspace_id", knownvalue.StringExact(providertest.WorkspaceID)),
		is("match_path", knownvalue.ListSizeExact(5)), is("model_provider", knownvalue.Null()), is("start_time", knownvalue.Null()),
		is("prompt_token_threshold", knownvalue.Null()), is("prompt_cost", knownvalue.StringExact("2e-6")),
		is("prompt_cost_details", knownvalue.Null()), is("completion_cost_details", knownvalue.Null()),
	}
	minimal.Check = w.Expect(put("POST", nil))
	inPlace := []plancheck.PlanCheck{
		action(plancheck.ResourceActionUpdate), plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.NotNull()),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("created_at"), knownvalue.NotNull()),
	}
	everything := planned(step(whole), inPlace...)
	everything.Check = w.Expect(put("PUT", wholeSent))
	back := planned(step(nil), inPlace...)
	back.Check = w.Expect(put("PUT", nil))
	run(t, plane, minimal, everything, back)
	if err := w.Expect("DELETE", "DELETE")(nil); err != nil { // The second one proves the first.
		t.Error(err)
	}
}

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
