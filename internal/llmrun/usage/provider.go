package usage

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// RuleProviderUsage is about the block of usage that a provider has answered.
const RuleProviderUsage = "provider_usage"

// providerUsage converts the block of a provider, and tells which one it is: each counts in its own way.
func providerUsage(outputs rawjson.Object, provider string, block found) (Usage, []message.Problem) {
	o, _ := rawjson.ReadObject(block.raw)
	b := providerBlock{object: o, at: block.at}
	kind, _ := outputs.Text("type")
	tier, _ := outputs.Text("service_tier")
	var u Usage
	switch {
	case o.Has("promptTokenCount") || o.Has("candidatesTokenCount"):
		u = b.gemini()
	case o.Has("promptTokens") || o.Has("completionTokens"):
		u = b.chatCamelCase()
	case o.Has("prompt_tokens") || o.Has("completion_tokens"):
		u = b.chat(tier)
	case o.Has("cache_read_input_tokens") || o.Has("cache_creation_input_tokens") || o.Has("cache_creation") ||
		kind == "message" || provider == "anthropic":
		u = b.messages()
	case o.Has("input_tokens") || o.Has("output_tokens"):
		u = b.responses(tier)
	default:
		// A total alone, in whatever spelling, is still a total.
		u = Usage{TotalTokens: b.count("total_tokens", "totalTokens", "totalTokenCount")}
	}
	return u, b.problems
}

// providerBlock is the usage that a provider has answered.
type providerBlock struct {
	object   rawjson.Object
	at       string
	problems []message.Problem
}

// count is the first of the members that is there, nil when none is, or it is no count.
func (b *providerBlock) count(keys ...string) *int64 {
	for _, key := range keys {
		raw := b.object.Get(key)
		if raw == nil || rawjson.IsNull(raw) {
			continue
		}
		n := readTokens(raw)
		if n == nil {
			b.problems = append(b.problems, message.Problem{Pointer: b.at + rawjson.Pointer(key), Rule: RuleProviderUsage,
				Message: key + " is " + rawjson.Show(raw) + ", not a count of tokens", Remedy: "write it as an integer, 0 or more"})
		}
		return n
	}
	return nil
}

// inner is an object within the block.
func (b *providerBlock) inner(key string) *providerBlock {
	o, _ := rawjson.ReadObject(b.object.Get(key))
	return &providerBlock{object: o, at: b.at + rawjson.Pointer(key)}
}

// details are counts within an object of the block, by the names that usage_metadata has for them.
func (b *providerBlock) details(key string, names map[string]string) Counts {
	inner := b.inner(key)
	var details Counts
	for member, name := range names {
		if n := inner.count(member); n != nil {
			details = details.with(name, *n)
		}
	}
	slices.SortFunc(inner.problems, func(a, b message.Problem) int { return strings.Compare(a.Pointer, b.Pointer) })
	b.problems = append(b.problems, inner.problems...)
	return details
}

func (c Counts) with(kind string, n int64) Counts {
	if c == nil {
		c = Counts{}
	}
	c[kind] = DecimalOf(n)
	return c
}

// chat converts the block of chat completions, whose details are parts of its totals.
func (b *providerBlock) chat(tier string) Usage {
	u := Usage{
		InputTokens: b.count("prompt_tokens"), OutputTokens: b.count("completion_tokens"), TotalTokens: b.count("total_tokens"),
		InputTokenDetails:  b.details("prompt_tokens_details", map[string]string{"audio_tokens": "audio", "cached_tokens": "cache_read"}),
		OutputTokenDetails: b.details("completion_tokens_details", map[string]string{"audio_tokens": "audio", "reasoning_tokens": "reasoning"}),
	}
	return u.atTier(tier).withTotal()
}

// responses converts the block of the responses format, which counts as chat completions do under other names.
func (b *providerBlock) responses(tier string) Usage {
	u := Usage{
		InputTokens: b.count("input_tokens"), OutputTokens: b.count("output_tokens"), TotalTokens: b.count("total_tokens"),
		InputTokenDetails:  b.details("input_tokens_details", map[string]string{"audio_tokens": "audio", "cached_tokens": "cache_read"}),
		OutputTokenDetails: b.details("output_tokens_details", map[string]string{"audio_tokens": "audio", "reasoning_tokens": "reasoning"}),
	}
	return u.atTier(tier).withTotal()
}

