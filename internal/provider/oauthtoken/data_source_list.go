package oauthtoken

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists the tokens of the API key's user, without the tokens themselves.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "oauth_tokens", Read: readList,
		Description: "Lists the OAuth tokens of the user of the provider's API key: OAuth providers, scopes and " +
			"expiry. The tokens themselves are never read.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"provider_id": framework.DataFilter("Only tokens of this OAuth provider. Default: all.", stringvalidator.LengthAtLeast(1)),
				"tokens":      framework.DataList("The tokens, in the order in which the service lists them.", tokenAttributes()),
			}
		},
	})
}

type listModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ProviderID  types.String `tfsdk:"provider_id"`
	Tokens      []tokenModel `tfsdk:"tokens"`
}

// tokenModel describes a token.
type tokenModel struct {
	ID                   types.String `tfsdk:"id"`
	ProviderID           types.String `tfsdk:"provider_id"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
	Scopes               types.List   `tfsdk:"scopes"`
	ExpiresAt            types.String `tfsdk:"expires_at"`
	IsDefault            types.Bool   `tfsdk:"is_default"`
	CreatedAt            types.String `tfsdk:"created_at"`
	UpdatedAt            types.String `tfsdk:"updated_at"`
}

func newTokenModel(token api.OAuthTokenSummary) tokenModel {
	return tokenModel{
		ID:                   types.StringValue(token.ID),
		ProviderID:           types.StringValue(token.ProviderID),
		ProviderAccountLabel: framework.String(token.ProviderAccountLabel),
		Scopes:               framework.TextList(append([]string{}, token.Scopes...)),
		ExpiresAt:            framework.String(token.ExpiresAt),
		IsDefault:            types.BoolValue(token.IsDefault),
		CreatedAt:            framework.StringOrNull(token.CreatedAt),
		UpdatedAt:            framework.StringOrNull(token.UpdatedAt),
	}
}

func tokenAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                     framework.DataString("ID of the token, a UUID: the `oauth_token_id` of an `agentplane_agent_connection`."),
		"provider_id":            framework.DataString("The `provider_id` of the OAuth provider."),
		"provider_account_label": framework.DataString("Label that the user has given the account; null without one."),
		"scopes": schema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Scopes that the user has granted.",
		},
		"expires_at": framework.DataString("When the token expires (RFC 3339); null if it doesn't expire. The service refreshes tokens " +
			"before that, if the OAuth provider allows it."),
		"is_default": schema.BoolAttribute{
			Computed: true, MarkdownDescription: "Whether the token is the user's default.",
		},
		"created_at": framework.DataString("When the user logged in (RFC 3339)."),
		"updated_at": framework.DataString("When the token was last refreshed, or its label changed (RFC 3339)."),
	}
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) diag.Diagnostics {
	tokens, err := provider.In(config.WorkspaceID).ListOAuthTokens(ctx, config.ProviderID.ValueString())
	if err != nil {
		return framework.Failure{Summary: "Cannot list OAuth tokens"}.Diagnostics(err)
	}
	config.Tokens = make([]tokenModel, len(tokens))
	for i, token := range tokens {
		config.Tokens[i] = newTokenModel(token)
	}
	return nil
}
