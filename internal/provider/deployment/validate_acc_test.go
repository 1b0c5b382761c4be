package deployment_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccValidate_customURL checks that the URL set by the service, which generated configuration contains, is accepted, and no other one.
func TestAccValidate_customURL(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	r := plane.RPC()
	config := func(url any) map[string]any {
		return map[string]any{
			"name": "tf-acc-url", "source": "git_host",
			"source_config": map[string]any{
				"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/acme/agent", "custom_url": url,
			},
			"source_revision_config": map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"},
		}
	}
	plan := func(url any, prior *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
		resp, err := r.Server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: driven, PriorState: prior, Config: r.Value(config(url)), ProposedNewState: r.Value(config(url)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	none := &tfprotov6.DynamicValue{JSON: []byte("null")}
	there := r.Value(config("https://set-by-the-service.example.com"))
	r.OK(nil, plan(nil, none))
	r.OK(nil, plan("https://set-by-the-service.example.com", there))
	for name, diags := range map[string][]*tfprotov6.Diagnostic{
		"created": plan("https://mine.example.com", none), "changed": plan("https://mine.example.com", there),
	} {
		if !strings.Contains(told(diags), `the service sets it itself for deployments of source "git_host"`) {
			t.Errorf("%s: diagnostics = %s, want that the service sets the URL", name, told(diags))
		}
	}
}
