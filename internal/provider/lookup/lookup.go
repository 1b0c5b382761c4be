package lookup

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Attributes to which other resources refer.
var (
	ListenerID     = framework.Reference{TypeName: "agentplane_listener", Attribute: "id"}
	DeploymentID   = framework.Reference{TypeName: "agentplane_deployment", Attribute: "id"}
	DeploymentName = framework.Reference{TypeName: "agentplane_deployment", Attribute: "name"}
	TracingProject = framework.Reference{TypeName: "agentplane_deployment", Attribute: "tracing_project_id"}
)

// Keys identify objects in their workspace, by type: those to which others refer.
var Keys = map[string]framework.Reference{
	"agentplane_listener":   {TypeName: "agentplane_listener", Attribute: "compute_id"},
	"agentplane_deployment": DeploymentName,
}

// The keys in a framework.Memo of the listeners of the client's workspace, and of the namespaces that the running plan gives to some of them.
func listenersKey(c *client.Client) string  { return "listeners/" + c.WorkspaceID() }
func namespacesKey(c *client.Client) string { return "planned namespaces/" + c.WorkspaceID() }

// Listeners returns the listeners of the client's workspace, as the running plan will leave them.
func Listeners(ctx context.Context, p *framework.ProviderData, c *client.Client) ([]api.Listener, error) {
	listeners, err := framework.Remember(p.Memo, listenersKey(c), func() ([]api.Listener, error) { return client.Collect(c.Listeners().List(ctx)) })
	listeners = slices.Clone(listeners) // Of the memo.
	namespaces := framework.SharedMap(p.Memo, namespacesKey(c))
	for i := range listeners {
		if planned, ok := namespaces.Load(listeners[i].ID); ok {
			listeners[i].ComputeConfig.K8sNamespaces, _ = planned.([]string)
		}
	}
	return listeners, err
}

// PlanNamespaces notes the namespaces that the running plan gives to a listener; nil while they are unknown. The service has only the current
// ones, so a deployment to a new namespace would be refused.
func PlanNamespaces(p *framework.ProviderData, c *client.Client, listenerID string, namespaces []string) {
	framework.SharedMap(p.Memo, namespacesKey(c)).Store(listenerID, namespaces)
}

// ForgetListeners drops what is known of the listeners after one has changed.
func ForgetListeners(p *framework.ProviderData, c *client.Client) {
	p.Memo.Forget(listenersKey(c))
	p.Memo.Forget(namespacesKey(c))
}

// userTokensName is the name of their list.
const userTokensName = "OAuth tokens" //nolint:gosec // Not a credential.

// UserTokens returns the tokens of the user of the provider's key. A plan reads all of them from one list: the API can't read a single
// one.
func UserTokens(ctx context.Context, p *framework.ProviderData, c *client.Client) ([]api.OAuthTokenSummary, error) {
	return framework.RememberList(p, userTokensName, c, func() ([]api.OAuthTokenSummary, error) { return c.ListOAuthTokens(ctx, "") })
}

// ForgetUserTokens drops that list after a write, whether it succeeded or not.
func ForgetUserTokens(p *framework.ProviderData, c *client.Client) {
	p.Memo.Forget(p.AnswersKey(userTokensName, c))
}

// ProjectReference refers to a tracing project by one of its fields, each of which has the path of the same name.
type ProjectReference struct {
	ID, Name, DeploymentID types.String
	// NamePath is the path of Name.
	NamePath path.Path
}

// Find returns the project.
func (r ProjectReference) Find(ctx context.Context, c *client.Client) (*api.TracingProject, diag.Diagnostics) {
	cannot := framework.Failure{Summary: "Cannot read tracing project"}
	switch {
	case !r.ID.IsNull():
		project, err := c.TracingProjects().Get(ctx, r.ID.ValueString())
		if err != nil {
			return nil, cannot.Diagnostics(err)
		}
		return project, nil
	case !r.Name.IsNull():
		return projectNamed(ctx, c, r.NamePath, r.Name.ValueString())
	}
	deployment, err := c.Deployments().Get(ctx, r.DeploymentID.ValueString())
	if err != nil {
		cannot.Summary = "Cannot read the deployment of the tracing project"
		return nil, cannot.Diagnostics(err)
	}
	return projectNamed(ctx, c, path.Root("deployment_id"), deployment.Name)
}

