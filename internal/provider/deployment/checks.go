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

// check refuses a creation that the service would refuse, and warns if that can't be checked. Nothing may be destroyed before it is known
// that its replacement can be created.
func check(ctx context.Context, op *framework.Operation[model], p creation) diag.Diagnostics {
	var diags diag.Diagnostics
	if !p.planned.Name.Equal(p.state.Name) { // A deployment already works with its name.
		diags.Append(refuseName(p.planned.Name)...)
		diags.Append(warnOfName(dialectOf(op.ProviderData), p.planned)...)
	}
	diags.Append(resourcespec.RefuseDerived(p.planned.sourceConfig().ResourceSpec)...)
	diags.Append(refuseNumbers(op.ProviderData, p.planned, p.state)...)
	diags.Append(op.UnlessGone(ctx, p.state, refuseBlockedName(dialectOf(op.ProviderData), p))...)
	request, d := p.planned.toCreate()
	diags.Append(d...)
	diags.Append(refuseBody(dialectOf(op.ProviderData), p.planned, request)...)
	return append(diags, checkReferences(ctx, op.ProviderData, p)...)
}

// checkReferences checks the known values of a creation against the service.
func checkReferences(ctx context.Context, provider *framework.ProviderData, p creation) diag.Diagnostics {
	switch {
	case provider.Memo != nil && provider.Memo.Applying.Load():
		return nil // The plan has checked it; objects that this apply has just created may not be listed yet.
	case provider.Client == nil:
		return p.uncheckable(path.Root("name"))
	case p.planned.WorkspaceID.IsUnknown():
		return p.uncheckable(path.Root("workspace_id"))
	}
	c := provider.In(p.planned.WorkspaceID)
	var diags diag.Diagnostics
	if p.planned.SourceConfig.IsUnknown() {
		diags.Append(p.uncheckable(path.Root("source_config"))...)
	} else {
		sourceConfig := p.planned.sourceConfig()
		diags.Append(checkListener(ctx, provider, c, p, sourceConfig)...)
		diags.Append(checkIntegration(ctx, provider, c, p, sourceConfig)...)
	}
	return append(diags, checkName(ctx, provider, c, p)...)
}

// checkListener refuses a listener or namespace that doesn't exist, and one that is missing although the service requires
// it.
func checkListener(ctx context.Context, provider *framework.ProviderData, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("listener_id")
	switch {
	case p.planned.Source.ValueString() != string(api.SourceExternalContainer):
		return nil
	case sourceConfig.ListenerID.IsUnknown():
		return p.uncheckable(at)
	}
	listeners, err := lookup.Listeners(ctx, provider, c)
	if err != nil {
		return p.notChecked(at, err)
	}
	var available []string
	for _, l := range listeners {
		available = append(available, l.ID+" ("+l.ComputeID+")")
	}
	id := sourceConfig.ListenerID.ValueString()
	switch i := slices.IndexFunc(listeners, func(l api.Listener) bool { return strings.EqualFold(l.ID, id) }); {
	case i >= 0 && !known(sourceConfig.ListenerConfig):
		return p.uncheckable(path.Root("source_config").AtName("listener_config"))
	case i >= 0:
		return refuseNamespace(listeners[i], sourceConfig.ListenerConfig)
	case !sourceConfig.ListenerID.IsNull():
		return unknownReference(at, id, "listener", available)
	case len(listeners) > 0:
		return framework.ErrorAt(at, "Missing "+at.String(), "%s is not set, but this workspace has listeners, and a deployment of source %q must "+
			"specify one. Set it to one of: %s.", at, api.SourceExternalContainer, strings.Join(available, ", "))
	}
	return nil
}

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

func checkIntegration(ctx context.Context, provider *framework.ProviderData, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("integration_id")
	switch {
	case sourceConfig.IntegrationID.IsNull():
		return nil
	case sourceConfig.IntegrationID.IsUnknown():
		return p.uncheckable(at)
	}
	integrations, err := framework.Remember(provider.Memo, "integrations/"+c.WorkspaceID(), func() ([]api.Integration, error) {
		return client.Collect(c.ListIntegrations(ctx))
	})
	if err != nil {
		return p.notChecked(at, err)
	}
	id := sourceConfig.IntegrationID.ValueString()
	var available []string
	for _, i := range integrations {
		if strings.EqualFold(i.ID, id) {
			return checkRepository(ctx, provider, c, p, sourceConfig)
		}
		available = append(available, i.ID+" ("+i.Name+")")
	}
	return unknownReference(at, id, "integration", available)
}

