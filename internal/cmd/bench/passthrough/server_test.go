package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const deployment = "agentplane_deployment"

// nameAndID decodes a deployment.
func nameAndID(t *testing.T, s *server, state *tfprotov6.DynamicValue) (name, id tftypes.Value) {
	t.Helper()
	_, attributes, err := s.decode(deployment, state)
	if err != nil {
		t.Fatal(err)
	}
	return attributes["name"], attributes["id"]
}

// TestServer checks that a deployment gets the recorded ID and private state when it is created, and doesn't change afterwards.
func TestServer(t *testing.T) {
	t.Parallel()
	recorded := filepath.Join(t.TempDir(), "terraform.tfstate")
	state := `{"resources":[{"instances":[{"attributes":{"name":"chat","id":"d1"},"private":"e30="},{"attributes":{"name":"other"}}]}]}`
	if err := os.WriteFile(recorded, []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	s := recordedServer(recorded)
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
	if !id.Equal(tftypes.NewValue(tftypes.String, "d1")) || string(applied.Private) != "{}" {
		t.Errorf("id = %s and private state %s, want the recorded ones", id, applied.Private)
	}

	created := applied.NewState
	read, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: deployment, CurrentState: created})
	if err != nil {
		t.Fatal(err)
	}
	unchanged, err := s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: deployment, PriorState: created, ProposedNewState: created, Config: config,
	})
	if err != nil {
		t.Fatal(err)
	}
	for call, got := range map[string]*tfprotov6.DynamicValue{"read": read.NewState, "plan": unchanged.PlannedState} {
		if diff := cmp.Diff(created, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call, diff)
		}
	}
	destroyed, err := s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: deployment, PriorState: created, PlannedState: none, Config: none,
	})
	if err != nil || string(destroyed.NewState.JSON) != "null" {
		t.Errorf("state after destroying = %v, %v; want null", destroyed.NewState, err)
	}
}
