package tracing

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// parseThreadFilter reads a filter of conversations; nil for none.
func parseThreadFilter(text *string) (filter.Expr, error) {
	if strings.TrimSpace(rest.OrEmpty(text)) == "" {
		return nil, nil
	}
	expression, err := filter.ParseThread(*text)
	if syntax, is := errors.AsType[*filter.SyntaxError](err); is {
		return nil, rest.BadRequest("%s", syntax)
	}
	return expression, err
}

// threadMatches says whether a conversation matches an optional filter.
func (s *Service) threadMatches(c *rest.Call, t thread, where filter.Expr) (bool, error) {
	if where == nil {
		return true, nil
	}
	facts, err := s.factsOf(c, t)
	return err == nil && facts.match(where), err
}

// threadFacts are the values that filters of conversations compare: strings, and numbers that may be missing.
type threadFacts struct {
	id       string
	numbers  map[filter.Field]*float64
	feedback []store.Feedback
}

// factsOf returns those of a conversation's turns that match a query.
func (s *Service) factsOf(c *rest.Call, t thread) (threadFacts, error) {
	facts := threadFacts{id: t.id}
	sum, latencies, failed, err := s.threadFigures(c, t)
	if err != nil {
		return facts, err
	}
	count := func(n int64) *float64 { return new(float64(n)) }
	facts.numbers = map[filter.Field]*float64{
		filter.TurnCount: count(int64(len(t.turns))), filter.ErroredTurns: count(int64(failed)),
		filter.TraceLatencyP50: percentile(latencies, 0.5), filter.TraceLatencyP99: percentile(latencies, 0.99),
		filter.TotalTokens: count(sum.TotalTokens), filter.PromptTokens: count(sum.PromptTokens), filter.OutputTokens: count(sum.CompletionTokens),
		filter.TotalCost: dollars(sum.TotalCost), filter.PromptCost: dollars(sum.PromptCost), filter.OutputCost: dollars(sum.CompletionCost),
	}
	if end := t.last().EndTime; end != nil {
		facts.numbers[filter.ThreadDuration] = new(end.Sub(t.first().StartTime).Seconds())
	}
	for name, of := range map[filter.Field]map[string]usage.Decimal{
		"prompt_token_details": sum.PromptTokenDetails, "completion_token_details": sum.CompletionTokenDetails,
		"prompt_cost_details": sum.PromptCostDetails, "completion_cost_details": sum.CompletionCostDetails,
	} {
		for kind, n := range of {
			facts.numbers[name+filter.Field("."+kind)] = dollars(&n)
		}
	}
	return facts, eachFeedbackOn(c, t.turns, func(one store.Feedback) error {
		facts.feedback = append(facts.feedback, one)
		return nil
	})
}

// dollars converts an amount to a number for comparisons; nil for none.
func dollars(amount *usage.Decimal) *float64 {
	if amount == nil {
		return nil
	}
	n, err := strconv.ParseFloat(amount.String(), 64)
	if err != nil {
		return nil
	}
	return &n
}

// match says whether a conversation matches a filter.
func (f threadFacts) match(expression filter.Expr) bool {
	switch e := expression.(type) {
	case filter.And:
		// Sibling conditions on feedback refer to the same feedback.
		var said []filter.Expr
		for _, term := range e.Terms {
			if !aboutOneFeedback(term) {
				if !f.match(term) {
					return false
				}
				continue
			}
			said = append(said, term)
		}
		return len(said) == 0 || f.matchFeedback(said)
	case filter.Or:
		return slices.ContainsFunc(e.Terms, f.match)
	case filter.Not:
		return !f.match(e.Term)
	}
	if aboutOneFeedback(expression) {
		return f.matchFeedback([]filter.Expr{expression})
	}
	return holds(expression, func(field filter.Field) filter.Value {
		if field == filter.ThreadID {
			return filter.Value{Text: &f.id}
		}
		return numberValue(f.numbers[field])
	})
}

// aboutOneFeedback says whether a term compares a part of feedback.
func aboutOneFeedback(term filter.Expr) bool {
	switch term.(type) {
	case filter.Compare, filter.In:
		return aboutFeedback(term)
	}
	return false
}

// matchFeedback says whether some feedback satisfies all terms. A term that excludes a key requires that no feedback has
// it.
func (f threadFacts) matchFeedback(terms []filter.Expr) bool {
	holdFor := func(one store.Feedback, terms ...filter.Expr) bool {
		return !slices.ContainsFunc(terms, func(term filter.Expr) bool { return !holds(term, partOf(one)) })
	}
	var wanted []filter.Expr
	for _, term := range terms {
		e, is := term.(filter.Compare)
		if !is || e.Field != filter.FeedbackKey || e.Op != filter.NotEqual || e.Value.Null {
			wanted = append(wanted, term)
			continue
		}
		e.Op = filter.Equal
		if slices.ContainsFunc(f.feedback, func(one store.Feedback) bool { return holdFor(one, e) }) {
			return false
		}
	}
	return len(wanted) == 0 || slices.ContainsFunc(f.feedback, func(one store.Feedback) bool { return holdFor(one, wanted...) })
}

// partOf returns a part of feedback.
func partOf(one store.Feedback) func(filter.Field) filter.Value {
	return func(field filter.Field) filter.Value {
		switch field {
		case filter.FeedbackKey:
			return filter.Value{Text: &one.Key}
		case filter.FeedbackScore:
			return numberValue(one.Score)
		default:
			return filter.Value{Text: one.Value, Null: one.Value == nil}
		}
	}
}

func numberValue(n *float64) filter.Value {
	if n == nil {
		return filter.Value{Null: true}
	}
	return filter.Value{Number: new(strconv.FormatFloat(*n, 'f', -1, 64))}
}

// holds evaluates a comparison or a list.
func holds(term filter.Expr, read func(filter.Field) filter.Value) bool {
	switch e := term.(type) {
	case filter.Compare:
		return compareValues(read(e.Field), e.Op, e.Value)
	case filter.In:
		return slices.ContainsFunc(e.Values, func(v filter.Value) bool { return compareValues(read(e.Field), filter.Equal, v) })
	}
	return false
}

// compareValues compares an actual value with the expected one. A missing value differs from every value.
func compareValues(have filter.Value, op filter.Op, want filter.Value) bool {
	switch {
	case want.Null:
		return have.Null == (op == filter.Equal)
	case have.Null:
		return op == filter.NotEqual
	}
	order := strings.Compare(textOf(have), textOf(want))
	if have.Number != nil || want.Number != nil {
		left, err := strconv.ParseFloat(textOf(have), 64)
		right, wrong := strconv.ParseFloat(textOf(want), 64)
		if err != nil || wrong != nil {
			return op == filter.NotEqual
		}
		order = cmp.Compare(left, right)
	}
	switch op {
	case filter.Equal:
		return order == 0
	case filter.NotEqual:
		return order != 0
	case filter.Greater:
		return order > 0
	case filter.GreaterOrEqual:
		return order >= 0
	case filter.Less:
		return order < 0
	case filter.LessOrEqual:
		return order <= 0
	}
	return false
}

// textOf returns a non-null value as text.
func textOf(v filter.Value) string {
	if v.Bool != nil {
		return strconv.FormatBool(*v.Bool)
	}
	return rest.OrEmpty(v.Text) + rest.OrEmpty(v.Number)
}
