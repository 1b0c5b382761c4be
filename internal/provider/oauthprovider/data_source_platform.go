package oauthprovider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewPlatformDataSource lists the platform's built-in OAuth providers.
func NewPlatformDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[platformModel]{
		Name: "platform_oauth_providers", Read: readPlatform,
		Description: "Lists the OAuth providers that come with the platform: users can log in at them without an " +
			"`agentplane_oauth_provider`.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"oauth_providers": framework.DataList("The OAuth providers, in the order in which the service lists them.", map[string]schema.Attribute{
					"provider_id":   framework.DataString("Identifier by which agents refer to the provider."),
					"name":          framework.DataString("Display name."),
					"provider_type": framework.DataString("Type of a provider with special behavior; null for others."),
					"auth_url":      framework.DataString("URL of the authorization endpoint, to which users are redirected."),
					"token_url":     framework.DataString("URL of the token endpoint."),
					"uses_pkce":     schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether logins use PKCE."},
				}),
			}
		},
	})
}

type platformModel struct {
	WorkspaceID    types.String            `tfsdk:"workspace_id"`
	OAuthProviders []platformProviderModel `tfsdk:"oauth_providers"`
}

// platformProviderModel is a built-in provider, which can't be changed.
type platformProviderModel struct {
	ProviderID   types.String `tfsdk:"provider_id"`
	Name         types.String `tfsdk:"name"`
	ProviderType types.String `tfsdk:"provider_type"`
	AuthURL      types.String `tfsdk:"auth_url"`
	TokenURL     types.String `tfsdk:"token_url"`
	UsesPKCE     types.Bool   `tfsdk:"uses_pkce"`
}

func readPlatform(ctx context.Context, provider framework.ProviderData, config *platformModel) diag.Diagnostics {
	providers, err := provider.In(config.WorkspaceID).ListPlatformOAuthProviders(ctx)
	if err != nil {
		return framework.Failure{Summary: "Cannot list the platform's OAuth providers"}.Diagnostics(err)
	}
	config.OAuthProviders = make([]platformProviderModel, len(providers))
	for i, p := range providers {
		config.OAuthProviders[i] = platformProviderModel{
			ProviderID: types.StringValue(p.ProviderID), Name: types.StringValue(p.Name), ProviderType: framework.String(p.ProviderType),
			AuthURL: framework.StringOrNull(p.AuthURL), TokenURL: framework.StringOrNull(p.TokenURL), UsesPKCE: types.BoolValue(p.UsesPKCE),
		}
	}
	return nil
}
