package oauthprovider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewDataSource reads one OAuth provider of the organization.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[singleDataModel]{
		Name: "oauth_provider", Attributes: singleDataAttributes(), Read: readOne,
		Description: "Reads an OAuth provider of the organization. Its client secret is never returned.",
	})
}

// dataModel is one provider in data sources: the resource without what the service never returns.
type dataModel struct {
	ProviderID              types.String `tfsdk:"provider_id"`
	Name                    types.String `tfsdk:"name"`
	MCPServerURL            types.String `tfsdk:"mcp_server_url"`
	ClientID                types.String `tfsdk:"client_id"`
	AuthURL                 types.String `tfsdk:"auth_url"`
	TokenURL                types.String `tfsdk:"token_url"`
	UsesPKCE                types.Bool   `tfsdk:"uses_pkce"`
	CodeChallengeMethod     types.String `tfsdk:"code_challenge_method"`
	ProviderType            types.String `tfsdk:"provider_type"`
	TokenEndpointAuthMethod types.String `tfsdk:"token_endpoint_auth_method"`
	AuthorizationParams     types.Map    `tfsdk:"authorization_params"`
	AllowedRedirectURIs     types.List   `tfsdk:"allowed_redirect_uris"`
	ID                      types.String `tfsdk:"id"`
	OrganizationID          types.String `tfsdk:"organization_id"`
	DefaultRedirectURI      types.String `tfsdk:"default_redirect_uri"`
	IsDynamicClient         types.Bool   `tfsdk:"is_dynamic_client"`
	CreatedAt               types.String `tfsdk:"created_at"`
	UpdatedAt               types.String `tfsdk:"updated_at"`
}

type singleDataModel struct {
	dataModel
	WorkspaceID types.String `tfsdk:"workspace_id"`
}

func newDataModel(answer api.OAuthProviderResponse) dataModel {
	return framework.Narrow[dataModel](newModel(model{}, answer))
}

// dataAttributes are those of one provider; all of them are read from the service.
func dataAttributes() map[string]schema.Attribute {
	return framework.Computed(oauthProviderSchema().Attributes, "workspace_id", "client_secret", "client_secret_wo", "client_secret_wo_version", "deletion_protection")
}

func singleDataAttributes() map[string]schema.Attribute {
	all := dataAttributes()
	all["provider_id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Identifier by which agents refer to the provider, unique in the organization.",
		Validators:          []validator.String{providerIDValidator(), stringvalidator.NoneOf(api.ReservedProviderIDs...)},
	}
	return all
}

func readOne(ctx context.Context, provider framework.ProviderData, config *singleDataModel) diag.Diagnostics {
	found, err := provider.In(config.WorkspaceID).GetOAuthProvider(ctx, config.ProviderID.ValueString())
	if err != nil {
		return model{ProviderID: config.ProviderID}.failure("read").Diagnostics(err)
	}
	config.dataModel = newDataModel(*found)
	return nil
}
