package oauthtoken

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type statusDataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*statusDataSource)(nil)

// NewStatusDataSource says at which OAuth providers the API key's user is logged in.
func NewStatusDataSource() datasource.DataSource { return &statusDataSource{} }

type statusModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ProviderIDs types.List   `tfsdk:"provider_ids"`
	HasToken    types.Map    `tfsdk:"has_token"`
}

func (d *statusDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_oauth_token_status"
}

func (d *statusDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Says at which OAuth providers the user is logged in whose API key the provider has, for `check` blocks " +
			"and preconditions. A token that has expired counts, too.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.WorkspaceAttribute(),
			"provider_ids": schema.ListAttribute{
				Required:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "The `provider_id` of each OAuth provider to ask about.",
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"has_token": schema.MapAttribute{
				Computed:            true,
				ElementType:         types.BoolType,
				MarkdownDescription: "Whether there is a token, by `provider_id`.",
			},
		},
	}
}

func (d *statusDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config statusModel
	var ids []string
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(config.ProviderIDs.ElementsAs(ctx, &ids, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	has, err := d.In(config.WorkspaceID).OAuthTokensExist(ctx, ids)
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot read which OAuth providers are connected"}.Diagnostics(err)...)
		return
	}
	asked := make(map[string]bool, len(ids))
	for _, id := range ids {
		asked[id] = has[id]
	}
	m, diags := types.MapValueFrom(ctx, types.BoolType, asked)
	resp.Diagnostics.Append(diags...)
	config.HasToken = m
	resp.Diagnostics.Append(framework.Write(ctx, resp.State.Schema, &resp.State.Raw, config)...)
}
