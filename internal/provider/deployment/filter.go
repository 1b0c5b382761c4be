package deployment

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// filterModel selects deployments in the list data source and in the list resource. They must match every filter that is
// set.
type filterModel struct {
	Name           types.String `tfsdk:"name"`
	NameContains   types.String `tfsdk:"name_contains"`
	Status         types.String `tfsdk:"status"`
	DeploymentType types.String `tfsdk:"deployment_type"`
	ImageVersion   types.String `tfsdk:"image_version"`
	IDs            types.List   `tfsdk:"ids"`
}

// list returns the deployments that match. An empty list of IDs matches none; the service would treat it as no filter.
func (m filterModel) list(ctx context.Context, c *client.Client) iter.Seq2[api.Deployment, error] {
	if !m.IDs.IsNull() && len(m.IDs.Elements()) == 0 {
		return client.Items[api.Deployment](nil, nil)
	}
	return c.ListDeployments(ctx, client.DeploymentFilter{
		Name:           m.Name.ValueString(),
		NameContains:   m.NameContains.ValueString(),
		Status:         api.DeploymentStatus(m.Status.ValueString()),
		DeploymentType: api.DeploymentType(m.DeploymentType.ValueString()),
		ImageVersion:   m.ImageVersion.ValueString(),
		IDs:            framework.Texts[string](m.IDs),
	})
}

// filterAttributes are the same filters for the data source as for the list resource.
func filterAttributes() map[string]schema.Attribute {
	all := map[string]schema.Attribute{}
	for name, attribute := range listFilters() {
		switch a := attribute.(type) {
		case listschema.StringAttribute:
			all[name] = framework.DataFilter(a.MarkdownDescription, a.Validators...)
		case listschema.ListAttribute:
			all[name] = schema.ListAttribute{
				Optional: true, ElementType: a.ElementType, MarkdownDescription: a.MarkdownDescription, Validators: a.Validators,
			}
		}
	}
	return all
}

func listFilters() map[string]listschema.Attribute {
	return map[string]listschema.Attribute{
		"name":          framework.ListFilter("Only the deployment of this name."),
		"name_contains": framework.ListFilter("Only deployments whose name contains this text."),
		"status": framework.ListFilter("Only deployments with this status: `AWAITING_DATABASE`, `READY`, `UNUSED`, "+
			"`AWAITING_DELETE` or `UNKNOWN`.", framework.OneOf(api.DeploymentStatuses...)),
		"deployment_type": framework.ListFilter("Only deployments of this tier: `dev_free`, `dev` or `prod`.",
			framework.OneOf(api.DeploymentTypes...)),
		"image_version": framework.ListFilter("Only deployments that run this image version."),
		"ids": listschema.ListAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Only deployments with one of these IDs. An empty list matches none.",
			Validators:          []validator.List{listvalidator.ValueStringsAre(framework.UUID())},
		},
	}
}
