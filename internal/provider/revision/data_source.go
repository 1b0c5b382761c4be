package revision

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type dataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

// NewDataSource is one revision of a deployment, the newest one by default.
func NewDataSource() datasource.DataSource { return &dataSource{} }

type singleModel struct {
	model
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	DeploymentID types.String `tfsdk:"deployment_id"`
}

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployment_revision"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := attributes()
	all["workspace_id"] = framework.WorkspaceAttribute()
	all["deployment_id"] = deploymentIDAttribute()
	all["id"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "ID of the revision, a UUID. Default: that of the newest revision.",
		Validators:          []validator.String{framework.UUID()},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one revision of a deployment: the newest one, or one by its ID. A revision is one rollout.",
		Attributes:          all,
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config singleModel
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, rootWorkspaceID, &config.WorkspaceID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, rootDeploymentID, &config.DeploymentID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, rootID, &config.ID)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := find(ctx, d.In(config.WorkspaceID), config)
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot read revision"}.Diagnostics(err)...)
		return
	}
	if found == nil {
		resp.Diagnostics.AddAttributeError(rootDeploymentID, "No revision",
			fmt.Sprintf("Deployment %s has no revision yet.", config.DeploymentID.ValueString()))
		return
	}
	config.model = newModel(*found)
	resp.Diagnostics.Append(resp.State.Set(ctx, &config)...)
}

// find is nil without an error when the deployment has no revision.
func find(ctx context.Context, c *client.Client, config singleModel) (*api.Revision, error) {
	deploymentID := config.DeploymentID.ValueString()
	if !config.ID.IsNull() {
		return c.GetRevision(ctx, deploymentID, config.ID.ValueString())
	}
	for revision, err := range c.ListRevisions(ctx, deploymentID, client.RevisionFilter{Limit: 1}) {
		return &revision, err
	}
	return nil, nil
}
