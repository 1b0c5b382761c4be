package run

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
)

// validate finds what would be stored and not understood, which is the opposite of what a run is logged for.
func (m logModel) validate() diag.Diagnostics {
	var diags diag.Diagnostics
	diags.Append(checkContent("inputs_json", m.InputsJSON, message.Inputs)...)
	diags.Append(checkContent("outputs_json", m.OutputsJSON, message.Outputs)...)
	if m.Duration.IsUnknown() || m.TimeToFirstToken.IsUnknown() || m.Duration.IsNull() {
		return diags
	}
	duration, first, more := m.times()
	diags.Append(more...)
	if !diags.HasError() && duration > 0 && first > duration {
		diags.AddAttributeError(path.Root("time_to_first_token"), "Invalid time_to_first_token", fmt.Sprintf(
			"The first token arrives after %s, and the run ends after %s. Set a longer duration, or leave it out: it is then that of the "+
				"first token.", first, duration))
	}
	return diags
}

// checkContent holds one side of the run against the formats that the service understands.
func checkContent(attribute string, value jsontypes.Normalized, side message.Side) diag.Diagnostics {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	problems, err := message.Validate([]byte(value.ValueString()), side)
	if err != nil {
		return nil // It is no JSON, which the type of the attribute says.
	}
	var diags diag.Diagnostics
	for _, problem := range problems {
		diags.AddAttributeError(path.Root(attribute), "Invalid "+attribute, problem.String()+".")
	}
	return diags
}
