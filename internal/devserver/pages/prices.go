package pages

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// million is the number of tokens for which prices are shown; stored prices are per token.
const million = 1_000_000

func (s *Service) showPrices(c *rest.Call, frame web.Frame) (web.View, error) {
	rows, err := c.Tx.ModelPrices(c.WorkspaceID)
	if err != nil {
		return nil, err
	}
	view := web.PricesView{Frame: frame, HCL: hclOfPrices(rows)}
	if book := s.tracing.Prices.DefaultBook(); book != nil {
		view.DefaultSource = book.Source + " " + book.Version + ", " + book.Date.Format("2 January 2006")
	}
	for _, row := range rows {
		entry := priceEntry(row)
		price := web.Price{
			ID: row.ID, Name: entry.Name, Pattern: entry.MatchPattern, Provider: api.OrEmpty(entry.Provider), Since: row.CreatedAt,
			Prompt: ofMillion(entry.PromptCost), Completion: ofMillion(entry.CompletionCost),
		}
		for _, details := range []map[string]api.DecimalNumber{entry.PromptCostDetails, entry.CompletionCostDetails} {
			for _, kind := range slices.Sorted(maps.Keys(details)) {
				price.Details = append(price.Details, web.Setting{Name: kind, Value: ofMillion(details[kind])})
			}
		}
		view.Prices = append(view.Prices, price)
	}
	return view, nil
}

// priceNameOf returns the name of the price from which the cost of a run was calculated; empty if there is none, or no longer.
func (s *Service) priceNameOf(c *rest.Call, row store.Run, model usage.Model) string {
	if row.PriceID == nil {
		return ""
	}
	if price, err := c.Tx.ModelPrice(c.WorkspaceID, *row.PriceID); err == nil {
		return priceEntry(price).Name
	}
	if book := s.tracing.Prices.DefaultBook(); book != nil {
		if p := book.Find(model.Provider, model.Name, row.StartTime, row.PromptTokens); p != nil && p.ID == *row.PriceID {
			return p.Name + ", " + book.Date.Format("2 January 2006")
		}
	}
	return ""
}

func priceEntry(row store.ModelPrice) (entry api.ModelPriceRequest) {
	_ = json.Unmarshal([]byte(row.Entry), &entry) // One was stored.
	return entry
}

// ofMillion converts a price per token to one per million tokens; empty if there is none.
func ofMillion(price api.DecimalNumber) string {
	amount, err := decimal.Parse(string(price))
	if err != nil {
		return ""
	}
	return amount.Mul(decimal.Of(int64(million))).String()
}