// checkRepository refuses a replacement by a deployment whose repository the integration can't access. For a new deployment, the apply fails
// before anything is lost.
func checkRepository(ctx context.Context, provider *framework.ProviderData, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("repo_url")
	has := p.state.sourceConfig()
	id, url := sourceConfig.IntegrationID, sourceConfig.RepoURL
	switch {
	case !p.replaces() || url.IsNull() || id.Equal(has.IntegrationID) && url.Equal(has.RepoURL):
		return nil
	case url.IsUnknown():
		return p.uncheckable(at)
	}
	accessible, err := framework.Remember(provider.Memo, "repositories/"+id.ValueString(), func() ([]api.Repository, error) {
		return client.Collect(c.ListRepositories(ctx, id.ValueString()))
	})
	if err != nil {
		return p.notChecked(at, err)
	}
	if slices.ContainsFunc(accessible, func(r api.Repository) bool { return sameRepository(r.URL, url.ValueString()) }) {
		return nil
	}
	return framework.ErrorAt(at, "Unknown repository", "%s is %q, but integration %s can't access such a repository. The data source "+
		"agentplane_integration_repositories lists the %d that it can. Correct the URL, or give the app of the integration access to the "+
		"repository.", at, url.ValueString(), id.ValueString(), len(accessible))
}

// sameRepository reports whether two URLs name the same repository, whatever the protocol. Git hosts ignore case.
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

func unknownReference(at path.Path, id, noun string, available []string) diag.Diagnostics {
	choice := "This workspace has none: also check workspace_id."
	if len(available) > 0 {
		choice = "Available: " + strings.Join(available, ", ") + "."
	}
	return framework.ErrorAt(at, "Unknown "+noun, "%s is %q, but no %s of this workspace has that ID. %s", at, id, noun, choice)
}

// warnOfLostSpec warns of fields of resource_spec that the service keeps, although the plan no longer has them, and of fields
// that a sent spec may overwrite because the service doesn't report its own.
func warnOfLostSpec(ctx context.Context, provider *framework.ProviderData, planned, state model, record resourcespec.Record, sent bool) diag.Diagnostics {
	name := state.Name.ValueString()
	var diags diag.Diagnostics
	if !planned.SourceConfig.IsUnknown() {
		diags.Append(record.WarnOfReleased(planned.sourceConfig().ResourceSpec, state.sourceConfig().ResourceSpec, name)...)
	}
	if !sent || provider.Client == nil || record != nil && len(record) == 0 { // If no field was sent, an absent spec is a report, too.
		return diags
	}
	deployment, err := listed(ctx, provider, provider.In(state.WorkspaceID), state.ID.ValueString())
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
	return framework.WarningAt(at, "Not checked against the service", "Looking up %s failed, so a mistake in it will only show during the apply: "+
		"%s", at, framework.Sentence(err.Error()))
}

// checkName checks the name of a new or renamed deployment. A replacement must not get the name of another deployment, because the old one is
// destroyed first. For a new deployment, a taken name is only a warning: the plan may destroy the deployment that has it, if that is tainted
// or at another address.
func checkName(ctx context.Context, provider *framework.ProviderData, c *client.Client, p creation) diag.Diagnostics {
	at, name := path.Root("name"), p.planned.Name
	switch {
	case p.keepsName():
		return nil
	case name.IsUnknown():
		return p.uncheckable(at)
	}
	diags := claim(provider, c, p)
	found, err := sharedList(provider, c).All(ctx, nameKey(name.ValueString()), func() ([]api.Deployment, error) {
		return client.Collect(c.ListDeployments(ctx, client.DeploymentFilter{Name: name.ValueString()}))
	})
	if err != nil {
		return append(diags, p.notChecked(at, err)...)
	}
	// A deployment that is being deleted frees its name, but may leave its tracing project.
	found = slices.DeleteFunc(slices.Clone(found), func(d api.Deployment) bool { return d.Status.BeingDeleted() })
	for _, holder := range found {
		switch {
		case holder.ID == p.state.ID.ValueString():
		case p.replaces():
			diags.AddAttributeError(at, "Name of another deployment", fmt.Sprintf("Deployment %q (%s) would be renamed to %q, but deployment %s "+
				"has that name, and names are unique in a workspace. Choose another name. Or, if the other deployment is to be "+
				"destroyed or renamed, make two applies: first that one, then this one.",
				p.state.Name.ValueString(), p.state.ID.ValueString(), holder.Name, holder.ID))
		default:
			diags.AddAttributeWarning(at, "Name is taken", fmt.Sprintf("Deployment %s already has the name %q. If this resource is "+
				"tainted, %s\n\n%s", holder.ID, holder.Name, ifTainted(c.Dialect(), p.planned, holder),
				provider.Taken(p.planned.WorkspaceID, holder.ID, "deployment", "name")))
		}
	}
	if len(found) > 0 {
		return diags
	}
	return append(diags, checkProject(ctx, provider, c, p)...)
}

