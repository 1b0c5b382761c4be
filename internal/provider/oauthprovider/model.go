package oauthprovider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// dataModel has the attributes that the service returns.
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

// model is the resource in configuration, plan and state.
type model struct {
	dataModel
	WorkspaceID           types.String `tfsdk:"workspace_id"`
	ClientSecret          types.String `tfsdk:"client_secret"`
	ClientSecretWO        types.String `tfsdk:"client_secret_wo"` // In the configuration only.
	ClientSecretWOVersion types.Int64  `tfsdk:"client_secret_wo_version"`
	DeletionProtection    types.Bool   `tfsdk:"deletion_protection"`
}

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any {
	return identityModel{WorkspaceID: m.WorkspaceID, ProviderID: m.ProviderID}
}

// identityModel is the resource identity: the API identifies providers by the provider_id, not the id.
type identityModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ProviderID  types.String `tfsdk:"provider_id"`
}
