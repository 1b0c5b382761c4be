package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// currentSpec reads the service's resource_spec if the plan starts to manage a field that isn't in the state. It returns
// nil if the spec isn't needed or can't be read.
func (r *deploymentResource) currentSpec(ctx context.Context, planned, state model) (*api.ResourceSpec, diag.Diagnostics) {
	wanted, has := planned.sourceConfig(), state.sourceConfig()
	if r.Client == nil || !resourcespec.StartsManaging(wanted.ResourceSpec, has.ResourceSpec) {
		return nil, nil
	}
	deployment, err := r.In(state.WorkspaceID).GetDeployment(ctx, state.ID.ValueString())
	if err != nil {
		return nil, notChecked(resourcespec.Path, err)
	}
	if deployment.SourceConfig.ResourceSpec == nil { // None, or not reported.
		known, _, diags := resourcespec.ToAPI(has.ResourceSpec)
		return &known, diags
	}
	return deployment.SourceConfig.ResourceSpec, nil
}

// warnOfLostSpec warns of fields of resource_spec that the service keeps, although the plan no longer has them, and of fields
// that a sent spec may overwrite because the service doesn't report its own.
func (r *deploymentResource) warnOfLostSpec(ctx context.Context, planned, state model, record resourcespec.Record, sent bool) diag.Diagnostics {
	name := state.Name.ValueString()
	var diags diag.Diagnostics
	if !planned.SourceConfig.IsUnknown() {
		diags.Append(record.WarnOfReleased(planned.sourceConfig().ResourceSpec, state.sourceConfig().ResourceSpec, name)...)
	}
	if !sent || r.Client == nil || record != nil && len(record) == 0 { // Without fields, no spec is also a report.
		return diags
	}
	deployment, err := listed(ctx, &r.ProviderData, r.In(state.WorkspaceID), state.ID.ValueString())
	switch {
	case err != nil:
		diags.Append(notChecked(resourcespec.Path, err)...)
	case deployment.SourceConfig.ResourceSpec == nil:
		diags.AddAttributeWarning(resourcespec.Path, "resource_spec is not reported",
			fmt.Sprintf("The service doesn't report the resource_spec of deployment %q, and this apply replaces all of it. "+
				"Fields that are set in the service but not in the configuration will be lost. To keep them, add them to "+
				"the configuration.", name))
	}
	return diags
}

// currentReferences reads the service's references if the plan starts to manage them.
func (r *deploymentResource) currentReferences(ctx context.Context, planned, state model) ([]api.SecretReference, diag.Diagnostics) {
	if r.Client == nil || planned.SecretReferences.IsNull() || planned.SecretReferences.IsUnknown() || !state.SecretReferences.IsNull() {
		return nil, nil
	}
	deployment, err := r.In(state.WorkspaceID).GetDeployment(ctx, state.ID.ValueString())
	if err != nil {
		return nil, notChecked(path.Root("secret_references"), err)
	}
	return deployment.SecretReferences, nil
}
