package modelprice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// prices is the price map of a workspace. The API can't read a single entry, so a plan reads all entries from one list.
func listPrices(ctx context.Context, p *framework.ProviderData, workspaceID types.String) ([]api.ModelPrice, error) {
	c := p.In(workspaceID)
	return framework.RememberList(p, memoName, c, func() ([]api.ModelPrice, error) { return c.ModelPrices(ctx) })
}

// find returns nil without an error if there is no such entry.
func find(ctx context.Context, p *framework.ProviderData, workspaceID types.String, id string) (*api.ModelPrice, error) {
	prices, err := listPrices(ctx, p, workspaceID)
	if err != nil {
		return nil, err
	}
	for _, price := range prices {
		if price.ID == id {
			return &price, nil
		}
	}
	return nil, nil
}

// forget drops the cached list after a write, whether it succeeded or not.
func forget(p *framework.ProviderData, workspaceID types.String) {
	p.Memo.Forget(p.AnswersKey(memoName, p.In(workspaceID)))
}

const memoName = "model-prices"
