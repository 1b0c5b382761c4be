package deployment

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// lookUpName checks a name that the plan gives to a deployment. A replacement must not get the name of another deployment,
// because the old one is destroyed first. For a new deployment, a taken name is only a warning: the deployment that has it may be
// tainted, or at another address, and may be destroyed by this plan.
func (r *deploymentResource) lookUpName(ctx context.Context, c *client.Client, p creation) diag.Diagnostics {
	at, name := path.Root("name"), p.planned.Name
	switch {
	case p.keepsName():
		return nil
	case name.IsUnknown():
		return p.unknown(at)
	}
	diags := r.claim(c, p)
	found, err := sharedList(&r.ProviderData, c).All(ctx, nameKey(name.ValueString()), func() ([]api.Deployment, error) {
		return client.Collect(c.ListDeployments(ctx, client.DeploymentFilter{Name: name.ValueString()}))
	})
	if err != nil {
		return append(diags, p.notChecked(at, err)...)
	}
	// One that is being deleted may leave its tracing project behind.
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
				"tainted, %s\n\n%s", holder.ID, holder.Name, whatIfTainted(r.dialect(), p.planned, holder),
				r.Taken(p.planned.WorkspaceID, holder.ID, "deployment", "name")))
		}
	}
	if len(found) > 0 {
		return diags
	}
	return append(diags, r.lookUpProject(ctx, c, p)...)
}

// whatIfTainted says what happens if the deployment that has the name is the one that a plan replaces.
func whatIfTainted(dialect *api.Dialect, planned model, holder api.Deployment) string {
	if dialect.ProjectsBlockNames && holder.ActiveRevisionID != nil && !planned.DeleteTracingProject.ValueBool() {
		return "its replacement fails, because the tracing project is kept and reserves the name: run `terraform untaint`."
	}
	return "there is nothing to do, unless deletion_protection is true: then run `terraform untaint`."
}

// projectLooks is for how many new names a plan looks up the tracing project, apart from those of deployments that its refresh has removed.
// Each takes a request. For the others, the apply says that the name is reserved.
const projectLooks = 9

// lookUpProject refuses to rename a deployment to the name of a tracing project, where that reserves the name. For a new deployment,
// it warns: the project may be deleted before the apply.
func (r *deploymentResource) lookUpProject(ctx context.Context, c *client.Client, p creation) diag.Diagnostics {
	if !r.dialect().ProjectsBlockNames {
		return nil
	}
	_, removed := framework.SharedMap(r.Memo, removedNames(c)).Load(p.planned.Name.ValueString())
	if !p.replaces() && !removed && framework.Count(r.Memo, "projects of new names/"+c.WorkspaceID()) > projectLooks {
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
		return warningAt(at, "Name is reserved", "The tracing project %q (%s) exists, for example because a deployment of that name was "+
			"deleted without it. It reserves the name: the service will refuse to create the deployment. If the project is no longer "+
			"needed, delete it in the service, with its traces, before you apply. Otherwise choose another name. To delete a project "+
			"together with its deployment, set delete_tracing_project.", name, project.ID)
	}
	return errorAt(at, "Name is reserved", "Deployment %q would be renamed to %q.%s", p.state.Name.ValueString(), name,
		leftBehind(r.dialect(), name))
}

// removedNames is the key of the names of deployments that the refresh of the running plan has removed from the state.
func removedNames(c *client.Client) string { return "removed deployments/" + c.WorkspaceID() }

// claim registers the name, and refuses it if the same plan gives it to another deployment. The same replacement may claim its name
// again.
func (r *deploymentResource) claim(c *client.Client, p creation) diag.Diagnostics {
	name, claimant := p.planned.Name.ValueString(), p.state.ID.ValueString()
	first, granted := framework.Claim(r.Memo, "names", c.WorkspaceID()+"/"+name, claimant)
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
	return errorAt(path.Root("name"), "Name is claimed twice", "This plan gives the name %q to %s and %s, but names are unique in a "+
		"workspace. Choose another name for one of them.", name, both[0], both[1])
}
