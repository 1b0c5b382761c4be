package usage

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// ruleProviderUsage is about the usage block of a provider.
const ruleProviderUsage = "provider_usage"

// providerUsage converts the block of a provider, and determines which provider it is from: each counts differently.
func (a answer) providerUsage(block found) (Usage, []document.Problem) {
	o, _ := rawjson.ReadObject(block.raw)
	b := &providerBlock{object: o, at: block.at}
	var u Usage
	switch {
	case b.says("promptTokenCount", "candidatesTokenCount", "responseTokenCount", "totalTokenCount",
		"prompt_token_count", "candidates_token_count", "response_token_count", "total_token_count"):
		u = b.gemini()
	case rawjson.IsObject(o.Get("billed_units")) || rawjson.IsObject(o.Get("tokens")):
		u = b.cohere()
	case rawjson.IsObject(o.Get("inputTokens")) || rawjson.IsObject(o.Get("outputTokens")):
		u = b.sdkParts()
	case b.says("inputTokens", "outputTokens"):
		u = b.camelCase(a.sdkCaches())
	case b.says("prompt_eval_count", "eval_count"):
		u = Usage{InputTokens: b.count("prompt_eval_count"), OutputTokens: b.count("eval_count")}
	case b.says("promptTokens", "completionTokens"):
		u = Usage{InputTokens: b.count("promptTokens"), OutputTokens: b.count("completionTokens"), TotalTokens: b.count("totalTokens")}
	case b.says("prompt_tokens", "completion_tokens"):
		u = b.chat().atTier(a.tier)
	case b.says("cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation") || a.kind == "message" || a.provider == "anthropic":
		u = b.messages()
	case b.says("input_tokens", "output_tokens"):
		u = b.responses().atTier(a.tier)
	default:
		// A total alone, in any spelling, is still a total.
		u = Usage{TotalTokens: b.count("total_tokens", "totalTokens")}
	}
	return u.bounded().withTotal(), b.problems
}

// providerBlock is the usage in a provider's response.
type providerBlock struct {
	object   rawjson.Object
	at       string
	problems []document.Problem
}

// says reports whether some member has a value. Other providers that use the format of one fill in nulls.
func (b *providerBlock) says(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		raw := b.object.Get(key)
		return raw != nil && !rawjson.IsNull(raw)
	})
}

// count returns the first of the members that has a value; nil if none has one, or if it isn't a count.
func (b *providerBlock) count(keys ...string) *int64 {
	for _, key := range keys {
		raw := b.object.Get(key)
		if raw == nil || rawjson.IsNull(raw) {
			continue
		}
		n := readTokens(raw)
		if n == nil {
			b.problems = append(b.problems, document.Problem{Pointer: b.at + rawjson.Pointer(key), Rule: ruleProviderUsage,
				Message: key + " is " + rawjson.Show(raw) + ", not a count of tokens", Remedy: "write it as an integer, 0 or more"})
		}
		return n
	}
	return nil
}

// inner returns an object within the block, whose problems are reported for the block.
func (b *providerBlock) inner(key string, read func(*providerBlock)) {
	o, _ := rawjson.ReadObject(b.object.Get(key))
	inner := &providerBlock{object: o, at: b.at + rawjson.Pointer(key)}
	read(inner)
	b.problems = append(b.problems, inner.problems...)
}

// detail is a kind of tokens, and the members that count them; the first with a value counts.
type detail struct {
	kind string
	keys []string
}

// details returns counts by kind; a count of 0 is omitted.
func (b *providerBlock) details(kinds ...detail) Counts {
	var details Counts
	for _, d := range kinds {
		if n := b.count(d.keys...); n != nil && *n > 0 {
			details = details.with(d.kind, *n)
		}
	}
	return details
}

func (c Counts) with(kind string, n int64) Counts {
	if c == nil {
		c = Counts{}
	}
	c[kind] = DecimalOf(n)
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

// bounded limits the details to their totals, whatever the provider has counted: each token should be priced once.
func (u Usage) bounded() Usage {
	u.InputTokens, u.InputTokenDetails = boundedSide(u.InputTokens, u.InputTokenDetails)
	u.OutputTokens, u.OutputTokenDetails = boundedSide(u.OutputTokens, u.OutputTokenDetails)
	return u
}

func boundedSide(total *int64, details Counts) (*int64, Counts) {
	if sum := details.sum(); total == nil && sum > 0 {
		total = &sum
	}
	if total == nil {
		return nil, details
	}
	rest, parts := *total, Counts(nil)
	// Prices of caches differ most, so they come first.
	kinds := sortedKeys(details)
	slices.SortStableFunc(kinds, func(a, b string) int { return rank(strings.Contains(b, "cache")) - rank(strings.Contains(a, "cache")) })
	for _, kind := range kinds {
		n, _ := details[kind].Int64()
		if n = min(n, rest); n > 0 {
			parts, rest = parts.with(kind, n), rest-n
		}
	}
	return total, parts
}

// withTotal sets the total to the sum if the provider doesn't report it.
func (u Usage) withTotal() Usage {
	if u.TotalTokens == nil && (u.InputTokens != nil || u.OutputTokens != nil) {
		_, _, total := u.Tokens()
		u.TotalTokens = &total
	}
	return u
}

// sdkCaches are the cache counts in a provider's metadata, beside a usage without them.
func (a answer) sdkCaches() json.RawMessage {
	metadata, _ := rawjson.ReadObject(a.object.Get("providerMetadata"))
	anthropic, _ := rawjson.ReadObject(metadata.Get("anthropic"))
	return anthropic.Get("usage")
}
