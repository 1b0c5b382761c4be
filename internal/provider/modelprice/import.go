package modelprice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

var importer = framework.Importer{
	TypeName: "agentplane_model_price", Noun: "model price", Example: "name:example-large",
	Hint: " Built-in entries can't be managed.",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		prices, err := listPrices(ctx, p, workspaceID)
		var ids []string
		for _, price := range prices {
			if price.TenantID != nil && price.Name == name {
				ids = append(ids, price.ID)
			}
		}
		return ids, err
	},
}
