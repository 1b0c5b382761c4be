package usage

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// ruleProviderUsage is about the usage block of a provider.
const ruleProviderUsage = "provider_usage"

// providerUsage converts the block of a provider in an answer.
func (a *answer) providerUsage(b providerBlock) (Usage, []document.Problem) {
	own := b.found
	b.leaves = slices.Concat(b.leaves, a.beside)
	u := b.usage()
	anthropic := a.member("providerMetadata").member("anthropic").member("usage") // The AI SDK keeps it, and Genkit the whole answer.
	whole := a.member("raw")
	for _, more := range []found{own.member("raw"), anthropic, whole.member("usage"), whole.member("usageMetadata")} {
		if more.at = own.at; more.raw == nil {
			continue
		}
		if exact := newBlock(more).usage(); exact.covers(u) {
			u = exact.withCostsOf(u)
			break
		}
	}
	if cost := readAmount(a.Get("total_cost_usd")); cost != nil {
		u = u.withCostsOf(Usage{TotalCost: cost})
	}
	tier := b.tier()
	u.Input.Details = u.Input.Details.atTier(tier, u.Input.Tokens)
	u.Output.Details = u.Output.Details.atTier(tier, u.Output.Tokens)
	return u, b.problems
}

// covers reports whether a provider's own usage, which an SDK keeps beside its own, is of the same calls: that of the SDK leaves
// out some kinds and, in older versions, the caches of some providers.
func (u Usage) covers(sdk Usage) bool {
	if u.Input.Tokens == nil || u.Output.Tokens == nil || orZero(sdk.Output.Tokens) != *u.Output.Tokens {
		return false
	}
	fresh := *u.Input.Tokens
	for kind, n := range u.Input.Details {
		if whole, ok := n.Int64(); ok && isCache(kind) {
			fresh -= whole
		}
	}
	return orZero(sdk.Input.Tokens) == *u.Input.Tokens || orZero(sdk.Input.Tokens) == fresh
}

func isCache(kind string) bool {
	return strings.Contains(kind, "cache") || strings.HasPrefix(kind, "ephemeral")
}

// usage reads the block by its table; usages by model have none.
func (b *providerBlock) usage() Usage {
	calls := b.iterations()
	if at := slices.IndexFunc(tables, func(t *table) bool { return b.has(t.marks) }); at >= 0 {
		calls = append(calls, b.by(tables[at]))
	} else {
		calls = append(calls, b.perModel()...)
	}
	return sumUsage(calls).withCosts(b)
}

func (b *providerBlock) by(t *table) Usage {
	s, total := t.read(b), b.count(totalPaths)
	if t == chatTable && orZero(b.amount(valuePaths["audio"])).Sign() > 0 && total != nil {
		usual, _ := s.at(0)
		if rest := *total - usual.reported; rest > 0 {
			s.counts = append(s.counts, count{row: &row{reading: added}, n: rest})
			s.details[0] = s.details[0].plus("audio", rest)
		}
	}
	fit, ok := s.decide(total)
	if !ok {
		b.problems = append(b.problems, document.Problem{Pointer: b.at, Rule: ruleProviderUsage,
			Message: fmt.Sprintf("the counts add up to %d, but the total is %d", fit.reported, *total),
			Remedy:  "log the usage as the provider returns it, or log usage_metadata"})
	}
	if t == geminiTable {
		s.longContext(b)
	}
	u := Usage{TotalTokens: total}
	u.Input.Tokens, u.Input.Details = s.bounded(0, fit.total[0])
	u.Output.Tokens, u.Output.Details = s.bounded(1, fit.total[1])
	if sum := addTokens(orZero(u.Input.Tokens), orZero(u.Output.Tokens)); total == nil && u.hasTokens() || total != nil && sum > *total && ok {
		u.TotalTokens = &sum // No total, or one that leaves out some counts.
	}
	return u
}

// bounded limits the details of a side to its total, whatever the provider has counted: each token should be priced once. Without
// a total, they add up to it.
func (s *sums) bounded(side int, total int64) (*int64, Counts) {
	known := s.base[side] != nil || total > 0
	if !known {
		total = math.MaxInt64
	}
	rest, parts := total, Counts(nil)
	// Prices of caches differ most, so they come first, and those of text least.
	order := func(kind string) int { return rank(kind == "text") - rank(isCache(kind)) }
	byPrice := func(a, b string) int { return cmp.Or(order(a)-order(b), strings.Compare(a, b)) }
	for _, kind := range slices.SortedFunc(maps.Keys(s.details[side]), byPrice) {
		n, _ := s.details[side][kind].Int64()
		if n = min(n, rest); n > 0 {
			parts, rest = parts.plus(kind, n), rest-n
		}
	}
	if !known {
		total -= rest
	}
	if !known && parts == nil {
		return nil, nil
	}
	return &total, parts
}

