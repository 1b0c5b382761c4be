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
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// check refuses what the service would refuse, and warns of what the plan can't check. Nothing may be destroyed before it is
// known that its replacement can be created.
func (r *deploymentResource) check(ctx context.Context, private framework.PrivateReader, p creation) diag.Diagnostics {
	var diags diag.Diagnostics
	if !p.planned.Name.Equal(p.state.Name) { // A deployment already works with its name.
		diags.Append(refuseName(p.planned.Name)...)
		diags.Append(warnOfName(r.dialect(), p.planned)...)
	}
	diags.Append(resourcespec.RefuseDerived(p.planned.sourceConfig().ResourceSpec)...)
	diags.Append(r.refuseNumbers(p.planned, p.state)...)
	diags.Append(r.unlessGone(ctx, p.state, private, refuseBlockedName(r.dialect(), p))...)
	request, d := p.planned.toCreate()
	diags.Append(d...)
	diags.Append(refuseBody(r.dialect(), p.planned, request)...)
	return append(diags, r.lookUp(ctx, p)...)
}

// lookUp checks the known values of a creation against the service.
func (r *deploymentResource) lookUp(ctx context.Context, p creation) diag.Diagnostics {
	switch {
	case r.Memo != nil && r.Memo.Applying.Load():
		return nil // The plan has looked up what it could; what this apply has just created may not be listed yet.
	case r.Client == nil:
		return p.unknown(path.Root("name"))
	case p.planned.WorkspaceID.IsUnknown():
		return p.unknown(path.Root("workspace_id"))
	}
	c := r.In(p.planned.WorkspaceID)
	var diags diag.Diagnostics
	if p.planned.SourceConfig.IsUnknown() {
		diags.Append(p.unknown(path.Root("source_config"))...)
	} else {
		sourceConfig := p.planned.sourceConfig()
		diags.Append(r.lookUpListener(ctx, c, p, sourceConfig)...)
		diags.Append(r.lookUpIntegration(ctx, c, p, sourceConfig)...)
	}
	return append(diags, r.lookUpName(ctx, c, p)...)
}

// lookUpListener refuses a listener or namespace that doesn't exist, and one that is missing although the service requires
// it.
func (r *deploymentResource) lookUpListener(ctx context.Context, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("listener_id")
	switch {
	case p.planned.Source.ValueString() != string(api.SourceExternalContainer):
		return nil
	case sourceConfig.ListenerID.IsUnknown():
		return p.unknown(at)
	}
	listeners, err := framework.Remember(r.Memo, lookup.ListenersKey(c), func() ([]api.Listener, error) {
		return client.Collect(c.ListListeners(ctx))
	})
	if err != nil {
		return p.notChecked(at, err)
	}
	describe := func(l api.Listener) string { return l.ID + " (" + l.ComputeID + ")" }
	id := sourceConfig.ListenerID.ValueString()
	switch i := slices.IndexFunc(listeners, func(l api.Listener) bool { return strings.EqualFold(l.ID, id) }); {
	case i >= 0 && !known(sourceConfig.ListenerConfig):
		return p.unknown(path.Root("source_config").AtName("listener_config"))
	case i >= 0:
		return refuseNamespace(listeners[i], sourceConfig.ListenerConfig)
	case !sourceConfig.ListenerID.IsNull():
		return unknownReference(at, id, "listener", listeners, describe)
	case len(listeners) > 0:
		return errorAt(at, "Missing "+at.String(), "%s is not set, but this workspace has listeners, and a deployment of source %q must "+
			"specify one. Set it to one of: %s.", at, api.SourceExternalContainer, choices(listeners, describe))
	}
	return nil
}

// Plans look up what only the service knows, so that an apply that is bound to fail already fails in the plan.

// refuseNamespace refuses a namespace that the listener doesn't deploy to, and a missing one if it is required. A listener
// that doesn't report its namespaces is not checked.
func refuseNamespace(listener api.Listener, placed types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	config := framework.FromObject[listenerConfigModel](placed)
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
		diags.AddAttributeError(at, "Missing "+at.String(), fmt.Sprintf("%s is not set, but listener %s (%s) requires a namespace. Set "+
			"its k8s_namespace to one of: %s.", at, listener.ID, listener.ComputeID, choice))
	default:
		diags.AddAttributeError(at.AtName("k8s_namespace"), "Unknown namespace", fmt.Sprintf("Listener %s (%s) doesn't deploy to "+
			"namespace %q, only to: %s.", listener.ID, listener.ComputeID, config.K8sNamespace.ValueString(), choice))
	}
	return diags
}

