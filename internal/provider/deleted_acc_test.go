package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDeleted applies an update of an object that was deleted after the plan, and of one for which the service only answers 404: the
// error says that it was deleted if the service shows that, and that it may have been otherwise.
func TestAccDeleted(t *testing.T) {
	t.Parallel()
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	for name, test := range map[string]struct {
		key, path, operation string
		change               func(configured map[string]tftypes.Value)
	}{
		"agentplane_deployment": {"id", "/v2/deployments/", "PATCH /v2/deployments/{deployment_id}", func(c map[string]tftypes.Value) {
			image := map[string]tftypes.Value{}
			_ = c["source_revision_config"].As(&image)
			image["image_uri"] = text("registry.example.com/agents/chat:9.9.9")
			c["source_revision_config"] = tftypes.NewValue(c["source_revision_config"].Type(), image)
		}},
		"agentplane_listener": {"id", "/v2/listeners/", "PATCH /v2/listeners/{listener_id}", func(c map[string]tftypes.Value) {
			c["version"] = text("2")
		}},
		"agentplane_oauth_provider": {"provider_id", "/v2/auth/providers/", "PATCH /v2/auth/providers/{provider_id}", func(c map[string]tftypes.Value) {
			c["name"] = text("Other")
		}},
		"agentplane_model_price": {"id", "/api/v1/model-price-map/", "PUT /api/v1/model-price-map/{id}", func(c map[string]tftypes.Value) {
			c["prompt_cost"] = text("3e-6")
		}},
	} {
		for deleted, want := range map[bool]string{true: "no longer exists: it was deleted after this plan. Plan again.", false: "it may have been deleted after this plan. Plan again."} {
			title := map[bool]string{true: "deleted", false: "only 404"}[deleted]
			t.Run(name+"/"+title, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				p := &asker{plane.RPC(), t}
				right := p.right(plane)[name]
				as := p.Schema.ResourceSchemas[name].ValueType()
				null, config := tftypes.NewValue(as, nil), p.Attributes(p.Value(right), as)
				state := p.apply(name, null, config, p.plan(name, null, config, config))
				attributes := p.Attributes(state.NewState, as)
				test.change(config)
				proposed := map[string]tftypes.Value{}
				for attribute, value := range attributes {
					proposed[attribute] = value
					if c := config[attribute]; !c.IsNull() {
						proposed[attribute] = c
					}
				}
				prior := tftypes.NewValue(as, attributes)
				planned := p.plan(name, prior, config, proposed)
				var key string
				if err := attributes[test.key].As(&key); err != nil {
					t.Fatal(err)
				}
				if deleted {
					plane.Call(http.MethodDelete, test.path+key, nil, nil)
					plane.Clock.Advance(providertest.Rollout)
				} else {
					plane.Arm(devserver.Fault{Match: test.operation, Status: http.StatusNotFound, Detail: "It was not found.", Times: 9})()
				}
				said := providertest.Told(p.apply(name, prior, config, planned).Diagnostics)
				if !strings.Contains(said, want) || !strings.Contains(said, "ERROR") {
					t.Errorf("diagnostics = %s, want %q", said, want)
				}
			})
		}
	}
}

// right returns a valid configuration of each resource that the tables have.
func (p *asker) right(plane *providertest.Plane) map[string]map[string]any {
	right := map[string]map[string]any{}
	for _, table := range readTables(p.t, map[string]string{
		"listener_id": plane.ListenerID, "k8s_namespace": plane.K8sNamespace, "integration_id": plane.IntegrationID, "missing": "2b7f0a5d-1c3e-4f0a-9b1e-6c8d2e4f6a80",
	}) {
		source, _ := table.right["source_revision_config"].(map[string]any)
		_, runs := source["image_uri"]
		if table.kind == "resource" && table.dialect == "" && (runs || source == nil) {
			right[table.typeName] = table.right
		}
	}
	return right
}

// apply applies a plan.
func (p *asker) apply(name string, prior tftypes.Value, config, planned map[string]tftypes.Value) *tfprotov6.ApplyResourceChangeResponse {
	p.t.Helper()
	as := p.Schema.ResourceSchemas[name].ValueType()
	resp, err := p.Server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, PriorState: p.encoded(name, prior), Config: p.encoded(name, tftypes.NewValue(as, config)),
		PlannedState: p.encoded(name, tftypes.NewValue(as, planned)),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return resp
}