// perModel returns the usages of a block that has one for each model, such as that of an agent.
func (b *providerBlock) perModel() []Usage {
	var calls []Usage
	for _, m := range b.Object {
		if !rawjson.IsObject(m.Value) {
			continue
		}
		if inner := newBlock(newFound(m.Value, b.at+rawjson.Pointer(m.Key))); inner.has(sidesTable.marks) {
			calls = append(calls, inner.usage())
			b.problems = append(b.problems, inner.problems...)
		}
	}
	return calls
}

// iterations returns the usages that a block lists and doesn't add up: those of compactions and of advisors.
func (b *providerBlock) iterations() []Usage {
	var more []Usage
	list, _ := rawjson.ReadArray(b.Get("iterations"))
	for i, raw := range list {
		inner := newBlock(newFound(raw, b.at+rawjson.Pointer("iterations", i)))
		if kind, _ := inner.Text("type"); kind == "compaction" || kind == "advisor_message" {
			more = append(more, inner.by(sidesTable))
			b.problems = append(b.problems, inner.problems...)
		}
	}
	return more
}

// plus adds to a kind; the result is a count, too.
func (c Counts) plus(kind string, n int64) Counts {
	if c == nil {
		c = Counts{}
	}
	before, _ := c[kind].Int64()
	c[kind] = decimal.Of(addTokens(before, n))
	return c
}

// tick is the unit in which xAI counts costs.
var tick, _ = decimal.Parse("1e-10")

func (u Usage) withCosts(b *providerBlock) Usage {
	cost := b.amount(valuePaths["cost"])
	if ticks := b.amount(valuePaths["ticks"]); cost == nil && ticks != nil {
		cost = new(ticks.Mul(tick))
	}
	if cost == nil {
		return u
	}
	if slices.ContainsFunc(b.leaves, func(l leaf) bool { return l.path == valuePaths["own_key"][0] && l.text() == "true" }) {
		cost = plusCost(cost, b.amount(valuePaths["upstream_cost"]))
	}
	u.TotalCost = cost
	// The sides are those of the provider behind a gateway, which may charge less.
	in, out := b.amount(valuePaths["input_cost"]), b.amount(valuePaths["output_cost"])
	if sides := plusCost(in, out); sides != nil && sides.Cmp(*cost) <= 0 {
		u.Input.Cost, u.Output.Cost = in, out
	}
	return u
}

// tiers are those with other prices, by the names that providers give them.
var tiers = map[string]string{
	"flex": "flex", "priority": "priority", "batch": "batch", "fast": "fast", "on_demand_flex": "flex", "on_demand_priority": "priority",
}

// tier is the tier that the block names, or else the answer.
func (b *providerBlock) tier() string {
	for _, path := range tierPaths {
		for _, l := range b.leaves {
			if l.path == path && tiers[l.text()] != "" {
				return tiers[l.text()]
			}
		}
	}
	return ""
}

// basic are the kinds that have the price of their side.
var basic = []string{"text", "tool_use", "accepted_prediction", "rejected_prediction"}

// atTier renames the details of a side that a tier prices differently, and assigns the rest of it to the tier.
func (c Counts) atTier(tier string, total *int64) Counts {
	if total == nil || tier == "" {
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
func (s *sums) longContext(b *providerBlock) {
	var candidates int64
	if s.base[1] != nil { // Not responses of live sessions.
		candidates = orZero(b.count(valuePaths["candidates"]))
	}
	cached, _ := s.details[0]["cache_read"].Int64()
	if over := cached - geminiTier; over > 0 {
		s.details[0]["cache_read"] = decimal.Of(geminiTier)
		s.details[0] = s.details[0].plus("cache_read_over_200k", over)
	}
	for side, n := range [...]int64{orZero(s.base[0]) - cached, candidates} {
		if over := n - geminiTier; over > 0 {
			s.details[side] = s.details[side].plus("over_200k", over)
		}
	}
}
