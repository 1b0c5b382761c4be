package usage

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// withCosts adds the costs that the block reports.
func (u Usage) withCosts(b *providerBlock) Usage {
	cost := b.amount(totalCostPaths)
	if ticks := b.amount(tickPaths); cost == nil && ticks != nil {
		dollars := ticks.Mul(Decimal{short: short{1, 10}})
		cost = &dollars
	}
	if cost == nil {
		return u
	}
	if b.text("isbyok") == "true" {
		cost = plusCost(cost, b.amount(upstreamCostPaths))
	}
	u.TotalCost = cost
	// The sides are those of the provider behind a gateway, which may charge less.
	in, out := b.amount(inputCostPaths), b.amount(outputCostPaths)
	if sides := plusCost(in, out); sides != nil && sides.Cmp(*cost) <= 0 {
		u.InputCost, u.OutputCost = in, out
	}
	return u
}

// amount returns the first amount at the paths.
func (b *providerBlock) amount(paths []string) *Decimal {
	for _, path := range paths {
		for _, leaf := range b.leaves[path] {
			if amount := readAmount(leaf.raw); amount != nil {
				return amount
			}
			b.problems = append(b.problems, leaf.invalid("not an amount", "write it as a number, 0 or more"))
		}
	}
	return nil
}

// text returns the value at a path, without quotes.
func (b *providerBlock) text(path string) string {
	for _, leaf := range b.leaves[path] {
		if text, ok := rawjson.ReadString(leaf.raw); ok {
			return text
		}
		return string(leaf.raw)
	}
	return ""
}

// tiers are those with other prices, by the names that providers give them.
var tiers = map[string]string{
	"flex": "flex", "priority": "priority", "batch": "batch", "fast": "fast", "on_demand_flex": "flex", "on_demand_priority": "priority",
}

// tier is the tier that the block names.
func (b *providerBlock) tier() string {
	for _, path := range tierPaths {
		if tier := tiers[strings.ToLower(b.text(path))]; tier != "" {
			return tier
		}
	}
	return ""
}

// readTier returns the tier that an answer names beside the usage.
func (a answer) readTier() string {
	around := []rawjson.Object{a.object}
	for _, key := range aroundKeys {
		if o, ok := rawjson.ReadObject(a.object.Get(key)); ok {
			around = append(around, o)
		}
	}
	for _, o := range around {
		for _, key := range []string{"service_tier", "serviceTier"} {
			name, _ := o.Text(key)
			if inner, ok := rawjson.ReadObject(o.Get(key)); ok {
				name, _ = inner.Text("type")
			}
			if tier := tiers[strings.ToLower(name)]; tier != "" {
				return tier
			}
		}
	}
	return ""
}

// atTier renames the details that a tier prices differently, and assigns the rest of each side to the tier.
func (u Usage) atTier(tier string) Usage {
	if tier == "" {
		return u
	}
	u.InputTokenDetails = u.InputTokenDetails.atTier(tier, u.InputTokens)
	u.OutputTokenDetails = u.OutputTokenDetails.atTier(tier, u.OutputTokens)
	return u
}

// basic are the kinds that have the price of their side.
var basic = []string{"text", "tool_use", "accepted_prediction", "rejected_prediction"}

func (c Counts) atTier(tier string, total *int64) Counts {
	if total == nil {
		return c
	}
	var at Counts
	rest := *total
	for kind, n := range c {
		if whole, _ := n.Int64(); !slices.Contains(basic, kind) {
			at, rest = at.plus(tier+"_"+kind, whole), rest-whole
		}
	}
	if rest > 0 {
		at = at.plus(tier, rest)
	}
	return at
}

// geminiTier is the number of tokens above which that provider's prices change.
const geminiTier = 200_000

// longContext tells the tokens apart for which Gemini has prices of long contexts.
func (s *sums) longContext(candidates int64) {
	cached, _ := s.details[0]["cache_read"].Int64()
	if over := cached - geminiTier; over > 0 {
		s.details[0]["cache_read"] = DecimalOf(geminiTier)
		s.details[0] = s.details[0].plus("cache_read_over_200k", over)
	}
	for side, n := range [...]int64{orZero(s.base[0]) - cached, candidates} {
		if over := n - geminiTier; over > 0 {
			s.details[side] = s.details[side].plus("over_200k", over)
		}
	}
}
