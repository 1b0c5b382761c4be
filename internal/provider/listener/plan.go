package listener

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// ModifyPlan implements resource.ResourceWithModifyPlan: it fills in the workspace, and leaves unknown exactly what the
// apply will change.
func (r *listenerResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var planned model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned.WorkspaceID = r.PlannedWorkspace(planned.WorkspaceID)
	if req.State.Raw.IsNull() {
		r.announceReplacement(planned, emptyModel())
	} else {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.announceReplacement(planned, state)
		if planned.differs(state) {
			planned.UpdatedAt = types.StringUnknown()
		}
		if !planned.ComputeConfig.Equal(state.ComputeConfig) {
			resp.Diagnostics.Append(r.announce(ctx, planned)...)
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &planned)...)
}

// differs says whether the update from state changes, or may change, anything at the service.
func (m model) differs(state model) bool {
	return !m.Version.Equal(state.Version) || !m.ComputeConfig.Equal(state.ComputeConfig)
}

// announce tells deployments of the same plan which namespaces the listener is going to have. The service only knows
// those that it has now, and a deployment to a new one would be refused.
func (r *listenerResource) announce(ctx context.Context, planned model) diag.Diagnostics {
	if r.Client == nil || planned.WorkspaceID.IsUnknown() {
		return nil
	}
	computeConfig, diags := planned.computeConfig(ctx)
	var namespaces []string // Nil where they are not known yet.
	if allKnown(computeConfig.K8sNamespaces) {
		diags.Append(computeConfig.K8sNamespaces.ElementsAs(ctx, &namespaces, false)...)
	}
	c := r.In(planned.WorkspaceID)
	framework.Amend(r.Memo, framework.ListenersKey(c), func() ([]api.Listener, error) {
		return client.Collect(c.ListListeners(ctx))
	}, func(listeners []api.Listener) []api.Listener {
		listeners = slices.Clone(listeners)
		for i := range listeners {
			if listeners[i].ID == planned.ID.ValueString() {
				listeners[i].ComputeConfig.K8sNamespaces = namespaces
			}
		}
		return listeners
	})
	return diags
}

// allKnown says whether the list and everything in it is known.
func allKnown(list types.List) bool {
	return !list.IsUnknown() && !slices.ContainsFunc(list.Elements(), attr.Value.IsUnknown)
}
