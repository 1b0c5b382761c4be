package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// Where a deployment runs can't be changed, and some services don't report it.

// replacePlacement replaces the deployment if planPlacement requires it, or if the plan replaces its listener, which can be deleted only
// once no deployment uses it.
func (r *deploymentResource) replacePlacement(
	ctx context.Context, planned, state model, resp *resource.ModifyPlanResponse,
) diag.Diagnostics {
	at, replace, diags := r.planPlacement(planned, state)
	if is, was := planned.sourceConfig().ListenerID, state.sourceConfig().ListenerID; (planned.SourceConfig.IsUnknown() || is.IsUnknown()) &&
		lookup.ListenerID.Goes(ctx, state.WorkspaceID, was) {
		at, replace = path.Root("source_config").AtName("listener_id"), true
	}
	if replace {
		resp.RequiresReplace.Append(at)
	}
	return diags
}

// planPlacement decides whether another listener_config replaces the deployment, and which attribute does. If the service
// doesn't return it, it is unknown after an import: the configured value is then adopted.
func (r *deploymentResource) planPlacement(planned, state model) (at path.Path, replace bool, diags diag.Diagnostics) {
	wanted, has := planned.sourceConfig(), state.sourceConfig()
	at = path.Root("source_config").AtName("listener_config")
	is, was := wanted.ListenerConfig, has.ListenerConfig
	if !is.IsNull() && !was.IsNull() {
		at = at.AtName("k8s_namespace")
	}
	if planned.SourceConfig.IsUnknown() {
		return at, false, append(diags, framework.Undecided(path.Root("source_config"))...)
	}
	if is.Equal(was) {
		return at, false, diags
	}
	if !known(is) {
		return at, false, append(diags, framework.Undecided(at)...)
	}
	if r.dialect().HidesSettings && was.IsNull() && wanted.ListenerID.Equal(has.ListenerID) {
		diags.AddAttributeWarning(at, "Not checked against the service",
			fmt.Sprintf("The service doesn't report where deployment %q runs, so the configured %s is adopted unchecked. "+
				"Terraform can't detect an incorrect value.", planned.Name.ValueString(), at))
		return at, false, diags
	}
	return at, true, diags
}
