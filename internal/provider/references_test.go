package provider

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
)

// TestReferences plans a run whose reference is unknown, after a plan of the deployment to which its state refers.
func TestReferences(t *testing.T) {
	t.Parallel()
	const (
		typeName = "agentplane_deployment"
		d1       = "00000000-0000-4000-8000-0000000000d1"
		d2       = "00000000-0000-4000-8000-0000000000d2"
		w1       = "00000000-0000-4000-8000-0000000000e1"
		r1       = "00000000-0000-4000-8000-0000000000a1"
		p1       = "00000000-0000-4000-8000-0000000000b1"
	)
	type values = map[string]any
	with := func(name string, value any) values {
		return values{
			"id": d1, "name": "chat", "workspace_id": w1, "tracing_project_id": p1, "source": "external_container", "status": "READY",
			"wait_for_deployed": true, "on_failed_create": "taint", "environment_ownership": "all", "delete_tracing_project": false, name: value,
		}
	}
	same := with("id", d1)
	run := values{
		"id": r1, "deployment_id": d1, "project_name": "chat", "project_id": p1, "workspace_id": w1, "inputs_json": "{}", "status": "success",
		"name": "terraform",
	}
	for name, test := range map[string]struct {
		stored, prior, planned values // Nil for a call that isn't made, or for nothing.
		run                    values
		want                   bool
	}{
		"changed in place":           {same, same, with("status", tftypes.UnknownValue), run, false},
		"undecided":                  {same, same, with("name", tftypes.UnknownValue), run, false},
		"replaced":                   {same, same, with("source", "git_host"), run, true},
		"replaced under another key": {same, same, with("name", "other"), run, true},
		"destroyed":                  {same, same, nil, run, true},
		"tainted":                    {same, nil, same, run, true},
		"another one is created":     {same, nil, with("name", "other"), run, false},
		"in another workspace":       {same, nil, with("workspace_id", "00000000-0000-4000-8000-0000000000e2"), run, false},
		"not in the state":           {nil, nil, same, run, false},
		"another one is replaced":    {nil, with("id", d2), with("source", "git_host"), values{"id": r1, "name": "terraform", "deployment_id": d1, "workspace_id": w1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider("test", nil)
			server := served(t, p)
			if test.stored != nil {
				stored, err := json.Marshal(test.stored)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := server.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
					TypeName: typeName, RawState: &tfprotov6.RawState{JSON: stored},
				}); err != nil {
					t.Fatal(err)
				}
			}
			plan := func(typeName string, prior, planned values) *tfprotov6.PlanResourceChangeResponse {
				now := encoded(t, server, typeName, planned)
				resp, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
					TypeName: typeName, PriorState: encoded(t, server, typeName, prior), ProposedNewState: now, Config: now,
				})
				if err != nil {
					t.Fatal(err)
				}
				return resp
			}
			plan(typeName, test.prior, test.planned)
			for _, reference := range []string{"deployment_id", "project_name", "project_id"} {
				if test.run[reference] == nil {
					continue
				}
				planned := maps.Clone(test.run)
				planned[reference] = tftypes.UnknownValue
				resp := plan("agentplane_llm_run", test.run, planned)
				undecided := slices.ContainsFunc(resp.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Summary == framework.NotDecided })
				if replaced := len(resp.RequiresReplace) > 0; replaced != test.want || undecided == test.want {
					t.Errorf("unknown %s: replaced = %t, undecided = %t, want replaced = %t", reference, replaced, undecided, test.want)
				}
			}
		})
	}
}

// encoded returns an object with some attributes; nil is null.
func encoded(t *testing.T, server *protocol.Server, typeName string, values map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	kind, ok := schemas.ResourceSchemas[typeName].ValueType().(tftypes.Object)
	if !ok {
		t.Fatal("the resource has no object")
	}
	object := tftypes.NewValue(kind, nil)
	if values != nil {
		attributes := map[string]tftypes.Value{}
		for name, as := range kind.AttributeTypes {
			attributes[name] = tftypes.NewValue(as, values[name])
		}
		object = tftypes.NewValue(kind, attributes)
	}
	dynamic, err := tfprotov6.NewDynamicValue(kind, object)
	if err != nil {
		t.Fatal(err)
	}
	return &dynamic
}
