package usage

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// dec parses a number.
func dec(t testing.TB, s string) decimal.Decimal {
	t.Helper()
	d, err := decimal.Parse(s)
	assert.Must(t, err)
	return d
}

// TestEstimateCostProperties compares costs of random usages with integer computations in nanodollars.
func TestEstimateCostProperties(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	nano := dec(t, "1e-9")
	price := func() (int64, decimal.Decimal) {
		n := r.Int64N(100_000)
		return n, decimal.Of(n).Mul(nano)
	}
	kinds := []string{"audio", "cache_read", "cache_creation", "image", "unknown"}
	for range 500 {
		var p Price
		prompt, promptCost := price()
		completion, completionCost := price()
		p.PromptCost, p.CompletionCost, p.PromptCostDetails = promptCost, completionCost, Costs{}
		input, output := r.Int64N(1_000_000), r.Int64N(1_000_000)
		u := Usage{Input: Side{Tokens: &input, Details: Counts{}}, Output: Side{Tokens: &output}}
		want, rest := int64(0), input
		for _, kind := range kinds[:r.IntN(len(kinds)+1)] {
			n := r.Int64N(300_000)
			u.Input.Details[kind] = decimal.Of(n)
			if r.IntN(2) == 0 {
				each, cost := price()
				p.PromptCostDetails[kind] = cost
				want, rest = want+n*each, rest-n
			}
		}
		want += max(0, rest) * prompt
		got := EstimateCost(u, &p)
		if w := decimal.Of(want).Mul(nano); !got.PromptCost.Equal(w) {
			t.Fatalf("prompt cost of %+v with %+v = %s, want %s", u, p, got.PromptCost, w)
		}
		if w := decimal.Of(output * completion).Mul(nano); !got.CompletionCost.Equal(w) {
			t.Fatalf("completion cost of %d tokens at %s = %s, want %s", output, p.CompletionCost, got.CompletionCost, w)
		}
		if !got.TotalCost.Equal(got.PromptCost.Add(*got.CompletionCost)) || got.Price != &p {
			t.Fatalf("prompt %s and completion %s add up to %s, want their sum and the price", got.PromptCost, got.CompletionCost, got.TotalCost)
		}
	}
}

// TestStatedCostsWin combines stated costs in every way with tokens that have a price.
func TestStatedCostsWin(t *testing.T) {
	t.Parallel()
	stated, ten := dec(t, "7"), int64(10)
	p := &Price{PromptCost: dec(t, "1"), CompletionCost: dec(t, "2")}
	for _, tc := range []struct {
		input, output, total                   bool
		prompt, completion, sum                string // "-" means unknown.
		priced                                 bool
		withoutPrompt, withoutCompletion, bare string // The costs without a price.
	}{
		{false, false, false, "10", "20", "30", true, "-", "-", "-"},
		{true, false, false, "7", "20", "27", true, "7", "-", "7"},
		{false, true, false, "10", "7", "17", true, "-", "7", "7"},
		{true, true, false, "7", "7", "14", false, "7", "7", "14"},
		{false, false, true, "-", "-", "7", false, "-", "-", "7"},
		{true, false, true, "7", "-", "7", false, "7", "-", "7"},
		{true, true, true, "7", "7", "7", false, "7", "7", "7"},
	} {
		u := Usage{Input: Side{Tokens: &ten}, Output: Side{Tokens: &ten}}
		if tc.input {
			u.Input.Cost = &stated
		}
		if tc.output {
			u.Output.Cost = &stated
		}
		if tc.total {
			u.TotalCost = &stated
		}
		got, without := EstimateCost(u, p), EstimateCost(u, nil)
		assert.Same(t, fmt.Sprintf("stated input %t, output %t, total %t", tc.input, tc.output, tc.total), []string{tc.prompt, tc.completion, tc.sum}, costTexts(got))
		if (got.Price != nil) != tc.priced {
			t.Errorf("stated input %t, output %t, total %t: price = %v, want one: %t", tc.input, tc.output, tc.total, got.Price, tc.priced)
		}
		if diff := cmp.Diff([]string{tc.withoutPrompt, tc.withoutCompletion, tc.bare}, costTexts(without)); diff != "" || without.Price != nil {
			t.Errorf("without a price, stated input %t, output %t, total %t (-want +got):\n%s", tc.input, tc.output, tc.total, diff)
		}
	}
}