func (r *deploymentResource) lookUpIntegration(ctx context.Context, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("integration_id")
	switch {
	case sourceConfig.IntegrationID.IsNull():
		return nil
	case sourceConfig.IntegrationID.IsUnknown():
		return p.unknown(at)
	}
	integrations, err := framework.Remember(r.Memo, "integrations/"+c.WorkspaceID(), func() ([]api.Integration, error) {
		return client.Collect(c.ListIntegrations(ctx))
	})
	if err != nil {
		return p.notChecked(at, err)
	}
	id := sourceConfig.IntegrationID.ValueString()
	if slices.ContainsFunc(integrations, func(i api.Integration) bool { return strings.EqualFold(i.ID, id) }) {
		return r.lookUpRepository(ctx, c, p, sourceConfig)
	}
	return unknownReference(at, id, "integration", integrations, func(i api.Integration) string { return i.ID + " (" + i.Name + ")" })
}

// lookUpRepository refuses a replacement by a deployment whose repository the integration can't access. For a new deployment, the
// service says so in time.
func (r *deploymentResource) lookUpRepository(ctx context.Context, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("repo_url")
	has := p.state.sourceConfig()
	id, url := sourceConfig.IntegrationID, sourceConfig.RepoURL
	switch {
	case !p.replaces() || url.IsNull() || id.Equal(has.IntegrationID) && url.Equal(has.RepoURL):
		return nil
	case url.IsUnknown():
		return p.unknown(at)
	}
	accessible, err := framework.Remember(r.Memo, "repositories/"+id.ValueString(), func() ([]api.Repository, error) {
		return client.Collect(c.ListRepositories(ctx, id.ValueString()))
	})
	if err != nil {
		return p.notChecked(at, err)
	}
	if slices.ContainsFunc(accessible, func(r api.Repository) bool { return sameRepository(r.URL, url.ValueString()) }) {
		return nil
	}
	return errorAt(at, "Unknown repository", "%s is %q, but integration %s can't access such a repository. The data source "+
		"agentplane_integration_repositories lists the %d that it can. Correct the URL, or give the app of the integration access to the "+
		"repository.", at, url.ValueString(), id.ValueString(), len(accessible))
}

// sameRepository reports whether two URLs name the same repository, whatever the protocol, as git hosts see them: their names ignore case.
func sameRepository(a, b string) bool { return strings.EqualFold(repositoryName(a), repositoryName(b)) }

// repositoryName returns the host and the path of a repository's URL.
func repositoryName(address string) string {
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	} else {
		address = strings.Replace(address, ":", "/", 1) // user@host:path
	}
	host, path, _ := strings.Cut(address, "/")
	_, after, found := strings.Cut(host, "@")
	if found {
		host = after
	}
	return host + "/" + strings.TrimSuffix(strings.Trim(path, "/"), ".git")
}

func unknownReference[T any](at path.Path, id, noun string, there []T, describe func(T) string) diag.Diagnostics {
	choice := "This workspace has none: also check workspace_id."
	if len(there) > 0 {
		choice = "Available: " + choices(there, describe) + "."
	}
	return errorAt(at, "Unknown "+noun, "%s is %q, but no %s of this workspace has that ID. %s", at, id, noun, choice)
}

func choices[T any](there []T, describe func(T) string) string {
	names := make([]string, len(there))
	for i, t := range there {
		names[i] = describe(t)
	}
	return strings.Join(names, ", ")
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
		diags.AddAttributeWarning(resourcespec.Path, "resource_spec is not reported", fmt.Sprintf("The service doesn't report the "+
			"resource_spec of deployment %q, and this apply replaces all of it. Fields that are set in the service but not in the "+
			"configuration will be lost. To keep them, add them to the configuration.", name))
	}
	return diags
}

func notChecked(at path.Path, err error) diag.Diagnostics {
	return warningAt(at, "Not checked against the service", "Looking up %s failed, so a mistake in it will only show during the apply: %s",
		at, framework.Sentence(err.Error()))
}
