package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists the deployments of a workspace that match the filters.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "deployments", Attributes: listAttributes, Read: readList,
		Description: "Lists the deployments of a workspace that match all filters. Of their environments, only the " +
			"names are available.",
	})
}

type listModel struct {
	filterModel
	Deployments []dataModel `tfsdk:"deployments"`
}

func listAttributes() map[string]schema.Attribute {
	all := filterAttributes()
	all["deployments"] = framework.DataList("The deployments, in the order in which the service lists them.", dataAttributes())
	return all
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) diag.Diagnostics {
	filter, diags := config.toFilter(ctx)
	config.Deployments = []dataModel{}
	if diags.HasError() || config.findsNone() {
		return diags
	}
	c := provider.In(config.WorkspaceID)
	for deployment, err := range c.ListDeployments(ctx, filter) {
		if err != nil {
			return framework.Failure{Summary: "Cannot list deployments"}.Diagnostics(err)
		}
		m, d := newDataModel(c, deployment)
		diags.Append(d...)
		config.Deployments = append(config.Deployments, m)
	}
	return diags
}
