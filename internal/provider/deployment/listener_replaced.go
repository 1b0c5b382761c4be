package deployment

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// replaceWithListener replaces the deployment if the plan replaces its listener. The listener can be deleted only once no
// deployment uses it, so a deployment that kept it until the new ID is known would block the deletion.
func (r *deploymentResource) replaceWithListener(
	ctx context.Context, req resource.ModifyPlanRequest, planned, state model, resp *resource.ModifyPlanResponse,
) {
	if r.Memo == nil || planned.SourceConfig.IsUnknown() {
		return
	}
	wanted, diags := planned.sourceConfig()
	resp.Diagnostics.Append(diags...)
	has, diags := state.sourceConfig()
	resp.Diagnostics.Append(diags...)
	_, goes := framework.GoingListeners(r.Memo).Load(has.ListenerID.ValueString())
	if !goes || !wanted.ListenerID.IsUnknown() {
		return
	}
	at := path.Root("source_config").AtName("listener_id")
	// The replacement is decided here: the attribute alone could not tell.
	resp.Diagnostics = slices.DeleteFunc(resp.Diagnostics, func(d diag.Diagnostic) bool {
		located, ok := d.(diag.DiagnosticWithPath)
		return ok && located.Path().Equal(at) && d.Severity() == diag.SeverityWarning
	})
	resp.RequiresReplace.Append(at)
	resp.Diagnostics.Append(replaced(ctx, req.State, at)...)
}
