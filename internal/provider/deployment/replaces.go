package deployment

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// replaces says whether the planned values require a replacement. planPlacement decides for listener_config.
func (m model) replaces(state model) bool {
	workspace := state.WorkspaceID
	if workspace.IsNull() {
		workspace = m.WorkspaceID // Not known before the first refresh.
	}
	fixed := [][2]attr.Value{
		{m.Name, state.Name}, {m.Source, state.Source}, {m.WorkspaceID, workspace}, {orFalse(m.Shareable), orFalse(state.Shareable)},
	}
	if !m.SourceConfig.IsUnknown() {
		is, was := m.sourceConfig(), state.sourceConfig()
		fixed = append(fixed, [][2]attr.Value{
			{is.IntegrationID, was.IntegrationID}, {is.RepoURL, was.RepoURL}, {is.DeploymentType, was.DeploymentType},
			{is.ListenerID, was.ListenerID}, {is.TemplateID, was.TemplateID},
		}...)
	}
	for _, values := range fixed {
		if planned, was := values[0], values[1]; !planned.IsUnknown() && !planned.Equal(was) {
			return true
		}
	}
	return false
}

func orFalse(v types.Bool) types.Bool {
	if v.IsNull() {
		return types.BoolValue(false)
	}
	return v
}

// replaceWithListener replaces the deployment if the plan replaces its listener. The listener can be deleted only once no
// deployment uses it, so a deployment that kept it until the new ID is known would block the deletion.
func (r *deploymentResource) replaceWithListener(
	ctx context.Context, req resource.ModifyPlanRequest, planned, state model, resp *resource.ModifyPlanResponse,
) {
	if r.Memo == nil || planned.SourceConfig.IsUnknown() {
		return
	}
	_, goes := lookup.GoingListeners(r.Memo).Load(state.sourceConfig().ListenerID.ValueString())
	if !goes || !planned.sourceConfig().ListenerID.IsUnknown() {
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
