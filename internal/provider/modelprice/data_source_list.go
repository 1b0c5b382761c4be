package modelprice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists the price map.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "model_prices", Read: readList,
		Description: "Lists the price map, from which the tracing service computes the costs of runs: the entries of the " +
			"workspace and those that come with the service. Prices are exact decimals, as in `agentplane_model_price`.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"model_prices": framework.DataList("All entries, in the order in which the service lists them.", listedAttributes()),
			}
		},
	})
}

type listModel struct {
	WorkspaceID types.String  `tfsdk:"workspace_id"`
	ModelPrices []listedModel `tfsdk:"model_prices"`
}

// listedModel is an entry with what tells those of the workspace from those of the service.
type listedModel struct {
	dataModel
	BuiltIn types.Bool `tfsdk:"built_in"`
}

func listedAttributes() map[string]schema.Attribute {
	attributes := framework.Computed(modelPriceSchema().Attributes, "workspace_id")
	attributes["built_in"] = schema.BoolAttribute{
		Computed:            true,
		MarkdownDescription: "Whether the entry comes with the service. Such entries can't be managed; entries of the workspace take precedence over them.",
	}
	return attributes
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) diag.Diagnostics {
	prices, err := provider.In(config.WorkspaceID).ModelPrices(ctx)
	if err != nil {
		return framework.Failure{Summary: "Cannot list model prices"}.Diagnostics(err)
	}
	config.ModelPrices = make([]listedModel, len(prices))
	for i, price := range prices {
		config.ModelPrices[i] = listedModel{newModel(model{}, price).dataModel, types.BoolValue(price.TenantID == nil)}
	}
	return nil
}
