package oauthtoken

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// filterModel selects tokens of the user.
type filterModel struct {
	ProviderID types.String `tfsdk:"provider_id"`
}

// NewListDataSource lists the tokens of the API key's user, without the tokens themselves.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[filterModel, api.OAuthTokenSummary, tokenModel]{
		Name: "oauth_tokens", Summary: "Cannot list OAuth tokens", List: "tokens", Attributes: tokenAttributes, Model: newTokenModel,
		Description: "Lists the OAuth tokens of the user of the provider's API key: OAuth providers, scopes and " +
			"expiry. The tokens themselves are never read.",
		Arguments: func() map[string]dataschema.Attribute {
			return map[string]dataschema.Attribute{
				"provider_id": framework.DataFilter("Only tokens of this OAuth provider.", stringvalidator.LengthAtLeast(1)),
			}
		},
		ListDescription: "The tokens, in the service's order.",
		Items: func(ctx context.Context, c *client.Client, f filterModel) iter.Seq2[api.OAuthTokenSummary, error] {
			return client.Items(c.ListOAuthTokens(ctx, f.ProviderID.ValueString()))
		},
	})
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

func newTokenModel(_ *client.Client, token api.OAuthTokenSummary) tokenModel {
	token.Scopes = append([]string{}, token.Scopes...) // A list is never null.
	return framework.Flatten(tokenModel{}, token)
}

func tokenAttributes() map[string]dataschema.Attribute {
	return map[string]dataschema.Attribute{
		"id":                     framework.DataString("ID of the token: the `oauth_token_id` of an `agentplane_agent_connection`."),
		"provider_id":            framework.DataString("The `provider_id` of the OAuth provider."),
		"provider_account_label": framework.DataString("Label that the user has given the account."),
		"scopes": dataschema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Scopes that the user has granted.",
		},
		"expires_at": framework.DataString("When the token expires (RFC 3339), unless the service refreshes it; null if never."),
		"is_default": dataschema.BoolAttribute{
			Computed: true, MarkdownDescription: "Whether the token is the user's default.",
		},
		"created_at": framework.DataString("Time of the login (RFC 3339)."),
		"updated_at": framework.DataString("Time of the last refresh or change (RFC 3339)."),
	}
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

// NewStatusDataSource reads at which OAuth providers the API key's user is logged in.
func NewStatusDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[statusModel]{
		Name: "oauth_token_status", Read: readStatus,
		Description: "Reads whether the user of the provider's API key is logged in at OAuth providers, for " +
			"`check` blocks and preconditions. Expired tokens count as well.",
		Attributes: func() map[string]dataschema.Attribute {
			return map[string]dataschema.Attribute{
				"provider_ids": dataschema.ListAttribute{
					Required:            true,
					ElementType:         types.StringType,
					MarkdownDescription: "The `provider_id` of each OAuth provider to check.",
					Validators: []validator.List{
						framework.ListValue(listvalidator.SizeAtLeast(1)), listvalidator.UniqueValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
					},
				},
				"has_token": dataschema.MapAttribute{
					Computed:            true,
					ElementType:         types.BoolType,
					MarkdownDescription: "Whether there is a token, by `provider_id`.",
				},
			}
		},
	})
}

type statusModel struct {
	ProviderIDs types.List `tfsdk:"provider_ids"`
	HasToken    types.Map  `tfsdk:"has_token"`
}

func readStatus(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *statusModel) diag.Diagnostics {
	ids := framework.Texts[string](config.ProviderIDs)
	has, err := c.OAuthTokensExist(ctx, ids)
	if err != nil {
		return framework.Failure{Summary: "Cannot read which OAuth providers are connected"}.Diagnostics(err)
	}
	asked := make(map[string]attr.Value, len(ids))
	for _, id := range ids {
		asked[id] = types.BoolValue(has[id])
	}
	config.HasToken = types.MapValueMust(types.BoolType, asked)
	return nil
}
