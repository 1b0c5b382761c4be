package deployment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// Plans look up what only the service knows, so that an apply that is bound to fail already fails in the plan.

// refuseNamespace refuses a namespace that the listener doesn't deploy to, and a missing one if it is required. A listener
// that doesn't report its namespaces is not checked.
func refuseNamespace(listener api.Listener, placed types.Object) diag.Diagnostics {
	config, diags := framework.FromObject[listenerConfigModel](placed)
	at, offered := path.Root("source_config").AtName("listener_config"), listener.ComputeConfig.K8sNamespaces
	choice := strings.Join(offered, ", ")
	switch {
	case placed.IsUnknown() || config.K8sNamespace.IsUnknown():
	case listener.ComputeType != api.ComputeTypeK8s && !placed.IsNull():
		diags.AddAttributeError(at, "Namespace of another compute type",
			fmt.Sprintf("%s is set, but listener %s (%s) is of compute type %q, and only listeners of compute type %q have namespaces. Remove it, or "+
				"choose another listener.", at, listener.ID, listener.ComputeID, listener.ComputeType, api.ComputeTypeK8s))
	case offered == nil || slices.Contains(offered, config.K8sNamespace.ValueString()):
	case len(offered) == 0:
		diags.AddAttributeError(path.Root("source_config").AtName("listener_id"), "Listener without namespaces",
			fmt.Sprintf("Listener %s (%s) has no namespaces to deploy to. Add one to its compute_config.k8s_namespaces, "+
				"or choose another listener.", listener.ID, listener.ComputeID))
	case config.K8sNamespace.IsNull():
		diags.AddAttributeError(at, "Missing "+at.String(),
			fmt.Sprintf("%s is not set, but listener %s (%s) requires a namespace. Set its k8s_namespace to one of: %s.", at,
				listener.ID, listener.ComputeID, choice))
	default:
		diags.AddAttributeError(at.AtName("k8s_namespace"), "Unknown namespace",
			fmt.Sprintf("Listener %s (%s) doesn't deploy to namespace %q, only to: %s.", listener.ID, listener.ComputeID,
				config.K8sNamespace.ValueString(), choice))
	}
	return diags
}

// currentSpec reads the service's resource_spec if the plan starts to manage a field that isn't in the state. It returns
// nil if the spec isn't needed or can't be read.
func (r *deploymentResource) currentSpec(ctx context.Context, planned, state model) (*api.ResourceSpec, diag.Diagnostics) {
	wanted, diags := planned.sourceConfig()
	has, d := state.sourceConfig()
	diags.Append(d...)
	if r.Client == nil || !resourcespec.StartsManaging(wanted.ResourceSpec, has.ResourceSpec) {
		return nil, diags
	}
	deployment, err := r.In(state.WorkspaceID).GetDeployment(ctx, state.ID.ValueString())
	if err != nil {
		diags.Append(notChecked(resourcespec.Path, err)...)
		return nil, diags
	}
	if deployment.SourceConfig.ResourceSpec == nil { // None, or not reported.
		known, _, d := resourcespec.ToAPI(has.ResourceSpec)
		return &known, append(diags, d...)
	}
	return deployment.SourceConfig.ResourceSpec, diags
}

// warnOfLostSpec warns of fields of resource_spec that the service keeps, although the plan no longer has them, and of fields
// that a sent spec may overwrite because the service doesn't report its own.
func (r *deploymentResource) warnOfLostSpec(ctx context.Context, planned, state model, record resourcespec.Record, sent bool) diag.Diagnostics {
	name := state.Name.ValueString()
	wanted, diags := planned.sourceConfig()
	has, d := state.sourceConfig()
	diags.Append(d...)
	if !planned.SourceConfig.IsUnknown() {
		diags.Append(record.WarnOfReleased(wanted.ResourceSpec, has.ResourceSpec, name)...)
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

func notChecked(at path.Path, err error) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Not checked against the service",
		fmt.Sprintf("Looking up %s failed, so a mistake in it will only show during the apply: %s.", at, strings.TrimSuffix(err.Error(), ".")))}
}

func unknownReference[T any](at path.Path, id, noun string, there []T, describe func(T) string) diag.Diagnostics {
	choice := "This workspace has none: also check workspace_id."
	if len(there) > 0 {
		choice = "Available: " + described(there, describe) + "."
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Unknown "+noun,
		fmt.Sprintf("%s is %q, but no %s of this workspace has that ID. %s", at, id, noun, choice))}
}

func described[T any](there []T, describe func(T) string) string {
	names := make([]string, len(there))
	for i, t := range there {
		names[i] = describe(t)
	}
	return strings.Join(names, ", ")
}