// chatCamelCase converts the block of the framework's older clients, which has totals only.
func (b *providerBlock) chatCamelCase() Usage {
	u := Usage{InputTokens: b.count("promptTokens"), OutputTokens: b.count("completionTokens"), TotalTokens: b.count("totalTokens")}
	return u.withTotal()
}

// messages converts the block of the messages format. Its input_tokens are those that no cache was involved in, so what
// was read from caches and written to them comes on top.
func (b *providerBlock) messages() Usage {
	u := Usage{InputTokens: b.count("input_tokens"), OutputTokens: b.count("output_tokens")}
	var details Counts
	cached := int64(0)
	add := func(kind string, n *int64) {
		if n != nil {
			details, cached = details.with(kind, *n), addTokens(cached, *n)
		}
	}
	add("cache_read", b.count("cache_read_input_tokens"))
	written := b.count("cache_creation_input_tokens")
	lifetimes := b.inner("cache_creation")
	short, long := lifetimes.count("ephemeral_5m_input_tokens"), lifetimes.count("ephemeral_1h_input_tokens")
	b.problems = append(b.problems, lifetimes.problems...)
	add("ephemeral_5m_input_tokens", short)
	add("ephemeral_1h_input_tokens", long)
	switch rest := orZero(written) - orZero(short) - orZero(long); {
	case short == nil && long == nil:
		add("cache_creation", written)
	case rest > 0:
		// Written for a lifetime that has no name here, and not to be lost.
		add("cache_creation", &rest)
	}
	if u.InputTokens != nil || details != nil {
		input := addTokens(orZero(u.InputTokens), cached)
		u.InputTokens, u.InputTokenDetails = &input, details
	}
	u.OutputTokenDetails = b.details("output_tokens_details", map[string]string{"thinking_tokens": "reasoning"})
	return u.withTotal()
}

// geminiTier is the number of input tokens above which that provider's prices change.
const geminiTier = 200_000

// gemini converts the block of the provider of that name.
func (b *providerBlock) gemini() Usage {
	u := Usage{
		InputTokens: b.count("promptTokenCount"), OutputTokens: b.count("candidatesTokenCount"), TotalTokens: b.count("totalTokenCount"),
	}
	if cached := b.count("cachedContentTokenCount"); cached != nil {
		u.InputTokenDetails = u.InputTokenDetails.with("cache_read", min(*cached, geminiTier))
		if *cached > geminiTier {
			u.InputTokenDetails = u.InputTokenDetails.with("cache_read_over_200k", *cached-geminiTier)
		}
	}
	if input := orZero(u.InputTokens); input > geminiTier {
		u.InputTokenDetails = u.InputTokenDetails.with("over_200k", input-geminiTier)
	}
	if thoughts := b.count("thoughtsTokenCount"); thoughts != nil {
		u.OutputTokenDetails = u.OutputTokenDetails.with("reasoning", *thoughts)
		input, output, total := u.Tokens()
		if all := addTokens(output, *thoughts); total == addTokens(input, all) {
			// The total tells that thoughts aren't among the candidates, but a detail is part of its total.
			u.OutputTokens = &all
		}
	}
	return u.withTotal()
}

// atTier renames what a service tier prices in its own way, and counts the rest of each side as the tier's.
func (u Usage) atTier(tier string) Usage {
	if tier != "priority" && tier != "flex" {
		return u
	}
	u.InputTokenDetails = u.InputTokenDetails.atTier(tier, "cache_read", u.InputTokens)
	u.OutputTokenDetails = u.OutputTokenDetails.atTier(tier, "reasoning", u.OutputTokens)
	return u
}

func (c Counts) atTier(tier, kind string, total *int64) Counts {
	if total == nil {
		return c
	}
	rest := DecimalOf(*total)
	if part, ok := c[kind]; ok {
		delete(c, kind)
		c[tier+"_"+kind] = part
		rest = rest.Sub(part)
	}
	if rest.Sign() < 0 {
		rest = Decimal{}
	}
	if c == nil {
		c = Counts{}
	}
	c[tier] = rest
	return c
}

// withTotal sets the total to the sum when the provider leaves it to the reader.
func (u Usage) withTotal() Usage {
	if u.TotalTokens == nil && (u.InputTokens != nil || u.OutputTokens != nil) {
		_, _, total := u.Tokens()
		u.TotalTokens = &total
	}
	return u
}