func costTexts(c Cost) []string {
	out := make([]string, 0, 3)
	for _, d := range []*decimal.Decimal{c.PromptCost, c.CompletionCost, c.TotalCost} {
		if d == nil {
			out = append(out, "-")
			continue
		}
		out = append(out, d.String())
	}
	return out
}

// TestPriceAliases prefers the spelling that usage and price share.
func TestPriceAliases(t *testing.T) {
	t.Parallel()
	ten := int64(10)
	u := Usage{Input: Side{Tokens: &ten, Details: Counts{"cache_write": decimal.Of(4)}}}
	p := &Price{PromptCost: decimal.Of(1), PromptCostDetails: Costs{"cache_creation": decimal.Of(3)}}
	if got := EstimateCost(u, p).PromptCost; got.String() != "18" {
		t.Errorf("cost by the alias = %s, want 18", got)
	}
	p.PromptCostDetails["cache_write"] = decimal.Of(2)
	if got := EstimateCost(u, p).PromptCost; got.String() != "14" {
		t.Errorf("cost by the name = %s, want 14", got)
	}
}

// TestPricesOfKinds has ten tokens of one kind among a hundred at 1 each, and prices for some kinds.
func TestPricesOfKinds(t *testing.T) {
	t.Parallel()
	hundred := int64(100)
	for _, tc := range []struct {
		kind   string
		prices Costs
		want   string
	}{
		{"cache_read", Costs{"cache_read": decimal.Of(3)}, "120"},
		{"cache_read", Costs{"cache_creation": decimal.Of(3)}, "100"},
		{"ephemeral_1h_input_tokens", Costs{"ephemeral_1hr_input_tokens": decimal.Of(4), "cache_creation": decimal.Of(3)}, "130"},
		{"ephemeral_1h_input_tokens", Costs{"cache_creation": decimal.Of(3)}, "120"},
		{"ephemeral_1hr_input_tokens", Costs{"ephemeral_5m_input_tokens": decimal.Of(3)}, "120"},
		{"ephemeral_5m_input_tokens", Costs{"ephemeral_1h_input_tokens": decimal.Of(3)}, "100"},
		{"cache_creation", Costs{"ephemeral_5m_input_tokens": decimal.Of(3)}, "120"},
		{"ephemeral_30m_input_tokens", Costs{"cache_creation": decimal.Of(3)}, "120"},
		{"ephemeral_12h_input_tokens", Costs{"ephemeral_5m_input_tokens": decimal.Of(3)}, "120"},
		{"cache_write", Costs{"cache_creation": decimal.Of(3), "ephemeral_5m_input_tokens": decimal.Of(4)}, "120"},
		{"flex_cache_read", Costs{"cache_read": decimal.Of(3), "flex": decimal.Of(4)}, "120"},
		{"flex_cache_read", Costs{"cache_read": decimal.Of(3), "flex_cache_read": decimal.Of(4)}, "130"},
		{"priority", Costs{"priority": decimal.Of(3)}, "120"},
		{"priority", Costs{"cache_read": decimal.Of(3)}, "100"},
		{"batch_cache_write", Costs{"cache_creation": decimal.Of(3)}, "120"},
		{"audio_cache_read", Costs{"cache_read": decimal.Of(3), "audio": decimal.Of(4)}, "120"},
		{"priority_audio_cache_read", Costs{"cache_read": decimal.Of(3), "audio": decimal.Of(4)}, "120"},
		{"priority_audio_cache_read", Costs{"cache_read": decimal.Of(3), "audio_cache_read": decimal.Of(4)}, "130"},
		{"fast_audio", Costs{"audio": decimal.Of(3), "cache_read": decimal.Of(4)}, "120"},
		{"batch_ephemeral_1h_input_tokens", Costs{"cache_creation": decimal.Of(3)}, "120"},
		{"audio", Costs{"image": decimal.Of(3)}, "100"},
		{"cache_read_over_200k", Costs{"cache_read": decimal.Of(3)}, "120"},
		{"long_context_cache_read", Costs{"cache_read": decimal.Of(3)}, "120"},
		{"over_200k", Costs{"cache_read": decimal.Of(3)}, "100"},
	} {
		u := Usage{Input: Side{Tokens: &hundred, Details: Counts{tc.kind: decimal.Of(10)}}}
		if got := EstimateCost(u, &Price{PromptCost: decimal.Of(1), PromptCostDetails: tc.prices}).PromptCost; got.String() != tc.want {
			t.Errorf("cost of %s at %v = %s, want %s", tc.kind, tc.prices, got, tc.want)
		}
	}
}

