package oauthtoken

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewStatusDataSource reads at which OAuth providers the API key's user is logged in.
func NewStatusDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[statusModel]{
		Name: "oauth_token_status", Read: readStatus,
		Description: "Reads whether the user of the provider's API key is logged in at OAuth providers, for " +
			"`check` blocks and preconditions. Expired tokens count as well.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"provider_ids": schema.ListAttribute{
					Required:            true,
					ElementType:         types.StringType,
					MarkdownDescription: "The `provider_id` of each OAuth provider to check.",
					Validators: []validator.List{
						framework.ListValue(listvalidator.SizeAtLeast(1)), listvalidator.UniqueValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
					},
				},
				"has_token": schema.MapAttribute{
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