// projectNamed returns the project with that name; errors are attached to the attribute at a path.
func projectNamed(ctx context.Context, c *client.Client, because path.Path, name string) (*api.TracingProject, diag.Diagnostics) {
	project, err := c.FindTracingProject(ctx, name)
	switch {
	case client.IsNotFound(err):
		return nil, framework.ErrorAt(because, "Tracing project not found", "No tracing project of this workspace is named %q. One is created "+
			"with a deployment of that name, and may have been deleted since; check workspace_id (AGENTPLANE_WORKSPACE_ID) of the provider, "+
			"too.", name)
	case err != nil:
		return nil, framework.Failure{Summary: "Cannot read tracing project"}.Diagnostics(err)
	}
	return project, nil
}

// OAuthProviders returns the OAuth providers, from one list for each plan. An apply lists them each time, because it may create some.
func OAuthProviders(ctx context.Context, p *framework.ProviderData, c *client.Client) ([]api.OAuthProviderResponse, error) {
	list := func() ([]api.OAuthProviderResponse, error) { return client.Collect(c.OAuthProviders().List(ctx)) }
	if p.Memo.Applying.Load() {
		return list()
	}
	return framework.RememberList(p, "all OAuth providers", c, list)
}

// PlanOAuthProvider notes that the running plan creates an OAuth provider.
func PlanOAuthProvider(p *framework.ProviderData, c *client.Client, providerID types.String) {
	framework.SharedMap(p.Memo, plannedProviders).Store(c.WorkspaceID()+"/"+providerID.ValueString(), true)
}

// plannedProviders are those that the running plan creates.
const plannedProviders = "planned OAuth providers"

// LacksOAuthProvider reports whether no OAuth provider has an ID: neither the lists nor the running plan. An error means that it isn't known.
func LacksOAuthProvider(ctx context.Context, p *framework.ProviderData, c *client.Client, providerID string) (bool, error) {
	if _, planned := framework.SharedMap(p.Memo, plannedProviders).Load(c.WorkspaceID() + "/" + providerID); planned {
		return false, nil
	}
	has := func(o api.OAuthProviderResponse) bool { return o.ProviderID == providerID }
	own, err := OAuthProviders(ctx, p, c)
	if err != nil || slices.ContainsFunc(own, has) {
		return false, err
	}
	platform, err := c.ListPlatformOAuthProviders(ctx)
	if client.IsNotFound(err) { // An older service.
		return true, nil
	}
	return err == nil && !slices.ContainsFunc(platform, has), err
}

// CheckOAuthProvider looks in a plan for the OAuth provider to which a new object refers. That there is none is a warning: something else may
// register it before the apply. It is an error if the plan replaces an object, destroyed, which must not be destroyed in vain.
func CheckOAuthProvider(ctx context.Context, p *framework.ProviderData, workspaceID, id types.String, destroyed string) diag.Diagnostics {
	if p.Client == nil || p.Memo.Applying.Load() || workspaceID.IsUnknown() || id.IsUnknown() || id.IsNull() {
		return nil
	}
	const unknown = "Unknown OAuth provider"
	at := path.Root("provider_id")
	lacks, err := LacksOAuthProvider(ctx, p, p.In(workspaceID), id.ValueString())
	switch {
	case err != nil && destroyed != "":
		return framework.ErrorAt(at, "Replacement can't be checked", "%s would be destroyed, but it isn't known whether OAuth provider %q exists, "+
			"because reading the list failed: %s Use a key that may read it, or make two applies: remove the resource in the first, and add it "+
			"again in the second.", destroyed, id.ValueString(), framework.Sentence(err.Error()))
	case err != nil, !lacks:
		return nil
	case destroyed != "":
		return framework.ErrorAt(at, unknown, "%s would be destroyed, but the new one can't be made. %s", destroyed, NoOAuthProvider(id.ValueString()))
	}
	return framework.WarningAt(at, unknown, "%s", NoOAuthProvider(id.ValueString()))
}

// NoOAuthProvider is the message for a provider_id that no OAuth provider has.
func NoOAuthProvider(providerID string) string {
	return fmt.Sprintf("No OAuth provider %q exists. Correct provider_id: the data source agentplane_oauth_providers lists the existing ones. If the "+
		"configuration creates the OAuth provider, refer to the provider_id of its resource.", providerID)
}
