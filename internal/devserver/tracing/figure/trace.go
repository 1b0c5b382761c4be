package figure

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
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

// ownOf returns the figures of a run alone, without the runs below it, and the model that it has called; empty if it calls none.
func ownOf(row store.RunFigures) (usage.Totals, string, error) {
	f, err := ReadStored(row.ID, row.Figures)
	if err != nil {
		return usage.Totals{}, "", err
	}
	t := usage.Totals{
		PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens, TotalTokens: row.TotalTokens,
		PromptTokenDetails: f.PromptTokenDetails, CompletionTokenDetails: f.CompletionTokenDetails,
		PromptCostDetails: f.PromptCostDetails, CompletionCostDetails: f.CompletionCostDetails,
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
		*cost.to = &amount
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
func Own(row store.Run) (usage.Totals, error) {
	own, _, err := ownOf(figuresOfRow(row))
	return own, err
}

// figuresOfRow returns what a run contributes to the figures of those above it.
func figuresOfRow(row store.Run) store.RunFigures {
	return store.RunFigures{
		ID: row.ID, TraceID: row.TraceID, RunType: row.RunType, ParentRunID: row.ParentRunID, DottedOrder: row.DottedOrder, FirstTokenTime: row.FirstTokenTime,
		PromptTokens: row.PromptTokens, CompletionTokens: row.CompletionTokens, TotalTokens: row.TotalTokens,
		PromptCost: row.PromptCost, CompletionCost: row.CompletionCost, TotalCost: row.TotalCost, Figures: row.Figures,
		Failed: row.Error != nil, Interrupted: llmrun.Interrupted(api.OrEmpty(row.Error)),
	}
}

// Absurd reports whether a number is too large for tokens or dollars; negative ones are never read.
func Absurd(n decimal.Decimal) bool { return n.Cmp(decimal.Of(limits.Amount)) > 0 }

// Excessive returns what is wrong with the amounts of a run whose tokens or costs are absurd.
func Excessive(m llmrun.Measurement) (problems []string) {
	check := func(name string, n decimal.Decimal) {
		if Absurd(n) {
			problems = append(problems, fmt.Sprintf("%s is greater than %d", name, int64(limits.Amount)))
		}
	}
	for name, tokens := range map[string]*int64{
		"input_tokens": m.Usage.Input.Tokens, "output_tokens": m.Usage.Output.Tokens, "total_tokens": m.Usage.TotalTokens,
	} {
		if tokens != nil {
			check(name, decimal.Of(*tokens))
		}
	}
	for name, cost := range map[string]*decimal.Decimal{
		"input_cost": m.Cost.PromptCost, "output_cost": m.Cost.CompletionCost, "total_cost": m.Cost.TotalCost,
	} {
		if cost != nil {
			check(name, *cost)
		}
	}
	for name, details := range map[string]map[string]decimal.Decimal{
		"input_token_details": m.Usage.Input.Details, "output_token_details": m.Usage.Output.Details,
		"input_cost_details": m.Cost.PromptCostDetails, "output_cost_details": m.Cost.CompletionCostDetails,
	} {
		for kind, n := range details {
			check(name+"."+kind, n)
		}
	}
	slices.Sort(problems)
	return problems
}

// Trace are the runs of a trace with their figures. Many requests share one, so it must not be changed.
type Trace struct {
	// Runs are in dotted order; those that have no place yet come first. Nil unless they were requested.
	Runs []store.Run
	// Of are the figures of each run, by ID.
	Of map[string]Subtree
}

// Subtree are the figures of a run and of all runs below it.
type Subtree struct {
	Own    usage.Totals // Those of the run alone.
	Totals usage.Totals
	Models []string // Those that have been called, in order of their calls.
	Count
}

// Count is a number of runs, of those that failed, and of those that are interrupts of graphs.
type Count struct{ Runs, Failed, Interrupted int64 }

// keptRuns is the number of runs from which figures of a trace are kept: those of smaller ones are read faster than they are checked.
const keptRuns = 300

// bytesOfRun is about what the figures of a run take, besides its texts.
const bytesOfRun = 3 << 9

// ReadTrace returns a trace; it has no runs if it doesn't exist.
func ReadTrace(tx *store.Tx, workspaceID, traceID string) (*Trace, error) {
	return readTrace(tx, workspaceID, traceID, true)
}

// readTrace reads all columns of the runs only if they are requested.
func readTrace(tx *store.Tx, workspaceID, traceID string, whole bool) (*Trace, error) {
	kept, err := tx.CachedTrace(workspaceID, traceID)
	if err != nil {
		return nil, err
	}
	if trace, is := kept.(*Trace); is && (trace.Runs != nil || !whole) {
		return trace, nil
	}
	trace, f := &Trace{}, store.RunFilter{WorkspaceID: workspaceID, TraceID: traceID}
	var all []store.RunFigures
	if whole {
		trace.Runs, err = tx.TraceRuns(f)
		for _, row := range trace.Runs {
			all = append(all, figuresOfRow(row))
		}
	} else {
		err = tx.EachFigures(f, func(run store.RunFigures) error { all = append(all, run); return nil })
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b store.RunFigures) int { return strings.Compare(a.Place(), b.Place()) })
	if err := trace.addUp(all); err != nil || len(all) < keptRuns {
		return trace, err
	}
	bytes := len(all) * bytesOfRun
	for _, row := range trace.Runs {
		bytes += len(row.Name) + len(row.Figures) + len(api.OrEmpty(row.DottedOrder)) + len(api.OrEmpty(row.Error))
	}
	return trace, tx.CacheTrace(workspaceID, traceID, trace, bytes)
}

// SumOfTraces adds up the figures of all runs in the traces of some runs.
func SumOfTraces(tx *store.Tx, workspaceID string, runIDs []string) (sum usage.Totals, err error) {
	for ids := range slices.Chunk(runIDs, limits.ListedIDs) {
		err := tx.EachFiguresOfTraces(store.RunFilter{WorkspaceID: workspaceID, IDs: ids}, false, func(run store.RunFigures) error {
			own, _, err := ownOf(run)
			sum = sum.Add(own)
			return err
		})
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// Summarize adds up the figures of runs and of all runs below them, by ID.
func Summarize(tx *store.Tx, workspaceID string, rows []store.Run) (map[string]Subtree, error) {
	all, traces := make(map[string]Subtree, len(rows)), map[string]*Trace{}
	for _, row := range rows {
		trace := traces[row.TraceID]
		if trace == nil {
			var err error
			if trace, err = readTrace(tx, workspaceID, row.TraceID, false); err != nil {
				return nil, err
			}
			traces[row.TraceID] = trace
		}
		all[row.ID] = trace.Of[row.ID]
	}
	return all, nil
}

// addUp adds the figures of the runs of a trace, which are in order, to those above them.
func (t *Trace) addUp(all []store.RunFigures) error {
	of := make(map[string]*Subtree, len(all))
	for _, run := range all {
		of[run.ID] = &Subtree{}
	}
	for _, run := range all {
		own, model, err := ownOf(run)
		if err != nil {
			return err
		}
		of[run.ID].Own = own
		// The run counts for all of its ancestors that exist, even if its parent doesn't.
		for id := range run.Lineage() {
			if sum := of[id]; sum != nil {
				sum.include(run, own, model)
			}
		}
	}
	t.Of = make(map[string]Subtree, len(all))
	for id, sum := range of {
		t.Of[id] = *sum
	}
	return nil
}

// include adds the figures of a run, and the model that it has called.
func (s *Subtree) include(run store.RunFigures, own usage.Totals, model string) {
	s.Totals.Include(own)
	if model != "" && !slices.Contains(s.Models, model) {
		s.Models = append(s.Models, model)
	}
	s.Runs++
	switch {
	case run.Interrupted:
		s.Interrupted++
	case run.Failed:
		s.Failed++
	}
}
