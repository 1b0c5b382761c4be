package modelprice_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// importing imports into the state that the steps after it go on with.
func importing(more args, id string) resource.TestStep {
	s := step(more)
	s.ResourceName, s.ImportState, s.ImportStatePersist, s.ImportStateId = address, true, true, id
	return s
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
