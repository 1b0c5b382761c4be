package provider_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// workspace is the attribute of all resources that the tests of unknown workspaces set.
const workspace = "workspace_id"

// TestAccUnknownWorkspace plans every resource that has a workspace while that is unknown in the configuration: it stays unknown in the
// plan, and nothing is looked up in the provider's workspace.
func TestAccUnknownWorkspace(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	p := &asker{plane.RPC(), t}
	right := p.right(plane)
	planned := 0
	for name, schema := range p.Schema.ResourceSchemas {
		required, has := map[string]any{}, false
		for _, a := range schema.Block.Attributes {
			has = has || a.Name == workspace
			switch {
			case a.Required && a.ValueType().Is(tftypes.Number):
				required[a.Name] = 1
			case a.Required:
				required[a.Name] = "2b7f0a5d-1c3e-4f0a-9b1e-6c8d2e4f6a80"
			}
		}
		if !has {
			continue
		}
		if right[name] == nil {
			right[name] = required
		}
		planned++
		t.Run(name, func(t *testing.T) {
			before := len(plane.Server.Requests())
			configured := p.Attributes(p.Value(right[name]), schema.ValueType())
			config, known := with(configured, tftypes.UnknownValue), with(configured, providertest.WorkspaceID)
			null := tftypes.NewValue(schema.ValueType(), nil)
			p.plans(t, name, null, config, config)
			if after := plane.Server.Requests(); len(after) > before {
				t.Errorf("requests were sent for an unknown workspace: %v", after[before:])
			}
			for title, was := range map[string]any{"in a workspace": providertest.WorkspaceID, "in the key's workspace": nil} {
				state := map[string]tftypes.Value{}
				for attribute, value := range p.plan(name, null, known, known) {
					if !value.IsFullyKnown() {
						value = tftypes.NewValue(value.Type(), nil)
					}
					state[attribute] = value
				}
				state = with(state, was)
				t.Run(title, func(t *testing.T) {
					p.plans(t, name, tftypes.NewValue(schema.ValueType(), state), config, with(state, tftypes.UnknownValue))
				})
			}
		})
	}
	if planned < 7 {
		t.Errorf("%d resources have been planned", planned)
	}
}

// TestAccUnknownWorkspace_applied_unraced applies while another resource gives the workspace, and then while it may give another one.
func TestAccUnknownWorkspace_applied_unraced(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	step := func(generation int, action plancheck.ResourceActionType) resource.TestStep {
		var checks []plancheck.PlanCheck
		for _, name := range []string{"deployment", "listener", "oauth_provider", "model_price", "llm_run"} {
			at := "agentplane_" + name + ".test"
			checks = append(checks, plancheck.ExpectUnknownValue(at, tfjsonpath.New(workspace)), plancheck.ExpectResourceAction(at, action))
		}
		return resource.TestStep{
			ProtoV6ProviderFactories: plane.Factories(),

			ConfigDirectory: config.StaticDirectory("testdata/unknown_workspace"),
			ConfigVariables: plane.Variables(config.Variables{
				workspace: config.StringVariable(providertest.WorkspaceID), "generation": config.IntegerVariable(generation),
			}),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: checks},
		}
	}
	providertest.Test(t, resource.TestCase{Steps: []resource.TestStep{
		step(1, plancheck.ResourceActionCreate), step(2, plancheck.ResourceActionUpdate),
	}})
}

// with returns attributes with another workspace.
func with(attributes map[string]tftypes.Value, id any) map[string]tftypes.Value {
	changed := maps.Clone(attributes)
	changed[workspace] = tftypes.NewValue(tftypes.String, id)
	return changed
}

// plans expects an unknown workspace in a plan, without an error.
func (p *asker) plans(t *testing.T, name string, prior tftypes.Value, config, proposed map[string]tftypes.Value) {
	t.Helper()
	if got := p.plan(name, prior, config, proposed)[workspace]; got.IsKnown() {
		t.Errorf("the planned %s is %s, want unknown", workspace, got)
	}
}

// plan returns a planned state.
func (p *asker) plan(name string, prior tftypes.Value, config, proposed map[string]tftypes.Value) map[string]tftypes.Value {
	p.t.Helper()
	as := p.Schema.ResourceSchemas[name].ValueType()
	configured, err := p.Server.ConfigureProvider(p.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: p.Value(map[string]any{})})
	p.OK(err, configured.Diagnostics) // In a plan of its own.
	resp, err := p.Server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: p.encoded(name, prior), Config: p.encoded(name, tftypes.NewValue(as, config)),
		ProposedNewState: p.encoded(name, tftypes.NewValue(as, proposed)),
	})
	p.OK(err, resp.Diagnostics)
	replaceable := name == "agentplane_agent_connection" || name == "agentplane_agent_provider_token" // Without any loss.
	want := replaceable && !prior.IsNull() && !config[workspace].IsKnown()
	if got := slices.ContainsFunc(resp.RequiresReplace, func(at *tftypes.AttributePath) bool { return strings.Contains(at.String(), workspace) }); got != want {
		p.t.Errorf("%s: replaced because of its workspace: %t, want %t", name, got, want)
	}
	if told := providertest.Told(resp.Diagnostics); want && name == "agentplane_agent_provider_token" && !strings.Contains(told, "Replacement not checked") {
		p.t.Errorf("%s: the plan says %q, want that the replacement isn't checked", name, told)
	}
	return p.Attributes(resp.PlannedState, as)
}

// encoded encodes a value of a resource.
func (p *asker) encoded(name string, value tftypes.Value) *tfprotov6.DynamicValue {
	p.t.Helper()
	dynamic, err := tfprotov6.NewDynamicValue(p.Schema.ResourceSchemas[name].ValueType(), value)
	if err != nil {
		p.t.Fatal(err)
	}
	return &dynamic
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
