package deployment

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

type listDataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*listDataSource)(nil)

// NewListDataSource is the deployments of a workspace that match filters.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

type listModel struct {
	WorkspaceID    types.String `tfsdk:"workspace_id"`
	Name           types.String `tfsdk:"name"`
	NameContains   types.String `tfsdk:"name_contains"`
	Status         types.String `tfsdk:"status"`
	DeploymentType types.String `tfsdk:"deployment_type"`
	ImageVersion   types.String `tfsdk:"image_version"`
	IDs            types.Set    `tfsdk:"ids"`
	Deployments    []dataModel  `tfsdk:"deployments"`
}

func (d *listDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployments"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	filter := func(description string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: append(notEmpty, validators...)}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the deployments of a workspace, all of them or those that match every filter that is set. " +
			"Of their environments it shows the names only.",
		Attributes: map[string]schema.Attribute{
			"workspace_id":  framework.WorkspaceAttribute(),
			"name":          filter("Only the deployment of exactly this name."),
			"name_contains": filter("Only deployments whose name contains this text."),
			"status": filter("Only deployments in this state: `AWAITING_DATABASE`, `READY`, `UNUSED`, `AWAITING_DELETE` or " +
				"`UNKNOWN`."),
			"deployment_type": filter("Only deployments of this tier: `dev_free`, `dev` or `prod`.",
				stringvalidator.OneOf(values(api.DeploymentTypes)...)),
			"image_version": filter("Only deployments that serve this image version."),
			"ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Only deployments with one of these IDs, which are UUIDs.",
				Validators:          []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(uuidValidator())},
			},
			"deployments": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The deployments, in the order in which the service lists them.",
				NestedObject:        schema.NestedAttributeObject{Attributes: dataAttributes()},
			},
		},
	}
}

func (d *listDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config listModel
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	filter, diags := config.toFilter(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	deployments, err := client.Collect(d.In(config.WorkspaceID).ListDeployments(ctx, filter))
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot list deployments"}.Diagnostics(err)...)
		return
	}
	config.Deployments = make([]dataModel, 0, len(deployments))
	for _, deployment := range deployments {
		m, diags := newDataModel(ctx, deployment)
		resp.Diagnostics.Append(diags...)
		config.Deployments = append(config.Deployments, m)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &config)...)
}

func (m listModel) toFilter(ctx context.Context) (client.DeploymentFilter, diag.Diagnostics) {
	filter := client.DeploymentFilter{
		Name:           m.Name.ValueString(),
		NameContains:   m.NameContains.ValueString(),
		Status:         api.DeploymentStatus(m.Status.ValueString()),
		DeploymentType: api.DeploymentType(m.DeploymentType.ValueString()),
		ImageVersion:   m.ImageVersion.ValueString(),
	}
	diags := m.IDs.ElementsAs(ctx, &filter.IDs, false)
	return filter, diags
}
