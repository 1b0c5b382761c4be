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

// OAuthProviders returns the OAuth providers, from one list for each plan. An apply lists them each time, because it may create some.
func OAuthProviders(ctx context.Context, p *framework.ProviderData, c *client.Client) ([]api.OAuthProviderResponse, error) {
	list := func() ([]api.OAuthProviderResponse, error) { return client.Collect(c.ListOAuthProviders(ctx)) }
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
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Replacement can't be checked", fmt.Sprintf("%s would be destroyed, but it isn't "+
			"known whether OAuth provider %q exists, because reading the list failed: %s Use a key that may read it, or make two applies: "+
			"remove the resource in the first, and add it again in the second.", destroyed, id.ValueString(), framework.Sentence(err.Error())))}
	case err != nil, !lacks:
		return nil
	case destroyed != "":
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, unknown,
			destroyed+" would be destroyed, but the new one can't be made. "+NoOAuthProvider(id.ValueString()))}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, unknown, NoOAuthProvider(id.ValueString()))}
}

// NoOAuthProvider is the message for a provider_id that no OAuth provider has.
func NoOAuthProvider(providerID string) string {
	return fmt.Sprintf("No OAuth provider %q exists. Correct provider_id: the data source agentplane_oauth_providers lists the existing ones. If the "+
		"configuration creates the OAuth provider, refer to the provider_id of its resource.", providerID)
}
