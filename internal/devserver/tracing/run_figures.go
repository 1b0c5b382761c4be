package tracing

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// figures are what a run's row holds as JSON, because nothing is looked up by it.
type figures struct {
	PromptTokenDetails     usage.Counts `json:"prompt_token_details,omitempty"`
	CompletionTokenDetails usage.Counts `json:"completion_token_details,omitempty"`
	PromptCostDetails      usage.Costs  `json:"prompt_cost_details,omitempty"`
	CompletionCostDetails  usage.Costs  `json:"completion_cost_details,omitempty"`
	// Problems tell why figures that the run has tried to state are missing.
	Problems []string `json:"problems,omitempty"`
	// Basis is a digest of all that the costs follow from but prices.
	Basis string `json:"basis,omitempty"`
	// Model is the one that the run has called.
	Model string `json:"model,omitempty"`
}

// encode is how they are stored: numbers and texts can always be encoded.
func (f figures) encode() string {
	text, _ := json.Marshal(f)
	return string(text)
}

// modelOf is the model of a run, by its figures; empty for one that calls none. Most don't, and aren't taken apart.
func modelOf(row store.RunFigures) (string, error) {
	if !strings.Contains(row.Figures, `"model":`) {
		return "", nil
	}
	f, err := readFigures(row.ID, row.Figures)
	return f.Model, err
}

// noFigures is how figures of nothing are stored: most runs call no model.
const noFigures = "{}"

func readFigures(runID, text string) (figures, error) {
	var f figures
	if text == noFigures {
		return f, nil
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return f, fmt.Errorf("figures of run %s: %w", runID, err)
	}
	return f, nil
}

// totalsOf are the figures of a run alone, without the runs below it.
func totalsOf(row store.RunFigures) (usage.Totals, error) {
	f, err := readFigures(row.ID, row.Figures)
	if err != nil {
		return usage.Totals{}, err
	}
	t := usage.Totals{
		PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens, TotalTokens: row.TotalTokens,
		PromptTokenDetails: withoutAbsurd(f.PromptTokenDetails), CompletionTokenDetails: withoutAbsurd(f.CompletionTokenDetails),
		PromptCostDetails: withoutAbsurd(f.PromptCostDetails), CompletionCostDetails: withoutAbsurd(f.CompletionCostDetails),
		FirstTokenTime: row.FirstTokenTime,
	}
	for _, cost := range []struct {
		from *string
		to   **usage.Decimal
	}{{row.PromptCost, &t.PromptCost}, {row.CompletionCost, &t.CompletionCost}, {row.TotalCost, &t.TotalCost}} {
		if cost.from == nil {
			continue
		}
		amount, err := usage.ParseDecimal(*cost.from)
		if err != nil {
			return usage.Totals{}, fmt.Errorf("cost of run %s: %w", row.ID, err)
		}
		if !absurd(amount) {
			*cost.to = &amount
		}
	}
	if t.PromptCost == nil && t.CompletionCost == nil {
		t.OtherCost = t.TotalCost
	}
	return t, nil
}

// OwnTotals are the figures of the run alone.
func (s *Service) OwnTotals(row store.Run) (usage.Totals, error) {
	return totalsOf(store.RunFigures{
		ID: row.ID, FirstTokenTime: row.FirstTokenTime, PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens,
		TotalTokens: row.TotalTokens, PromptCost: row.PromptCost, CompletionCost: row.CompletionCost, TotalCost: row.TotalCost, Figures: row.Figures,
	})
}
