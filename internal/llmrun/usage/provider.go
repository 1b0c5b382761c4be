package usage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// ruleProviderUsage is about the usage block of a provider.
const ruleProviderUsage = "provider_usage"

// providerUsage converts the block of a provider.
func (a answer) providerUsage(block found) (Usage, []document.Problem) {
	b := newBlock(block)
	b.add(a.object.Get("providerMetadata"), "providermetadata", a.at+rawjson.Pointer("providerMetadata"), 1)
	u := b.usage()
	for _, more := range []json.RawMessage{b.object.Get("raw"), a.anthropicUsage()} {
		if !rawjson.IsObject(more) {
			continue
		}
		if exact := newBlock(found{more, block.at}).usage(); exact.covers(u) {
			exact.InputCost, exact.OutputCost, exact.TotalCost = u.InputCost, u.OutputCost, u.TotalCost
			u = exact
			break
		}
	}
	if cost := readAmount(a.object.Get("total_cost_usd")); cost != nil {
		u.InputCost, u.OutputCost, u.TotalCost = nil, nil, cost
	}
	return u.atTier(cmp.Or(b.tier(), a.tier)), b.problems
}

// anthropicUsage is Anthropic's own usage, which the AI SDK keeps.
func (a answer) anthropicUsage() json.RawMessage {
	metadata, _ := rawjson.ReadObject(a.object.Get("providerMetadata"))
	anthropic, _ := rawjson.ReadObject(metadata.Get("anthropic"))
	return anthropic.Get("usage")
}

// covers says whether a provider's own usage, which an SDK keeps beside its own, is of the same calls: that of the SDK leaves
// out some kinds and, in older versions, the caches of some providers.
func (u Usage) covers(sdk Usage) bool {
	if u.InputTokens == nil || u.OutputTokens == nil || orZero(sdk.OutputTokens) != *u.OutputTokens {
		return false
	}
	fresh := *u.InputTokens
	for kind, n := range u.InputTokenDetails {
		if whole, ok := n.Int64(); ok && isCache(kind) {
			fresh -= whole
		}
	}
	return orZero(sdk.InputTokens) == *u.InputTokens || orZero(sdk.InputTokens) == fresh
}

func isCache(kind string) bool {
	return strings.Contains(kind, "cache") || strings.HasPrefix(kind, "ephemeral")
}

// providerBlock is the usage in a provider's response.
type providerBlock struct {
	object rawjson.Object
	at     string
	// leaves are the values by path. Elements of a list have the same paths, unless a modality or a lifetime tells them apart.
	leaves map[string][]found
	// seen are the paths, and the object that had each last: some gateways spell a name in two ways.
	seen     map[string]int
	objects  int
	problems []document.Problem
}

func newBlock(f found) *providerBlock {
	b := &providerBlock{at: f.at, leaves: map[string][]found{}, seen: map[string]int{}}
	b.object, _ = rawjson.ReadObject(f.raw)
	b.add(f.raw, "", f.at, 0)
	return b
}

// maxBlockDepth is one more than that of any provider's block.
const maxBlockDepth = 5

func (b *providerBlock) add(raw json.RawMessage, path, at string, depth int) {
	if path != "" {
		path += "."
	}
	switch o, isObject := rawjson.ReadObject(raw); {
	case depth > maxBlockDepth:
	case isObject:
		b.objects++
		object := b.objects
		for _, m := range o {
			if name := path + plain(m.Key); !rawjson.IsNull(m.Value) && b.seen[name] != object {
				b.seen[name] = object
				b.add(m.Value, name, at+rawjson.Pointer(m.Key), depth+1)
			}
		}
	case rawjson.IsArray(raw):
		list, _ := rawjson.ReadArray(raw)
		for i, item := range list {
			o, _ := rawjson.ReadObject(item)
			name, ok := o.Text("modality")
			if !ok {
				name, _ = o.Text("ttl")
			}
			b.add(item, strings.TrimSuffix(path+plain(name), "."), at+rawjson.Pointer(i), depth+1)
		}
	case raw != nil && !rawjson.IsNull(raw):
		path = strings.TrimSuffix(path, ".")
		b.leaves[path] = append(b.leaves[path], found{raw, at})
	}
}

// usage reads the block by its table; a list of usages by model has none.
func (b *providerBlock) usage() Usage {
	var u Usage
	at := slices.IndexFunc(tables, func(t *table) bool { return b.has(t.marks) })
	if at < 0 {
		u = b.perModel()
	} else {
		u = b.by(tables[at])
	}
	return sumUsage(append([]Usage{u}, b.iterations()...)).withCosts(b)
}

// has says whether some path has a value. Other providers that use the format of one fill in nulls.
func (b *providerBlock) has(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return len(b.leaves[path]) > 0 })
}

