package thread

import (
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// threadMatches reports whether a conversation matches an optional filter.
func threadMatches(tx *store.Tx, t thread, where filter.Expr) (bool, error) {
	if where == nil {
		return true, nil
	}
	facts, err := factsOf(tx, t)
	return err == nil && filter.Holds(where, facts), err
}

// threadFacts are the values that filters of conversations compare: strings, and numbers that may be missing.
type threadFacts struct {
	id       string
	numbers  map[filter.Field]*float64
	feedback []store.Feedback
}

// factsOf returns those of a conversation's turns that match a query.
func factsOf(tx *store.Tx, t thread) (threadFacts, error) {
	facts := threadFacts{id: t.id}
	sum, latencies, failed, err := threadFigures(tx, t)
	if err != nil {
		return facts, err
	}
	count := func(n int64) *float64 { return new(float64(n)) }
	facts.numbers = map[filter.Field]*float64{
		filter.TurnCount: count(int64(len(t.turns))), filter.ErroredTurns: count(int64(failed)),
		filter.TraceLatencyP50: figure.Percentile(latencies, 0.5), filter.TraceLatencyP99: figure.Percentile(latencies, 0.99),
		filter.TotalTokens: count(sum.TotalTokens), filter.PromptTokens: count(sum.PromptTokens), filter.OutputTokens: count(sum.CompletionTokens),
		filter.TotalCost: dollars(sum.TotalCost), filter.PromptCost: dollars(sum.PromptCost), filter.OutputCost: dollars(sum.CompletionCost),
	}
	if end := t.last().EndTime; end != nil {
		facts.numbers[filter.ThreadDuration] = new(end.Sub(t.first().StartTime).Seconds())
	}
	for name, of := range map[filter.Field]map[string]decimal.Decimal{
		"prompt_token_details": sum.PromptTokenDetails, "completion_token_details": sum.CompletionTokenDetails,
		"prompt_cost_details": sum.PromptCostDetails, "completion_cost_details": sum.CompletionCostDetails,
	} {
		for kind, n := range of {
			facts.numbers[name+filter.Field("."+kind)] = dollars(&n)
		}
	}
	return facts, feedback.Each(tx, t.workspaceID, t.turns, func(one store.Feedback) error {
		facts.feedback = append(facts.feedback, one)
		return nil
	})
}

// dollars converts an amount to a number for comparisons; nil for none.
func dollars(amount *decimal.Decimal) *float64 {
	if amount == nil {
		return nil
	}
	n, err := strconv.ParseFloat(amount.String(), 64)
	if err != nil {
		return nil
	}
	return &n
}

// Value implements filter.Subject.
func (f threadFacts) Value(field filter.Field) filter.Value {
	if field == filter.ThreadID {
		return filter.Value{Text: &f.id}
	}
	return numberValue(f.numbers[field])
}

// Entries implements filter.Subject: conversations have feedback.
func (f threadFacts) Entries(filter.Field) []filter.Entry {
	all := make([]filter.Entry, len(f.feedback))
	for i, one := range f.feedback {
		all[i] = filter.Entry{
			filter.FeedbackKey: {Text: &one.Key}, filter.FeedbackScore: numberValue(one.Score),
			filter.FeedbackValue: {Text: one.Value, Null: one.Value == nil},
		}
	}
	return all
}

// Contains implements filter.Subject. Filters of conversations can't search.
func (f threadFacts) Contains(string) bool { return false }

func numberValue(n *float64) filter.Value {
	if n == nil {
		return filter.Value{Null: true}
	}
	return filter.Value{Number: new(strconv.FormatFloat(*n, 'f', -1, 64))}
}
