package figure

import (
	"encoding/json"
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Stored are the figures of a run that are stored as JSON in its row, because no query uses them.
type Stored struct {
	// CostIncomplete are the reasons why the cost isn't all that a provider bills; empty if it is, and nil if the run has no cost, or was
	// stored before this was known. It comes first, so that it is read without the rest.
	CostIncomplete *[]string `json:"cost_incomplete,omitempty"`

	PromptTokenDetails     usage.Counts `json:"prompt_token_details,omitempty"`
	CompletionTokenDetails usage.Counts `json:"completion_token_details,omitempty"`
	PromptCostDetails      usage.Costs  `json:"prompt_cost_details,omitempty"`
	CompletionCostDetails  usage.Costs  `json:"completion_cost_details,omitempty"`
	// Problems say why figures that the run tried to report are missing.
	Problems []string `json:"problems,omitempty"`
	// Basis is a digest of everything that determines the costs, except for prices.
	Basis string `json:"basis,omitempty"`
	// Model is the model that the run has called.
	Model string `json:"model,omitempty"`
}

// Encode returns the stored form; encoding numbers and strings never fails.
func (f Stored) Encode() string {
	text, _ := json.Marshal(f)
	return string(text)
}

// None is the stored form of empty figures: most runs call no model.
const None = "{}"

// ReadStored decodes the figures in the row of a run.
func ReadStored(runID, text string) (Stored, error) {
	var f Stored
	switch text {
	case None:
		return f, nil
	case store.CompleteCost:
		f.CostIncomplete = &[]string{}
		return f, nil
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return f, fmt.Errorf("figures of run %s: %w", runID, err)
	}
	return f, nil
}

// totalsOf returns the figures of a run alone, without the runs below it.
func totalsOf(row store.RunFigures) (usage.Totals, error) {
	t, _, err := ownOf(row)
	return t, err
}

// ownOf is totalsOf with the model that the run has called; empty if it calls none.
func ownOf(row store.RunFigures) (usage.Totals, string, error) {
	f, err := ReadStored(row.ID, row.Figures)
	if err != nil {
		return usage.Totals{}, "", err
	}
	t := usage.Totals{
		PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens, TotalTokens: row.TotalTokens,
		PromptTokenDetails: withoutAbsurd(f.PromptTokenDetails), CompletionTokenDetails: withoutAbsurd(f.CompletionTokenDetails),
		PromptCostDetails: withoutAbsurd(f.PromptCostDetails), CompletionCostDetails: withoutAbsurd(f.CompletionCostDetails),
		FirstTokenTime: row.FirstTokenTime,
	}
	for _, cost := range []struct {
		from *string
		to   **decimal.Decimal
	}{{row.PromptCost, &t.PromptCost}, {row.CompletionCost, &t.CompletionCost}, {row.TotalCost, &t.TotalCost}} {
		if cost.from == nil {
			continue
		}
		amount, err := decimal.Parse(*cost.from)
		if err != nil {
			return usage.Totals{}, "", fmt.Errorf("cost of run %s: %w", row.ID, err)
		}
		if !Absurd(amount) {
			*cost.to = &amount
		}
	}
	if t.PromptCost == nil && t.CompletionCost == nil {
		t.OtherCost = t.TotalCost
	}
	if t.TotalCost == nil && llmrun.RunType(row.RunType).CallsModel() {
		t.UnpricedRuns, t.UnpricedTokens = 1, t.TotalTokens
	} else if llmrun.RunType(row.RunType).CallsModel() {
		switch {
		case f.CostIncomplete == nil:
			t.UncheckedRuns = 1
		case len(*f.CostIncomplete) > 0:
			t.IncompleteRuns = 1
		}
	}
	return t, f.Model, nil
}

// Own returns the figures of a run alone.
func Own(row store.Run) (usage.Totals, error) { return totalsOf(figuresOfRow(row)) }

// figuresOfRow returns what a run contributes to the figures of those above it.
func figuresOfRow(row store.Run) store.RunFigures {
	return store.RunFigures{
		ID: row.ID, TraceID: row.TraceID, RunType: row.RunType, ParentRunID: row.ParentRunID, DottedOrder: row.DottedOrder, FirstTokenTime: row.FirstTokenTime,
		PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens, TotalTokens: row.TotalTokens,
		PromptCost: row.PromptCost, CompletionCost: row.CompletionCost, TotalCost: row.TotalCost, Figures: row.Figures,
		Failed: row.Error != nil, Interrupted: llmrun.Interrupted(api.OrEmpty(row.Error)),
	}
}
