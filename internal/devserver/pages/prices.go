package pages

import (
	"encoding/json"
	"maps"
	"slices"

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
		var entry struct {
			Name       string                     `json:"name"`
			Pattern    string                     `json:"match_pattern"`
			Provider   string                     `json:"provider"`
			Prompt     json.RawMessage            `json:"prompt_cost"`
			Completion json.RawMessage            `json:"completion_cost"`
			PromptOf   map[string]json.RawMessage `json:"prompt_cost_details"`
			AnswerOf   map[string]json.RawMessage `json:"completion_cost_details"`
		}
		_ = json.Unmarshal([]byte(row.Entry), &entry) // An object was stored.
		price := web.Price{
			ID: row.ID, Name: entry.Name, Pattern: entry.Pattern, Provider: entry.Provider, Since: row.CreatedAt,
			Prompt: ofMillion(entry.Prompt), Completion: ofMillion(entry.Completion),
		}
		for _, details := range []map[string]json.RawMessage{entry.PromptOf, entry.AnswerOf} {
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
		return priceName(price)
	}
	if book := s.tracing.Prices.DefaultBook(); book != nil {
		if p := book.Find(model.Provider, model.Name, row.StartTime, row.PromptTokens); p != nil && p.ID == *row.PriceID {
			return p.Name + ", " + book.Date.Format("2 January 2006")
		}
	}
	return ""
}

// ofMillion converts a price per token to one per million tokens; empty if there is none.
func ofMillion(price json.RawMessage) string {
	amount, err := decimal.Parse(plain(price))
	if err != nil {
		return ""
	}
	return amount.Mul(decimal.Of(int64(million))).String()
}
