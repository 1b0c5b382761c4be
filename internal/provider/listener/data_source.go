package listener

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

func newDataModel(answer api.Listener) dataModel { return newModel(model{}, answer).dataModel }

// NewDataSource reads one listener, by ID or by compute_id.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[dataModel]{
		Name: "listener", Attributes: singleDataAttributes, Read: readOne,
		Description: "Reads a listener, by ID or compute ID. Listeners deploy `external_container` deployments to " +
			"self-hosted compute.",
	})
}

func readOne(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *dataModel) diag.Diagnostics {
	found, err := lookUp(ctx, c, *config)
	if err != nil {
		return framework.Failure{Summary: "Cannot read listener"}.Diagnostics(err)
	}
	if found == nil {
		return framework.ErrorAt(path.Root("compute_id"), "Listener not found", "No listener of this workspace has the compute_id %q. The data "+
			"source agentplane_listeners lists the existing ones. Also check the provider's workspace_id (AGENTPLANE_WORKSPACE_ID).",
			config.ComputeID.ValueString())
	}
	*config = newDataModel(*found)
	return nil
}

// lookUp returns nil without an error if no listener has the compute_id.
func lookUp(ctx context.Context, c *client.Client, config dataModel) (*api.Listener, error) {
	if !config.ID.IsNull() {
		return c.Listeners().Get(ctx, config.ID.ValueString())
	}
	return find(ctx, c, config.ComputeID.ValueString())
}

// find returns nil without an error if no listener has the compute_id. The service has no filter for it.
func find(ctx context.Context, c *client.Client, computeID string) (*api.Listener, error) {
	return client.Find(c.Listeners().List(ctx), func(l api.Listener) bool { return l.ComputeID == computeID })
}

// dataAttributes are those of one listener; all of them are read from the service.
func dataAttributes() map[string]dataschema.Attribute {
	return framework.Computed(listenerSchema().Attributes, "workspace_id", "timeouts")
}

// singleDataAttributes are dataAttributes with the two that a listener can be looked up by.
func singleDataAttributes() map[string]dataschema.Attribute {
	all := dataAttributes()
	all["id"] = framework.DataKey("ID of the listener: the `source_config.listener_id` of a deployment. Exactly one of `id` and "+
		"`compute_id` is set.", framework.UUID(), framework.ExactlyOneOf("id", "compute_id"))
	all["compute_id"] = framework.DataKey("ID of the compute that the listener deploys to, for example the cluster's name; "+
		"unique in the workspace.", stringvalidator.LengthAtLeast(1))
	return all
}

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
