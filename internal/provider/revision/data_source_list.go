package revision

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists the revisions of a deployment, newest first.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "deployment_revisions", Read: readList,
		Description: "Lists the revisions of a deployment, newest first. Each revision is one rollout.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"deployment_id": deploymentIDAttribute(),
				"status": schema.SetAttribute{
					Optional: true, ElementType: types.StringType,
					MarkdownDescription: "Only revisions in one of these states, for example `[\"DEPLOYED\"]`. Default: all.",
					Validators: []validator.Set{
						framework.SetValue(setvalidator.SizeAtLeast(1)), setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
					},
				},
				"max_results": schema.Int64Attribute{
					Optional:            true,
					MarkdownDescription: "Maximum number of revisions; the newest are returned. Default: all.",
					Validators:          []validator.Int64{framework.AtLeast(1)},
				},
				"revisions": framework.DataList("The revisions, newest first.", attributes()),
			}
		},
	})
}

type listModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	DeploymentID types.String `tfsdk:"deployment_id"`
	Status       types.Set    `tfsdk:"status"`
	MaxResults   types.Int64  `tfsdk:"max_results"`
	Revisions    []model      `tfsdk:"revisions"`
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) (diags diag.Diagnostics) {
	filter := client.RevisionFilter{Limit: int(config.MaxResults.ValueInt64()), Statuses: framework.Texts[api.RevisionStatus](config.Status)}
	revisions := provider.In(config.WorkspaceID).ListRevisions(ctx, config.DeploymentID.ValueString(), filter)
	config.Revisions, diags = framework.Listed(framework.Failure{Summary: "Cannot list revisions"}, revisions, newModel)
	return diags
}
