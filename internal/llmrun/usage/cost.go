package usage

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// Cost is the cost of a run's calls in US dollars. A nil cost is unknown, which differs from 0.
type Cost struct {
	PromptCost            *decimal.Decimal `json:"prompt_cost"`
	CompletionCost        *decimal.Decimal `json:"completion_cost"`
	TotalCost             *decimal.Decimal `json:"total_cost"`
	PromptCostDetails     Costs            `json:"prompt_cost_details"`
	CompletionCostDetails Costs            `json:"completion_cost_details"`
	// Price is the entry from which some cost was calculated, nil if all were reported.
	Price *Price `json:"-"`
	// Incomplete are the reasons why the calculated cost isn't what a provider bills, in alphabetical order.
	Incomplete []string `json:"-"`
}

// EstimateCost returns the cost that follows from a usage and a price; without a price, only what the usage reports.
//
// Reported costs take precedence over the price. A total that is reported alone stays alone: the cost of a tool or a
// subscription says nothing about either side. If only one side's cost is reported, the other side's tokens are priced.
func EstimateCost(u Usage, p *Price) Cost {
	u = u.once()
	c, price := Cost{TotalCost: u.TotalCost}, orZero(p)
	calculated := p != nil && u.TotalCost == nil && (u.Input.Cost == nil || u.Output.Cost == nil)
	cost := func(s Side, unit string, base decimal.Decimal, prices Costs) (*decimal.Decimal, Costs) {
		if billed, is := u.Charges.Units[unit]; is && s.Cost == nil {
			n, _ := billed.Int64()
			s = Side{Tokens: &n}
		}
		if !calculated || s.Cost != nil || s.Tokens == nil && len(s.Details) == 0 {
			return s.Cost, s.CostDetails
		}
		c.Price = p
		return c.priceTokens(s, base, prices, u.Charges.Modifiers)
	}
	c.PromptCost, c.PromptCostDetails = cost(u.Input, "input_tokens", price.PromptCost, price.PromptCostDetails)
	c.CompletionCost, c.CompletionCostDetails = cost(u.Output, "output_tokens", price.CompletionCost, price.CompletionCostDetails)
	if c.TotalCost == nil {
		c.TotalCost = plusCost(c.PromptCost, c.CompletionCost)
	}
	if calculated {
		c.addUnits(u, p)
	}
	return c
}

// once returns the usage with each token counted once, as it is priced. Clients convert the counts of providers to usage_metadata in
// different ways: some have what was written to a cache twice, in total and by lifetime, and what a provider counts beside a side isn't
// always in its tokens, but in the total.
func (u Usage) once() Usage {
	var lifetimes decimal.Decimal
	for kind, n := range u.Input.Details {
		if strings.HasPrefix(kind, "ephemeral_") {
			lifetimes = lifetimes.Add(n)
		}
	}
	const written = "cache_creation"
	if n, ok := u.Input.Details[written]; ok && n.Equal(lifetimes) { // Otherwise, it is what has another lifetime.
		u.Input.Details = maps.Clone(u.Input.Details)
		delete(u.Input.Details, written)
	}
	if u.TotalTokens == nil || u.Input.Tokens == nil || u.Output.Tokens == nil {
		return u
	}
	s := sums{base: [2]*int64{u.Input.Tokens, u.Output.Tokens}}
	for side, details := range [...]Counts{u.Input.Details, u.Output.Details} {
		for kind, n := range details {
			if whole, _ := n.Int64(); side == 0 && isCache(kind) {
				s.counts = append(s.counts, count{row: &row{side: side, reading: statedCaches}, n: whole})
			} else if side == 1 && kind == "reasoning" {
				s.counts = append(s.counts, count{row: &row{side: side, reading: statedReasoning}, n: whole})
			}
		}
	}
	fit, _ := s.decide(u.TotalTokens)
	u.Input.Tokens, u.Output.Tokens = &fit.total[0], &fit.total[1]
	return u
}

// The positions of counts in usage_metadata that clients may not have added to their side.
var statedCaches, statedReasoning = &reading{inside, outside}, &reading{inside, outside}

// addUnits adds the price of the request and of what is billed by itself to the total, which belong to neither side.
func (c *Cost) addUnits(u Usage, p *Price) {
	var units decimal.Decimal
	for unit, n := range u.Charges.Units {
		price, known := p.UnitCosts[unit]
		switch {
		case known && c.Price == nil && p.PromptCost.Sign() == 0:
			c.Price = p // It has no prices of tokens.
			fallthrough
		case known:
			units = units.Add(n.Mul(price))
		case unit != "input_tokens" && unit != "output_tokens":
			c.lacks(unit)
		}
	}
	if c.Price == nil {
		c.Incomplete = nil
		return
	}
	if units = units.Add(p.RequestCost); units.Sign() > 0 {
		c.TotalCost = plusCost(c.TotalCost, &units)
	}
	if p.Incomplete != "" {
		c.Incomplete = append(c.Incomplete, p.Incomplete)
	}
	slices.Sort(c.Incomplete)
	c.Incomplete = slices.Compact(c.Incomplete)
}