func (b *providerBlock) by(t *table) Usage {
	s, total := t.read(b), b.count(t.total...)
	if n := b.amount(t.restIf); n != nil && n.Sign() > 0 && total != nil {
		if rest := *total - s.at(nil, nil).reported; rest > 0 {
			s.counts = append(s.counts, count{&row{kind: t.rest, reading: added}, rest})
			s.details[0] = s.details[0].plus(t.rest, rest)
		}
	}
	fit, ok := s.decide(total)
	if !ok {
		b.problems = append(b.problems, document.Problem{Pointer: b.at, Rule: ruleProviderUsage,
			Message: fmt.Sprintf("the counts add up to %d, but the total is %d", fit.reported, *total),
			Remedy:  "log the usage as the provider returns it, or log usage_metadata"})
	}
	if t == geminiTable {
		s.longContext(orZero(b.count("candidatestokencount")))
	}
	u := Usage{TotalTokens: total}
	for side, to := range []struct {
		total   **int64
		details *Counts
	}{{&u.InputTokens, &u.InputTokenDetails}, {&u.OutputTokens, &u.OutputTokenDetails}} {
		if n := fit.total[side]; s.base[side] != nil || n > 0 {
			*to.total = &n
		}
		*to.total, *to.details = boundedSide(*to.total, s.details[side])
	}
	if sum := addTokens(orZero(u.InputTokens), orZero(u.OutputTokens)); total == nil && u.hasTokens() || total != nil && sum > *total && ok {
		u.TotalTokens = &sum // No total, or one that leaves out some counts.
	}
	return u
}

// perModel adds up usages by model, such as those of an agent.
func (b *providerBlock) perModel() Usage {
	var calls []Usage
	for _, m := range b.object {
		if !rawjson.IsObject(m.Value) {
			continue
		}
		if inner := newBlock(found{m.Value, b.at + rawjson.Pointer(m.Key)}); inner.has(sidesTable.marks) {
			calls = append(calls, inner.usage())
			b.problems = append(b.problems, inner.problems...)
		}
	}
	if calls == nil {
		return Usage{}
	}
	return sumUsage(calls)
}

// iterations returns the usages that a block lists and doesn't add up: those of compactions and of advisors.
func (b *providerBlock) iterations() []Usage {
	var more []Usage
	list, _ := rawjson.ReadArray(b.object.Get("iterations"))
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		if kind, _ := o.Text("type"); kind == "compaction" || kind == "advisor_message" {
			inner := newBlock(found{raw, b.at + rawjson.Pointer("iterations", i)})
			more = append(more, inner.by(sidesTable))
			b.problems = append(b.problems, inner.problems...)
		}
	}
	return more
}

// count returns the first positive count at the paths, or else 0; nil if none has one.
func (b *providerBlock) count(paths ...string) *int64 {
	var n *int64
	for _, path := range paths {
		for _, leaf := range b.leaves[path] {
			more := readTokens(leaf.raw)
			if more == nil {
				b.problems = append(b.problems, leaf.invalid("not a count of tokens", "write it as an integer, 0 or more"))
				continue
			}
			n = plusTokens(n, *more)
		}
		if orZero(n) > 0 {
			break
		}
	}
	return n
}

func (f found) invalid(what, remedy string) document.Problem {
	key := f.at[strings.LastIndexByte(f.at, '/')+1:]
	return document.Problem{Pointer: f.at, Rule: ruleProviderUsage, Message: key + " is " + rawjson.Show(f.raw) + ", " + what, Remedy: remedy}
}

// plus adds to a kind; the result is a count, too.
func (c Counts) plus(kind string, n int64) Counts {
	if c == nil {
		c = Counts{}
	}
	before, _ := c[kind].Int64()
	c[kind] = DecimalOf(addTokens(before, n))
	return c
}

// sum returns the sum of all details.
func (c Counts) sum() int64 {
	var sum int64
	for _, n := range c {
		whole, _ := n.Int64()
		sum = addTokens(sum, whole)
	}
	return sum
}

// boundedSide limits the details to their total, whatever the provider has counted: each token should be priced once.
func boundedSide(total *int64, details Counts) (*int64, Counts) {
	if sum := details.sum(); total == nil && sum > 0 {
		total = &sum
	}
	if total == nil {
		return nil, details
	}
	rest, parts := *total, Counts(nil)
	// Prices of caches differ most, so they come first, and those of text least.
	kinds := sortedKeys(details)
	order := func(kind string) int { return rank(kind == "text") - rank(isCache(kind)) }
	slices.SortStableFunc(kinds, func(a, b string) int { return order(a) - order(b) })
	for _, kind := range kinds {
		n, _ := details[kind].Int64()
		if n = min(n, rest); n > 0 {
			parts, rest = parts.plus(kind, n), rest-n
		}
	}
	return total, parts
}