// ifTainted returns what to do if the deployment that has the name is tainted, and the plan replaces it.
func ifTainted(dialect *api.Dialect, planned model, holder api.Deployment) string {
	if dialect.ProjectsBlockNames && holder.ActiveRevisionID != nil && !planned.DeleteTracingProject.ValueBool() {
		return "its replacement fails, because the tracing project is kept and reserves the name: run `terraform untaint`."
	}
	return "there is nothing to do, unless deletion_protection is true: then run `terraform untaint`."
}

// projectChecks is the number of new names whose tracing project a plan looks up, apart from those of deployments that its refresh has
// removed. Each takes a request. For the other names, the apply fails.
const projectChecks = 9

// checkProject refuses to rename a deployment to the name of a tracing project, where that reserves the name. For a new deployment,
// it warns: the project may be deleted before the apply.
func checkProject(ctx context.Context, provider *framework.ProviderData, c *client.Client, p creation) diag.Diagnostics {
	if !c.Dialect().ProjectsBlockNames {
		return nil
	}
	_, removed := framework.SharedMap(provider.Memo, removedNames(c)).Load(p.planned.Name.ValueString())
	if !p.replaces() && !removed && framework.Count(provider.Memo, "projects of new names/"+c.WorkspaceID()) > projectChecks {
		return nil
	}
	at, name := path.Root("name"), p.planned.Name.ValueString()
	project, err := c.FindTracingProject(ctx, name)
	switch {
	case client.IsNotFound(err):
		return nil
	case err != nil:
		return p.notChecked(at, err)
	}
	if !p.replaces() {
		return framework.WarningAt(at, "Name is reserved", "The tracing project %q (%s) exists, for example because a deployment of that name was "+
			"deleted without it. It reserves the name: the service will refuse to create the deployment. If the project is no longer needed, "+
			"delete it in the service, with its traces, before you apply. Otherwise choose another name. To delete a project together with its "+
			"deployment, set delete_tracing_project.", name, project.ID)
	}
	return framework.ErrorAt(at, "Name is reserved", "Deployment %q would be renamed to %q.%s", p.state.Name.ValueString(), name,
		reservedByProject(c.Dialect(), name))
}

// removedNames is the key of the names of deployments that the refresh of the running plan has removed from the state.
func removedNames(c *client.Client) string { return "removed deployments/" + c.WorkspaceID() }

// claim registers the name, and refuses it if the same plan gives it to another deployment. A replacement may be planned twice.
func claim(provider *framework.ProviderData, c *client.Client, p creation) diag.Diagnostics {
	name, claimant := p.planned.Name.ValueString(), p.state.ID.ValueString()
	first, granted := framework.Claim(provider.Memo, "names", c.WorkspaceID()+"/"+name, claimant)
	if granted || p.replaces() && first == claimant {
		return nil
	}
	described := func(claimant string) string {
		if claimant == "" {
			return "a new deployment"
		}
		return fmt.Sprintf("the replacement of deployment %s", claimant)
	}
	both := []string{described(first), described(claimant)}
	slices.Sort(both) // The same text, whichever comes first.
	if both[0] == both[1] {
		both[1] = "another new deployment"
	}
	return framework.ErrorAt(path.Root("name"), "Name is claimed twice", "This plan gives the name %q to %s and %s, but names are unique in a "+
		"workspace. Choose another name for one of them.", name, both[0], both[1])
}
