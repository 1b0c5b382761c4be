package listener

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists all listeners of the workspace.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[struct{}, api.Listener, dataModel]{
		Name: "listeners", Summary: "Cannot list listeners", Attributes: dataAttributes,
		Description: "Lists the listeners of the workspace. Listeners deploy `external_container` deployments to " +
			"self-hosted compute.",
		ListDescription: "All listeners of the workspace, in the service's order.",
		Items: func(ctx context.Context, c *client.Client, _ struct{}) iter.Seq2[api.Listener, error] {
			return c.Listeners().List(ctx)
		},
		Model: func(_ *client.Client, l api.Listener) dataModel { return newDataModel(l) },
	})
}

// filterModel selects listeners for terraform query.
type filterModel struct {
	ComputeID types.String `tfsdk:"compute_id"`
}

// NewListResource finds listeners for terraform query.
func NewListResource() list.ListResource {
	return framework.NewListResource(framework.ListSpec[filterModel, api.Listener]{
		TypeName: "listener", Plural: "listeners",
		Description: "Lists the listeners of a workspace, filtered, to import them in bulk.",
		Filters: map[string]schema.Attribute{
			"compute_id": framework.ListFilter("Only the listener with exactly this compute ID."),
		},
		Items: func(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.Listener, error], diag.Diagnostics) {
			return client.Filter(c.Listeners().List(ctx), func(l api.Listener) bool {
				return f.ComputeID.IsNull() || l.ComputeID == f.ComputeID.ValueString()
			}), nil
		},
		Name: func(l api.Listener) string { return l.ComputeID },
		Model: func(workspaceID types.String, l api.Listener) framework.Identified {
			return newModel(model{WorkspaceID: workspaceID}, l)
		},
	})
}
