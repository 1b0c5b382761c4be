package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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
	WorkspaceID    types.String `tfsdk:"workspace_id"`
	Name           types.String `tfsdk:"name"`
	NameContains   types.String `tfsdk:"name_contains"`
	Status         types.String `tfsdk:"status"`
	DeploymentType types.String `tfsdk:"deployment_type"`
	ImageVersion   types.String `tfsdk:"image_version"`
	IDs            types.List   `tfsdk:"ids"`
}

func (m filterModel) toFilter(ctx context.Context) (client.DeploymentFilter, diag.Diagnostics) {
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

// findsNone reports whether no deployment can match: the service would treat an empty list of IDs as no filter.
func (m filterModel) findsNone() bool { return !m.IDs.IsNull() && len(m.IDs.Elements()) == 0 }

// filterAttributes are those of a data source.
func filterAttributes() map[string]schema.Attribute {
	all := map[string]schema.Attribute{}
	for name, filter := range textFilters {
		all[name] = schema.StringAttribute{Optional: true, MarkdownDescription: filter.description, Validators: filter.validators()}
	}
	all["ids"] = schema.ListAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: idsDescription, Validators: idsValidators(),
	}
	return all
}

// listFilterAttributes are those of a list resource.
func listFilterAttributes() map[string]listschema.Attribute {
	all := map[string]listschema.Attribute{}
	for name, filter := range textFilters {
		all[name] = listschema.StringAttribute{Optional: true, MarkdownDescription: filter.description, Validators: filter.validators()}
	}
	all["ids"] = listschema.ListAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: idsDescription, Validators: idsValidators(),
	}
	return all
}

type textFilter struct {
	description string
	validator   validator.String // Default: any text.
}

var textFilters = map[string]textFilter{
	"name":          {description: "Only the deployment with exactly this name."},
	"name_contains": {description: "Only deployments whose name contains this text."},
	"status": {description: "Only deployments in this state: `AWAITING_DATABASE`, `READY`, `UNUSED`, `AWAITING_DELETE` or " +
		"`UNKNOWN`.", validator: framework.OneOf(api.DeploymentStatuses...)},
	"deployment_type": {
		description: "Only deployments of this tier: `dev_free`, `dev` or `prod`.", validator: framework.OneOf(api.DeploymentTypes...),
	},
	"image_version": {description: "Only deployments that run this image version."},
}

func (f textFilter) validators() []validator.String {
	if f.validator == nil {
		return []validator.String{stringvalidator.LengthAtLeast(1)}
	}
	return []validator.String{f.validator}
}

const idsDescription = "Only deployments with one of these IDs, which are UUIDs. An empty list matches none."

func idsValidators() []validator.List {
	return []validator.List{listvalidator.ValueStringsAre(framework.UUID())}
}
