package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const deployment = "agentplane_deployment"

// nameAndID decodes a deployment.
func nameAndID(t *testing.T, s *server, state *tfprotov6.DynamicValue) (name, id tftypes.Value) {
	t.Helper()
	types, err := s.types()
	if err != nil {
		t.Fatal(err)
	}
	object, err := state.Unmarshal(types[deployment])
	if err != nil {
		t.Fatal(err)
	}
	var attributes map[string]tftypes.Value
	if err := object.As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes["name"], attributes["id"]
}

// TestServer checks that a deployment gets an ID when it is created, and doesn't change afterwards.
func TestServer(t *testing.T) {
	t.Parallel()
	s, ok := newServer().(*server)
	if !ok {
		t.Fatal("newServer returns an unexpected type")
	}
	ctx := t.Context()
	none := &tfprotov6.DynamicValue{JSON: []byte("null")}
	config := &tfprotov6.DynamicValue{JSON: []byte(`{"name":"chat"}`)}

	planned, err := s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: deployment, PriorState: none, ProposedNewState: config, Config: config,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, id := nameAndID(t, s, planned.PlannedState); id.IsKnown() {
		t.Errorf("planned id = %s, want unknown", id)
	}
	applied, err := s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: deployment, PriorState: none, PlannedState: planned.PlannedState, Config: config,
	})
	if err != nil {
		t.Fatal(err)
	}
	name, id := nameAndID(t, s, applied.NewState)
	if !name.Equal(tftypes.NewValue(tftypes.String, "chat")) {
		t.Errorf("name = %s, want chat", name)
	}
	var text string
	if err := id.As(&text); err != nil || uuid.Validate(text) != nil {
		t.Errorf("id = %s, want a UUID", id)
	}

	state := applied.NewState
	read, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: deployment, CurrentState: state})
	if err != nil {
		t.Fatal(err)
	}
	unchanged, err := s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: deployment, PriorState: state, ProposedNewState: state, Config: config,
	})
	if err != nil {
		t.Fatal(err)
	}
	for call, got := range map[string]*tfprotov6.DynamicValue{"read": read.NewState, "plan": unchanged.PlannedState} {
		if diff := cmp.Diff(state, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call, diff)
		}
	}
	destroyed, err := s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: deployment, PriorState: state, PlannedState: none, Config: none,
	})
	if err != nil || string(destroyed.NewState.JSON) != "null" {
		t.Errorf("state after destroying = %v, %v; want null", destroyed.NewState, err)
	}
}
