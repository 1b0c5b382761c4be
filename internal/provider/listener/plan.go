package listener

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// plan completes a plan: it sets the default compute_type, makes updated_at unknown if the apply will change it, refuses what the service would,
// and notes new namespaces for the plans of deployments.
func plan(ctx context.Context, planning *framework.Planning[model]) (model, diag.Diagnostics) {
	planned := planning.Plan
	if planning.State == nil {
		if planning.Config.ComputeType.IsNull() {
			planned.ComputeType = types.StringValue(string(api.ComputeTypeK8s))
		}
		return planned, refuseType(ctx, planned, model{})
	}
	state := *planning.State
	if diags := refuseType(ctx, planned, state); diags.HasError() {
		return planned, diags
	}
	if planned.differs(state) {
		planned.UpdatedAt = types.StringUnknown()
	}
	if planned.ComputeConfig.Equal(state.ComputeConfig) {
		return planned, nil
	}
	if diags := refuseNamespaces(planned); diags.HasError() {
		return planned, diags
	}
	if planning.Client == nil || planned.WorkspaceID.IsUnknown() {
		return planned, nil
	}
	var namespaces []string // Nil while they are unknown.
	if allKnown(planned.namespaces()) {
		namespaces = framework.Texts[string](planned.namespaces())
	}
	lookup.PlanNamespaces(planning.ProviderData, planning.In(planned.WorkspaceID), planned.ID.ValueString(), namespaces)
	return planned, nil
}

// allKnown reports whether the list and everything in it is known.
func allKnown(list types.List) bool {
	return !list.IsUnknown() && !slices.ContainsFunc(list.Elements(), attr.Value.IsUnknown)
}

// refuseType refuses a new compute type that the service doesn't register. A listener that already has it was registered elsewhere.
func refuseType(ctx context.Context, planned, state model) diag.Diagnostics {
	if planned.ComputeType.Equal(state.ComputeType) {
		return nil
	}
	var resp validator.StringResponse
	framework.OneOf(api.ComputeTypes...).ValidateString(ctx, validator.StringRequest{
		Path: path.Root("compute_type"), ConfigValue: planned.ComputeType,
	}, &resp)
	return resp.Diagnostics
}

// refuseNamespaces refuses namespaces for a listener of another compute type than k8s, which can only be one that exists.
func refuseNamespaces(planned model) diag.Diagnostics {
	kind := planned.ComputeType.ValueString()
	if kind == string(api.ComputeTypeK8s) {
		return nil
	}
	if namespaces := planned.namespaces(); namespaces.IsNull() || namespaces.IsUnknown() {
		return nil
	}
	at := path.Root("compute_config").AtName("k8s_namespaces")
	return framework.ErrorAt(at, "Namespaces of another compute type", "%s is set, but the listener's compute_type is %q, and only "+
		"listeners of compute_type %q have namespaces. Remove it.", at, kind, api.ComputeTypeK8s)
}
