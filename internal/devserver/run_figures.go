package devserver

import (
	"encoding/json"
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// figures are what a run's row holds as JSON, because nothing is looked up by it.
type figures struct {
	PromptTokenDetails     llmrun.Counts `json:"prompt_token_details,omitempty"`
	CompletionTokenDetails llmrun.Counts `json:"completion_token_details,omitempty"`
	PromptCostDetails      llmrun.Costs  `json:"prompt_cost_details,omitempty"`
	CompletionCostDetails  llmrun.Costs  `json:"completion_cost_details,omitempty"`
	// Problems tell why figures that the run has tried to state are missing.
	Problems []string `json:"problems,omitempty"`
	// Basis is a digest of all that the costs follow from but prices.
	Basis string `json:"basis,omitempty"`
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
func totalsOf(row store.RunFigures) (llmrun.Totals, error) {
	f, err := readFigures(row.ID, row.Figures)
	if err != nil {
		return llmrun.Totals{}, err
	}
	t := llmrun.Totals{
		PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens, TotalTokens: row.TotalTokens,
		PromptTokenDetails: f.PromptTokenDetails, CompletionTokenDetails: f.CompletionTokenDetails,
		PromptCostDetails: f.PromptCostDetails, CompletionCostDetails: f.CompletionCostDetails,
		FirstTokenTime: row.FirstTokenTime,
	}
	for _, cost := range []struct {
		from *string
		to   **llmrun.Decimal
	}{{row.PromptCost, &t.PromptCost}, {row.CompletionCost, &t.CompletionCost}, {row.TotalCost, &t.TotalCost}} {
		if cost.from == nil {
			continue
		}
		amount, err := llmrun.ParseDecimal(*cost.from)
		if err != nil {
			return llmrun.Totals{}, fmt.Errorf("cost of run %s: %w", row.ID, err)
		}
		*cost.to = &amount
	}
	if t.PromptCost == nil && t.CompletionCost == nil {
		t.OtherCost = t.TotalCost
	}
	return t, nil
}
