package oauthprovider

import (
	"context"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// filterModel selects providers. They must match every filter that is set.
type filterModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	NameContains types.String `tfsdk:"name_contains"`
	ProviderType types.String `tfsdk:"provider_type"`
}

// NewListResource finds OAuth providers for terraform query.
func NewListResource() list.ListResource {
	return framework.NewListResource(framework.ListSpec[filterModel, api.OAuthProviderResponse]{
		TypeName: "oauth_provider", Plural: "OAuth providers",
		Description: "Lists the OAuth providers of the organization, filtered, to import them in bulk. Their secrets are " +
			"never shown.",
		Filters: map[string]schema.Attribute{
			"name_contains": framework.ListFilter("Only providers whose name contains this text, ignoring case."),
			"provider_type": framework.ListFilter("Only providers of this type: `microsoft`, `salesforce`, `slack` or `x`.", framework.OneOf(api.OAuthProviderTypes...)),
		},
		Items: func(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.OAuthProviderResponse, error], diag.Diagnostics) {
			return client.Filter(c.ListOAuthProviders(ctx), f.match), nil
		},
		Name: func(provider api.OAuthProviderResponse) string { return provider.Name },
		Model: func(workspaceID types.String, provider api.OAuthProviderResponse) framework.Identified {
			return newModel(model{WorkspaceID: workspaceID}, provider)
		},
	})
}

// match filters here: the service has no filters.
func (f filterModel) match(provider api.OAuthProviderResponse) bool {
	ofType := framework.String(provider.ProviderType)
	return strings.Contains(strings.ToLower(provider.Name), strings.ToLower(f.NameContains.ValueString())) &&
		(f.ProviderType.IsNull() || f.ProviderType.Equal(ofType))
}
