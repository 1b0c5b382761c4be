package listener

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// plan makes the computed attributes unknown that the apply will change.
func plan(ctx context.Context, planning *framework.Planning[model]) (model, diag.Diagnostics) {
	planned := planning.Plan
	if planning.State == nil {
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
	announce(ctx, planning.ProviderData, planned)
	return planned, nil
}

// announce publishes the planned namespaces to deployments in the same plan. The service has only the current ones, so a deployment to a
// new namespace would be refused.
func announce(ctx context.Context, p *framework.ProviderData, planned model) {
	if p.Client == nil || planned.WorkspaceID.IsUnknown() {
		return
	}
	var namespaces []string // Nil while they are unknown.
	if allKnown(planned.namespaces()) {
		namespaces = framework.Texts[string](planned.namespaces())
	}
	c := p.In(planned.WorkspaceID)
	framework.Amend(p.Memo, lookup.ListenersKey(c), func() ([]api.Listener, error) {
		return client.Collect(c.Listeners().List(ctx))
	}, func(listeners []api.Listener) []api.Listener {
		listeners = slices.Clone(listeners)
		for i := range listeners {
			if listeners[i].ID == planned.ID.ValueString() {
				listeners[i].ComputeConfig.K8sNamespaces = namespaces
			}
		}
		return listeners
	})
}

// allKnown reports whether the list and everything in it is known.
func allKnown(list types.List) bool {
	return !list.IsUnknown() && !slices.ContainsFunc(list.Elements(), attr.Value.IsUnknown)
}

// keepType plans the compute type where it isn't configured: a listener keeps its type, and a new one has the type that the service
// registers.
type keepType struct{}

func (keepType) Description(context.Context) string { return "Keeps the type of a listener." }

func (m keepType) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepType) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	switch {
	case !req.ConfigValue.IsNull():
	case req.StateValue.IsNull():
		resp.PlanValue = types.StringValue(string(api.ComputeTypeK8s))
	default:
		resp.PlanValue = req.StateValue
	}
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
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Namespaces of another compute type", fmt.Sprintf("%s is set, but the listener's compute_type is %q, and only "+
		"listeners of compute_type %q have namespaces. Remove it.", at, kind, api.ComputeTypeK8s))}
}
