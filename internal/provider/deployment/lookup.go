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
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// What only the service knows is looked up when planning a creation, so that a plan that is bound to fail says so. A
// look-up that fails is no more than a warning: the apply will tell.

// lookUp checks a planned creation against the service, as far as its values are known.
func (r *deploymentResource) lookUp(ctx context.Context, planned model) diag.Diagnostics {
	if r.Client == nil || planned.WorkspaceID.IsUnknown() || planned.SourceConfig.IsUnknown() {
		return nil
	}
	sourceConfig, diags := planned.sourceConfig()
	c := r.In(planned.WorkspaceID)
	diags.Append(r.lookUpListener(ctx, c, planned.Source, sourceConfig)...)
	diags.Append(r.lookUpIntegration(ctx, c, sourceConfig)...)
	diags.Append(r.lookUpName(ctx, c, planned)...)
	return diags
}

// lookUpListener refuses a place that the service doesn't have, or that leaves out what it needs to know.
func (r *deploymentResource) lookUpListener(ctx context.Context, c *client.Client, source types.String, sourceConfig sourceConfigModel) diag.Diagnostics {
	if source.ValueString() != string(api.SourceExternalContainer) || sourceConfig.ListenerID.IsUnknown() {
		return nil
	}
	listeners, err := framework.Remember(r.Memo, framework.ListenersKey(c), func() ([]api.Listener, error) {
		return client.Collect(c.ListListeners(ctx))
	})
	at := path.Root("source_config").AtName("listener_id")
	if err != nil {
		return notChecked(at, err)
	}
	describe := func(l api.Listener) string { return l.ID + " (" + l.ComputeID + ")" }
	id := sourceConfig.ListenerID.ValueString()
	switch i := slices.IndexFunc(listeners, func(l api.Listener) bool { return strings.EqualFold(l.ID, id) }); {
	case i >= 0:
		return refuseNamespace(listeners[i], sourceConfig.ListenerConfig)
	case !sourceConfig.ListenerID.IsNull():
		return unknownReference(at, id, "listener", listeners, describe)
	case len(listeners) > 0:
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Missing "+at.String(),
			fmt.Sprintf("%s is not set, but this workspace has listeners, and a deployment of source %q must name the one that runs it. "+
				"Set it to one of: %s.", at, api.SourceExternalContainer, described(listeners, describe)))}
	}
	return nil
}

// refuseNamespace refuses a namespace that a listener doesn't deploy to, or none where it needs one. Nothing is known of a
// listener whose namespaces are not told.
func refuseNamespace(listener api.Listener, placed types.Object) diag.Diagnostics {
	config, diags := framework.FromObject[listenerConfigModel](placed)
	at, offered := path.Root("source_config").AtName("listener_config"), listener.ComputeConfig.K8sNamespaces
	choice := strings.Join(offered, ", ")
	switch {
	case offered == nil || placed.IsUnknown() || config.K8sNamespace.IsUnknown() || slices.Contains(offered, config.K8sNamespace.ValueString()):
	case len(offered) == 0:
		diags.AddAttributeError(path.Root("source_config").AtName("listener_id"), "Listener without namespaces",
			fmt.Sprintf("Listener %s (%s) has no namespace to deploy to. Add one to its compute_config.k8s_namespaces, or choose "+
				"another listener.", listener.ID, listener.ComputeID))
	case config.K8sNamespace.IsNull():
		diags.AddAttributeError(at, "Missing "+at.String(),
			fmt.Sprintf("%s is not set, but listener %s (%s) needs to know the namespace. Set k8s_namespace in it to one of: %s.", at,
				listener.ID, listener.ComputeID, choice))
	default:
		diags.AddAttributeError(at.AtName("k8s_namespace"), "Namespace of no listener",
			fmt.Sprintf("Listener %s (%s) doesn't deploy to the namespace %q, only to: %s.", listener.ID, listener.ComputeID,
				config.K8sNamespace.ValueString(), choice))
	}
	return diags
}

func (r *deploymentResource) lookUpIntegration(ctx context.Context, c *client.Client, sourceConfig sourceConfigModel) diag.Diagnostics {
	if sourceConfig.IntegrationID.IsNull() || sourceConfig.IntegrationID.IsUnknown() {
		return nil
	}
	integrations, err := framework.Remember(r.Memo, "integrations/"+c.WorkspaceID(), func() ([]api.Integration, error) {
		return client.Collect(c.ListIntegrations(ctx))
	})
	at := path.Root("source_config").AtName("integration_id")
	if err != nil {
		return notChecked(at, err)
	}
	id := sourceConfig.IntegrationID.ValueString()
	if slices.ContainsFunc(integrations, func(i api.Integration) bool { return strings.EqualFold(i.ID, id) }) {
		return nil
	}
	return unknownReference(at, id, "integration", integrations, func(i api.Integration) string { return i.ID + " (" + i.Name + ")" })
}

// currentSpec asks for the resource_spec that the service holds, if the plan begins to manage a field of it that the state
// knows nothing about. It is nil if it isn't needed or can't be had.
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
	if deployment.SourceConfig.ResourceSpec == nil {
		return &api.ResourceSpec{}, diags
	}
	return deployment.SourceConfig.ResourceSpec, diags
}

// currentReferences asks for the references that the service holds, if the plan begins to manage them.
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
		fmt.Sprintf("Looking %s up failed, so a mistake in it will show only in the apply: %s.", at, strings.TrimSuffix(err.Error(), ".")))}
}

func unknownReference[T any](at path.Path, id, noun string, there []T, describe func(T) string) diag.Diagnostics {
	choice := "There is none in this workspace: check workspace_id, too."
	if len(there) > 0 {
		choice = "There are: " + described(there, describe) + "."
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Unknown "+noun,
		fmt.Sprintf("%s is %q, but no %s of this workspace has that id. %s", at, id, noun, choice))}
}

func described[T any](there []T, describe func(T) string) string {
	names := make([]string, len(there))
	for i, t := range there {
		names[i] = describe(t)
	}
	return strings.Join(names, ", ")
}
