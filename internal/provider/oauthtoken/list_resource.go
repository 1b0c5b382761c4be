package oauthtoken

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type filterModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ProviderID  types.String `tfsdk:"provider_id"`
}

// NewListResource finds OAuth tokens for terraform query.
func NewListResource() list.ListResource {
	return framework.NewListResource(framework.ListSpec[filterModel, api.OAuthTokenSummary]{
		TypeName: "oauth_token", Plural: "OAuth tokens",
		Description: "Lists the OAuth tokens of the user of the provider's API key, to import them in bulk. The tokens themselves are " +
			"never read. The list includes those that the user got by logging in.",
		Filters: map[string]schema.Attribute{
			"provider_id": framework.ListFilter("Only tokens of this OAuth provider."),
		},
		Items: func(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.OAuthTokenSummary, error], diag.Diagnostics) {
			return client.Items(c.ListOAuthTokens(ctx, f.ProviderID.ValueString())), nil
		},
		Name: func(token api.OAuthTokenSummary) string {
			if token.ProviderAccountLabel != nil {
				return token.ProviderID + ": " + *token.ProviderAccountLabel
			}
			return token.ProviderID
		},
		Model: func(workspaceID types.String, token api.OAuthTokenSummary) framework.Identified {
			return newModel(model{WorkspaceID: workspaceID}, token)
		},
	})
}
