package oauthprovider

import (
	"context"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewDataSource reads one OAuth provider of the organization.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[dataModel]{
		Name: "oauth_provider", Attributes: singleDataAttributes, Read: readOne,
		Description: "Reads an OAuth provider of the organization. Its client secret is never returned.",
	})
}

func newDataModel(_ *client.Client, answer api.OAuthProviderResponse) dataModel {
	return newModel(model{}, answer).dataModel
}

// dataAttributes are those of one provider; all of them are read from the service.
func dataAttributes() map[string]dataschema.Attribute {
	return framework.Computed(oauthProviderSchema().Attributes, "workspace_id", "client_secret", "client_secret_wo", "client_secret_wo_version", "deletion_protection")
}

func singleDataAttributes() map[string]dataschema.Attribute {
	all := dataAttributes()
	all["provider_id"] = framework.DataRequired("Identifier by which agents refer to the provider, unique in the organization.",
		providerIDValidator(), stringvalidator.NoneOf(api.ReservedProviderIDs...))
	return all
}

func readOne(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *dataModel) diag.Diagnostics {
	found, err := c.OAuthProviders().Get(ctx, config.ProviderID.ValueString())
	if err != nil {
		return model{dataModel: *config}.failure("read").Diagnostics(err)
	}
	*config = newDataModel(c, *found)
	return nil
}

// NewListDataSource lists all OAuth providers of the organization.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[struct{}, api.OAuthProviderResponse, dataModel]{
		Name: "oauth_providers", Summary: "Cannot list OAuth providers", Attributes: dataAttributes, Model: newDataModel,
		Description: "Lists the OAuth providers of the organization. The data source `agentplane_platform_oauth_providers` " +
			"lists those that come with the platform.",
		ListDescription: "All OAuth providers of the organization, in the service's order.",
		Items: func(ctx context.Context, c *client.Client, _ struct{}) iter.Seq2[api.OAuthProviderResponse, error] {
			return c.OAuthProviders().List(ctx)
		},
	})
}

// NewPlatformDataSource lists the platform's built-in OAuth providers.
func NewPlatformDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[struct{}, api.OAuthProviderResponse, platformModel]{
		Name: "platform_oauth_providers", Summary: "Cannot list the platform's OAuth providers", List: "oauth_providers", Attributes: platformAttributes,
		Description: "Lists the OAuth providers that come with the platform: users can log in at them without an " +
			"`agentplane_oauth_provider`.",
		ListDescription: "The OAuth providers, in the service's order.",
		Items: func(ctx context.Context, c *client.Client, _ struct{}) iter.Seq2[api.OAuthProviderResponse, error] {
			return client.Items(c.ListPlatformOAuthProviders(ctx))
		},
	})
}

// platformModel is a built-in provider, which can't be changed.
type platformModel struct {
	ProviderID   types.String `tfsdk:"provider_id"`
	Name         types.String `tfsdk:"name"`
	ProviderType types.String `tfsdk:"provider_type"`
	AuthURL      types.String `tfsdk:"auth_url"`
	TokenURL     types.String `tfsdk:"token_url"`
	UsesPKCE     types.Bool   `tfsdk:"uses_pkce"`
}

func platformAttributes() map[string]dataschema.Attribute {
	return map[string]dataschema.Attribute{
		"provider_id":   framework.DataString("Identifier by which agents refer to the provider."),
		"name":          framework.DataString("Display name."),
		"provider_type": framework.DataString("Type of a provider with special behavior; null for others."),
		"auth_url":      framework.DataString("URL of the authorization endpoint."),
		"token_url":     framework.DataString("URL of the token endpoint."),
		"uses_pkce":     dataschema.BoolAttribute{Computed: true, MarkdownDescription: "Whether logins use PKCE."},
	}
}

// filterModel selects providers for terraform query. They must match every filter that is set.
type filterModel struct {
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
			"name_contains": framework.ListFilter("Only providers whose name contains this text (in any case)."),
			"provider_type": framework.ListFilter("Only providers of this type: `microsoft`, `salesforce`, `slack` or `x`.", framework.OneOf(api.OAuthProviderTypes...)),
		},
		Items: func(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.OAuthProviderResponse, error], diag.Diagnostics) {
			return client.Filter(c.OAuthProviders().List(ctx), f.match), nil
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
