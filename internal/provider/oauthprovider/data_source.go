package oauthprovider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

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
func dataAttributes() map[string]schema.Attribute {
	return framework.Computed(oauthProviderSchema().Attributes, "workspace_id", "client_secret", "client_secret_wo", "client_secret_wo_version", "deletion_protection")
}

func singleDataAttributes() map[string]schema.Attribute {
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
