package lookup

import (
	"context"
	"fmt"
	"slices"

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

// NoOAuthProvider says that no OAuth provider has an ID, and what to do about it.
func NoOAuthProvider(providerID string) string {
	return fmt.Sprintf("No OAuth provider %q exists. Correct provider_id: the data source agentplane_oauth_providers lists the existing ones. If the "+
		"configuration creates the OAuth provider, refer to the provider_id of its resource.", providerID)
}
