package usage

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Counts are numbers of tokens by kind, such as cache_read. Unknown kinds are kept.
type Counts map[string]decimal.Decimal

// MarshalJSON writes numbers.
func (c Counts) MarshalJSON() ([]byte, error) {
	numbers := make(map[string]json.Number, len(c))
	for kind, n := range c {
		numbers[kind] = n.Number()
	}
	return json.Marshal(numbers)
}

// Costs are US dollars by kind of token. They are encoded as strings.
type Costs map[string]decimal.Decimal

// Usage is usage_metadata: the tokens and costs of model calls. Fields that are nil were absent.
type Usage struct {
	Input, Output Side
	TotalTokens   *int64
	TotalCost     *decimal.Decimal
	Charges       Charges `json:",omitzero"`
}

// Side is the input or the output. Details are parts of the tokens or the cost, but need not add up to them.
type Side struct {
	Tokens      *int64
	Details     Counts
	Cost        *decimal.Decimal
	CostDetails Costs
}

// IsZero reports whether it is empty.
func (u Usage) IsZero() bool {
	return u.Input.isZero() && u.Output.isZero() && u.TotalTokens == nil && u.TotalCost == nil && u.Charges.IsZero()
}

func (s Side) isZero() bool {
	return s.Tokens == nil && s.Details == nil && s.Cost == nil && s.CostDetails == nil
}

// Tokens returns the counts that the service stores: 0 for absent ones, and the sum as the default total.
func (u Usage) Tokens() (input, output, total int64) {
	input, output = orZero(u.Input.Tokens), orZero(u.Output.Tokens)
	if u.TotalTokens != nil {
		return input, output, *u.TotalTokens
	}
	return input, output, addTokens(input, output)
}

// Read reads a usage_metadata object, which must be valid JSON. It accepts quoted numbers, and omits negative and invalid
// ones, which the problems report.
func Read(raw json.RawMessage) (Usage, []document.Problem) {
	o, _ := rawjson.ReadObject(raw)
	side := func(name string) Side {
		return Side{
			readTokens(o.Get(name + "_tokens")), readDetails(o.Get(name + "_token_details")),
			readAmount(o.Get(name + "_cost")), readDetails(o.Get(name + "_cost_details")),
		}
	}
	u := Usage{Input: side("input"), Output: side("output"), TotalTokens: readTokens(o.Get("total_tokens")), TotalCost: readAmount(o.Get("total_cost"))}
	return u, message.ValidateUsage(raw)
}

// readAmount reads a number that is not negative.
func readAmount(raw json.RawMessage) *decimal.Decimal {
	var d decimal.Decimal
	if raw == nil || rawjson.IsNull(raw) || d.UnmarshalJSON(raw) != nil || d.Sign() < 0 {
		return nil
	}
	return &d
}

// readTokens reads a count, which clients with only floats may write as 12.0.
func readTokens(raw json.RawMessage) *int64 {
	if d := readAmount(raw); d != nil {
		if n, ok := d.Int64(); ok {
			return &n
		}
	}
	return nil
}

// readDetails reads the numbers of an object, nil if it isn't one.
func readDetails(raw json.RawMessage) map[string]decimal.Decimal {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return nil
	}
	details := make(map[string]decimal.Decimal, len(o))
	for _, m := range o {
		if n := readAmount(m.Value); n != nil {
			details[m.Key] = *n
		}
	}
	return details
}

// addTokens adds counts; an overflow is capped at the maximum rather than turning negative.
func addTokens(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func orZero[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// sumUsage adds up the usages of several calls made by one run.
//
// A cost that only some of the calls report is not the cost of the run: a side's cost is kept if every call with tokens on
// that side reports it; otherwise it is priced.
func sumUsage(calls []Usage) Usage {
	if len(calls) == 1 {
		return calls[0]
	}
	var sum Usage
	totals := true
	for i := range calls {
		u := &calls[i]
		_, _, total := u.Tokens()
		if u.hasTokens() {
			sum.TotalTokens = plusTokens(sum.TotalTokens, &total)
		}
		sum.Input.add(u.Input)
		sum.Output.add(u.Output)
		stated := u.statedTotal()
		sum.TotalCost = plusCost(sum.TotalCost, stated)
		totals = totals && (stated != nil || total == 0)
	}
	if slices.ContainsFunc(calls, func(u Usage) bool { return u.Input.lacksCost() }) {
		sum.Input.Cost, sum.Input.CostDetails = nil, nil
	}
	if slices.ContainsFunc(calls, func(u Usage) bool { return u.Output.lacksCost() }) {
		sum.Output.Cost, sum.Output.CostDetails = nil, nil
	}
	if !totals {
		sum.TotalCost = nil
	}
	return sum
}

func (s *Side) add(more Side) {
	s.Tokens, s.Details = plusTokens(s.Tokens, more.Tokens), plusDetails(s.Details, more.Details)
	s.Cost, s.CostDetails = plusCost(s.Cost, more.Cost), plusDetails(s.CostDetails, more.CostDetails)
}

func (s *Side) lacksCost() bool { return s.Cost == nil && orZero(s.Tokens) > 0 }

// statedTotal returns the total cost as far as the usage itself reports it.
func (u *Usage) statedTotal() *decimal.Decimal {
	if u.TotalCost != nil || u.Input.lacksCost() || u.Output.lacksCost() {
		return u.TotalCost
	}
	return plusCost(u.Input.Cost, u.Output.Cost)
}

func plusTokens(a, b *int64) *int64 { return plus(a, b, addTokens) }

func plusCost(a, b *decimal.Decimal) *decimal.Decimal { return plus(a, b, decimal.Decimal.Add) }

// plus adds figures; nil is unknown, not 0, so the sum of two unknown ones is unknown.
func plus[T any](a, b *T, add func(T, T) T) *T {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(add(*a, *b))
}

// plusDetails adds more to sum, which is modified unless it is nil.
func plusDetails[M ~map[string]decimal.Decimal](sum, more M) M {
	if more == nil {
		return sum
	}
	if sum == nil {
		sum = make(M, len(more))
	}
	for kind, n := range more {
		sum[kind] = sum[kind].Add(n)
	}
	return sum
}
