package modelprice

import (
	"context"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists the price map.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[struct{}, api.ModelPrice, listedModel]{
		Name: "model_prices", Summary: "Cannot list model prices", Attributes: listedAttributes,
		Description: "Lists the price map, from which the tracing service computes costs: the entries of the workspace and " +
			"built-in ones.",
		ListDescription: "All entries, in the service's order.",
		Items: func(ctx context.Context, c *client.Client, _ struct{}) iter.Seq2[api.ModelPrice, error] {
			return c.ModelPrices().List(ctx)
		},
		Model: func(_ *client.Client, price api.ModelPrice) listedModel {
			return listedModel{newModel(model{}, price).dataModel, types.BoolValue(price.TenantID == nil)}
		},
	})
}

// listedModel is an entry of the workspace, or one that comes with the service.
type listedModel struct {
	dataModel
	BuiltIn types.Bool `tfsdk:"built_in"`
}

func listedAttributes() map[string]dataschema.Attribute {
	attributes := framework.Computed(modelPriceSchema().Attributes, "workspace_id")
	attributes["built_in"] = dataschema.BoolAttribute{
		Computed:            true,
		MarkdownDescription: "Whether the entry comes with the service. Such entries can't be managed.",
	}
	return attributes
}

// filterModel selects entries for terraform query. They must match every filter that is set.
type filterModel struct {
	NameContains  types.String `tfsdk:"name_contains"`
	ModelProvider types.String `tfsdk:"model_provider"`
}

// NewListResource finds model prices for terraform query.
func NewListResource() list.ListResource {
	return framework.NewListResource(framework.ListSpec[filterModel, api.ModelPrice]{
		TypeName: "model_price", Plural: "model prices",
		Description: "Lists the model prices of a workspace, filtered, to import them in bulk. Built-in entries of the " +
			"service are left out, because they can't be managed.",
		Filters: map[string]schema.Attribute{
			"name_contains":  framework.ListFilter("Only entries whose name contains this text (in any case)."),
			"model_provider": framework.ListFilter("Only entries for models of this provider."),
		},
		Items: func(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.ModelPrice, error], diag.Diagnostics) {
			return client.Filter(c.ModelPrices().List(ctx), f.match), nil
		},
		Name: func(price api.ModelPrice) string { return price.Name },
		Model: func(workspaceID types.String, price api.ModelPrice) framework.Identified {
			return newModel(model{WorkspaceID: workspaceID}, price)
		},
	})
}

// match filters here: the service has no filters.
func (f filterModel) match(price api.ModelPrice) bool {
	return price.TenantID != nil &&
		strings.Contains(strings.ToLower(price.Name), strings.ToLower(f.NameContains.ValueString())) &&
		(f.ModelProvider.IsNull() || f.ModelProvider.Equal(framework.StringOrNull(api.OrEmpty(price.Provider))))
}
