package modelprice_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// wholeBody is the entry of whole as another user would make it.
var wholeBody = map[string]any{
	"name": "Large", "match_pattern": `^large-\d+$`, "match_path": []string{"endpoint_name", "model"}, "provider": "example",
	"start_time": "2026-06-01T00:00:00Z", "prompt_token_threshold": 200000, "prompt_cost": "0.00000250", "completion_cost": 0.0,
	"prompt_cost_details":     map[string]any{"cache_read": 1e-6, "audio": "1e-5"},
	"completion_cost_details": map[string]any{"reasoning": 4e-6},
}

// importing imports into the state that the steps after it go on with.
func importing(more args, id string) resource.TestStep {
	s := step(more)
	s.ResourceName, s.ImportState, s.ImportStatePersist, s.ImportStateId = address, true, true, id
	return s
}

// TestAccModelPrice_importTwice doesn't choose among entries of a name.
func TestAccModelPrice_importTwice(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	for _, pattern := range []string{"^a$", "^b$"} {
		made(plane, map[string]any{"name": "twice", "match_pattern": pattern})
	}
	fails := importing(nil, "name:twice")
	fails.ExpectError = providertest.Words(`2 model prices of the workspace have the name "twice". Import one of them by its ID: `)
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{fails}})
}

// TestAccModelPrice_importOfTheService refuses an entry that belongs to no workspace, and says what to do instead.
func TestAccModelPrice_importOfTheService(t *testing.T) {
	t.Parallel()
	const id = "5b5f29a5-8f24-4b0f-9a52-0c2b3f0f3a11"
	service := http.NewServeMux()
	service.HandleFunc(listing, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id": "` + id + `", "tenant_id": null, "name": "Large", "match_pattern": "^large$", "match_path": ["model"],
			"provider": null, "start_time": null, "prompt_cost": 1e-6, "completion_cost": 1e-6, "prompt_cost_details": null,
			"completion_cost_details": null}]`))
	})
	for form, test := range map[string]struct{ id, says string }{
		"id":   {id, `is built in and can't be changed. Create your own entry instead, with match_pattern "^large$"`},
		"name": {"name:Large", "Built-in entries can't be managed."},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewFrom(t, api.Neutral, service)
			fails := importing(nil, test.id)
			fails.ExpectError = providertest.Words(test.says)
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{fails}})
		})
	}
}