// lacks notes that the price of something is unknown.
func (c *Cost) lacks(what string) { c.Incomplete = append(c.Incomplete, "no price for "+what) }

// priceTokens prices one side, from the most to the least specific: each detail with its own price, and the rest of the
// total at the base price. Details without a price are part of the rest. A modifier that details name applies to them, any other one to
// all tokens.
func (c *Cost) priceTokens(s Side, base decimal.Decimal, prices Costs, modifiers []string) (*decimal.Decimal, Costs) {
	var sum, priced decimal.Decimal
	var byKind Costs
	for kind, n := range s.Details {
		tier, _, _ := strings.Cut(kind, "_")
		price, ok := prices.of(kind)
		if _, own := prices[kind]; !own && tiers[tier] == tier {
			if !ok {
				price, ok = base, c.Price.Multipliers[tier].Sign() > 0
			}
			if price.Sign() > 0 {
				price = price.Mul(c.multiplier(tier))
			}
		}
		modifiers = slices.DeleteFunc(slices.Clone(modifiers), func(m string) bool { return m == tier })
		if !ok {
			continue
		}
		cost := n.Mul(price)
		if byKind == nil {
			byKind = Costs{}
		}
		byKind[kind] = cost
		sum, priced = sum.Add(cost), priced.Add(n)
	}
	if rest := decimal.Of(orZero(s.Tokens)).Sub(priced); rest.Sign() > 0 {
		sum = sum.Add(rest.Mul(base))
		if base.Sign() == 0 && len(c.Price.UnitCosts) > 0 {
			c.lacks("tokens")
		}
	}
	for _, m := range modifiers {
		if sum.Sign() == 0 {
			break
		}
		factor := c.multiplier(m)
		sum = sum.Mul(factor)
		for kind, cost := range byKind {
			byKind[kind] = cost.Mul(factor)
		}
	}
	return &sum, byKind
}

// multiplier returns by what a modifier multiplies prices; 1 if that isn't known.
func (c *Cost) multiplier(modifier string) decimal.Decimal {
	if factor, known := c.Price.Multipliers[modifier]; known {
		return factor
	}
	c.lacks(modifier)
	return decimal.Of(1)
}

// kindAliases maps kinds without their own price to kinds whose price applies, in order: clients spell some in two ways, and prices
// don't always distinguish the lifetimes of caches. What is written for five minutes is what a price that doesn't say means.
var kindAliases = map[string][]string{
	"ephemeral_1h_input_tokens":  {"ephemeral_1hr_input_tokens", "cache_creation", "cache_write", "ephemeral_5m_input_tokens"},
	"ephemeral_1hr_input_tokens": {"ephemeral_1h_input_tokens", "cache_creation", "cache_write", "ephemeral_5m_input_tokens"},
	"ephemeral_5m_input_tokens":  {"cache_creation", "cache_write"},
	"ephemeral_30m_input_tokens": {"cache_creation", "cache_write", "ephemeral_5m_input_tokens"},
	"ephemeral_12h_input_tokens": {"cache_creation", "cache_write", "ephemeral_5m_input_tokens"},
	"cache_creation":             {"cache_write", "ephemeral_5m_input_tokens"},
	"cache_write":                {"cache_creation", "ephemeral_5m_input_tokens"},
}

// Kinds may be composed: the tier of the service, the kind of content, what the tokens are, and how long the prompt is, as in
// flex_cache_read, audio_cache_read and cache_read_over_200k. Without their own price, what the tokens are determines it. Tokens of which
// only the tier is known, such as flex, have the base price.
var (
	tierPrefixes    = []string{"batch_", "fast_", "flex_", "priority_", "long_context_"}
	contentPrefixes = []string{"audio_", "document_", "image_", "text_", "video_"}
)

const longPromptSuffix = "_over_200k"

func without(prefixes []string, kind string) string {
	for _, prefix := range prefixes {
		if rest, is := strings.CutPrefix(kind, prefix); is {
			return rest
		}
	}
	return kind
}

// of returns the price of a kind of tokens, under one of its names.
func (c Costs) of(kind string) (decimal.Decimal, bool) {
	anyTier := without(tierPrefixes, strings.TrimSuffix(kind, longPromptSuffix))
	for _, name := range [...]string{kind, anyTier, without(contentPrefixes, anyTier)} {
		if price, ok := c[name]; ok {
			return price, true
		}
		for _, alias := range kindAliases[name] {
			if price, ok := c[alias]; ok {
				return price, true
			}
		}
	}
	return decimal.Decimal{}, false
}
