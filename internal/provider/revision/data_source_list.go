package revision

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

var (
	rootWorkspaceID  = path.Root("workspace_id")
	rootDeploymentID = path.Root("deployment_id")
	rootID           = path.Root("id")
)

type listDataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*listDataSource)(nil)

// NewListDataSource is the revisions of a deployment, newest first.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

type listModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	DeploymentID types.String `tfsdk:"deployment_id"`
	Status       types.Set    `tfsdk:"status"`
	MaxResults   types.Int64  `tfsdk:"max_results"`
	Revisions    []model      `tfsdk:"revisions"`
}

func (d *listDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployment_revisions"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the revisions of a deployment, newest first. A revision is one rollout.",
		Attributes: map[string]schema.Attribute{
			"workspace_id":  framework.WorkspaceAttribute(),
			"deployment_id": deploymentIDAttribute(),
			"status": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Only revisions in one of these states, for example `[\"DEPLOYED\"]`. Default: all.",
				Validators: []validator.Set{
					setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"max_results": schema.Int64Attribute{
				Optional:            true,
				MarkdownDescription: "How many revisions at the most, the newest ones. Default: all.",
				Validators:          []validator.Int64{int64validator.AtLeast(1)},
			},
			"revisions": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The revisions, newest first.",
				NestedObject:        framework.ComputedObject(attributes()),
			},
		},
	}
}

func (d *listDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config listModel
	filter := client.RevisionFilter{}
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(config.Status.ElementsAs(ctx, &filter.Statuses, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	filter.Limit = int(config.MaxResults.ValueInt64())
	revisions, err := client.Collect(d.In(config.WorkspaceID).ListRevisions(ctx, config.DeploymentID.ValueString(), filter))
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot list revisions"}.Diagnostics(err)...)
		return
	}
	config.Revisions = make([]model, 0, len(revisions))
	for _, revision := range revisions {
		config.Revisions = append(config.Revisions, newModel(revision))
	}
	resp.Diagnostics.Append(framework.Write(ctx, resp.State.Schema, &resp.State.Raw, config)...)
}
