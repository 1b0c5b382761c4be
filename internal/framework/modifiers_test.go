package framework_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// existing is the raw value of a resource that is neither created nor destroyed.
var existing = tftypes.NewValue(tftypes.Object{}, map[string]tftypes.Value{})

func TestReplaceString(t *testing.T) {
	t.Parallel()
	old, renamed := types.StringValue("old"), types.StringValue("new")
	tests := map[string]struct {
		state, plan types.String
		want        bool
	}{
		"the same":     {old, old, false},
		"another":      {old, renamed, true},
		"removed":      {old, types.StringNull(), true},
		"added":        {types.StringNull(), renamed, true},
		"unknown":      {old, types.StringUnknown(), false},
		"unknown, new": {types.StringNull(), types.StringUnknown(), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resp planmodifier.StringResponse
			framework.ReplaceString().PlanModifyString(t.Context(), planmodifier.StringRequest{
				State: tfsdk.State{Raw: existing}, Plan: tfsdk.Plan{Raw: existing}, StateValue: test.state, PlanValue: test.plan,
			}, &resp)
			if resp.RequiresReplace != test.want || resp.Diagnostics.HasError() ||
				(resp.Diagnostics.WarningsCount() > 0) != test.plan.IsUnknown() {
				t.Errorf("replace = %t, want %t; diagnostics = %v, want a warning only if the value is unknown", resp.RequiresReplace, test.want, resp.Diagnostics)
			}
		})
	}
}