// TestRequestCost adds the price of a request to the total of whatever is priced.
func TestRequestCost(t *testing.T) {
	t.Parallel()
	ten, stated := int64(10), dec(t, "7")
	p := &Price{PromptCost: dec(t, "1"), RequestCost: dec(t, "0.5")}
	for _, tc := range []struct {
		usage Usage
		want  []string
	}{
		{Usage{Input: Side{Tokens: &ten}}, []string{"10", "-", "10.5"}},
		{Usage{Input: Side{Tokens: &ten}, TotalCost: &stated}, []string{"-", "-", "7"}},
		{Usage{Input: Side{Tokens: &ten, Cost: &stated}}, []string{"7", "-", "7"}},
		{Usage{}, []string{"-", "-", "-"}},
	} {
		assert.Same(t, fmt.Sprintf("%+v", tc.usage), tc.want, costTexts(EstimateCost(tc.usage, p)))
	}
}

// TestOwnPrices has modifiers and units that a price of the workspace names, or doesn't.
func TestOwnPrices(t *testing.T) {
	t.Parallel()
	ten := int64(10)
	one := Price{PromptCost: decimal.Of(1), CompletionCost: decimal.Of(1)}
	for name, tc := range map[string]struct {
		change  func(*Price)
		details Counts
		charges Charges
		want    string
		lacks   []string
	}{
		"nothing else":       {func(*Price) {}, nil, Charges{}, "10", nil},
		"a multiplier":       {func(p *Price) { p.Multipliers = Costs{"batch": dec(t, "0.5")} }, nil, Charges{Modifiers: []string{"batch"}}, "5", nil},
		"none":               {func(*Price) {}, nil, Charges{Modifiers: []string{"batch"}}, "10", []string{"no price for batch"}},
		"named by a detail":  {func(p *Price) { p.Multipliers = Costs{"batch": dec(t, "0.5")} }, Counts{"batch": decimal.Of(10)}, Charges{Modifiers: []string{"batch"}}, "5", nil},
		"a price of a tier":  {func(p *Price) { p.PromptCostDetails = Costs{"batch": decimal.Of(3)} }, Counts{"batch": decimal.Of(10)}, Charges{Modifiers: []string{"batch"}}, "30", nil},
		"free of charge":     {func(p *Price) { p.PromptCost = decimal.Of(0) }, Counts{"batch": decimal.Of(10)}, Charges{Modifiers: []string{"batch"}}, "0", nil},
		"a price of a unit":  {func(p *Price) { p.UnitCosts = Costs{"web_searches": decimal.Of(2)} }, nil, Charges{Units: Counts{"web_searches": decimal.Of(3)}}, "16", nil},
		"a unit for nothing": {func(p *Price) { p.UnitCosts = Costs{"web_searches": decimal.Of(0)} }, nil, Charges{Units: Counts{"web_searches": decimal.Of(3)}}, "10", nil},
		"no price of a unit": {func(*Price) {}, nil, Charges{Units: Counts{"web_searches": decimal.Of(3)}}, "10", []string{"no price for web_searches"}},
		"another region":     {func(p *Price) { p.Incomplete = "no price for the region us" }, nil, Charges{}, "10", []string{"no price for the region us"}},
	} {
		p := one
		tc.change(&p)
		got := EstimateCost(Usage{Input: Side{Tokens: &ten, Details: tc.details}, Charges: tc.charges}, &p)
		if got.TotalCost.String() != tc.want {
			t.Errorf("%s: cost = %s, want %s", name, got.TotalCost, tc.want)
		}
		assert.Same(t, fmt.Sprintf("%s: incomplete", name), tc.lacks, got.Incomplete)
	}
}
