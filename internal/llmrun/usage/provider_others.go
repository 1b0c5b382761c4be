package usage

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// messages converts the block of the messages format. Its input_tokens don't include tokens read from or written to caches,
// so these are added.
func (b *providerBlock) messages() Usage {
	u := Usage{InputTokens: b.count("input_tokens"), OutputTokens: b.count("output_tokens")}
	u = u.plusCaches(b.caches())
	b.inner("output_tokens_details", func(d *providerBlock) {
		u.OutputTokenDetails = d.details(detail{"reasoning", []string{"thinking_tokens"}})
	})
	return u
}

// caches returns the cache counts of the messages format: tokens read, and tokens written by lifetime.
func (b *providerBlock) caches() Counts {
	details := b.details(detail{"cache_read", []string{"cache_read_input_tokens"}})
	written := orZero(b.count("cache_creation_input_tokens"))
	b.inner("cache_creation", func(lifetimes *providerBlock) {
		for _, key := range []string{"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"} {
			if n := orZero(lifetimes.count(key)); n > 0 {
				details, written = details.with(key, n), written-n
			}
		}
	})
	if written > 0 {
		// Tokens written with an unknown or unnamed lifetime must not be lost.
		details = details.with("cache_creation", written)
	}
	return details
}

// plusCaches adds cached tokens to the input.
func (u Usage) plusCaches(caches Counts) Usage {
	if u.InputTokens != nil || caches != nil {
		input := addTokens(orZero(u.InputTokens), caches.sum())
		u.InputTokens, u.InputTokenDetails = &input, caches
	}
	return u
}

// camelCase converts a block with names in camel case: that of the provider with a "converse" operation, whose cached
// tokens are added unless the total says otherwise, or that of an SDK, which has one name for the caches of all providers.
// The SDK omits the caches of one provider; beside is that provider's own block.
func (b *providerBlock) camelCase(beside json.RawMessage) Usage {
	u := Usage{InputTokens: b.count("inputTokens"), OutputTokens: b.count("outputTokens"), TotalTokens: b.count("totalTokens")}
	u.OutputTokenDetails = b.details(detail{"reasoning", []string{"reasoningTokens"}})
	if o, ok := rawjson.ReadObject(beside); ok {
		own := &providerBlock{object: o}
		u.TotalTokens = nil // It omits them, too.
		return u.plusCaches(own.caches())
	}
	u.InputTokenDetails = b.details(detail{"cache_read", []string{"cachedInputTokens"}})
	if u.InputTokenDetails != nil {
		return u
	}
	caches := b.details(detail{"cache_read", []string{"cacheReadInputTokens"}}, detail{"cache_creation", []string{"cacheWriteInputTokens"}})
	if u.TotalTokens != nil && *u.TotalTokens == addTokens(orZero(u.InputTokens), orZero(u.OutputTokens)) && caches.sum() <= orZero(u.InputTokens) {
		u.InputTokenDetails = caches
		return u
	}
	return u.plusCaches(caches)
}

// sdkParts converts the block of an SDK that splits each side into parts.
func (b *providerBlock) sdkParts() Usage {
	var u Usage
	b.inner("inputTokens", func(d *providerBlock) {
		u.InputTokens = d.count("total")
		u.InputTokenDetails = d.details(detail{"cache_read", []string{"cacheRead"}}, detail{"cache_creation", []string{"cacheWrite"}})
	})
	b.inner("outputTokens", func(d *providerBlock) {
		u.OutputTokens = d.count("total")
		u.OutputTokenDetails = d.details(detail{"reasoning", []string{"reasoning"}})
	})
	return u
}

// cohere converts the block of the provider of that name: the tokens of the model, or those that were billed.
func (b *providerBlock) cohere() Usage {
	var u Usage
	for _, key := range []string{"tokens", "billed_units"} {
		b.inner(key, func(d *providerBlock) {
			if u.IsZero() {
				u = Usage{InputTokens: d.count("input_tokens"), OutputTokens: d.count("output_tokens")}
			}
		})
	}
	u.InputTokenDetails = b.details(detail{"cache_read", []string{"cached_tokens"}})
	return u
}

// geminiTier is the number of tokens above which that provider's prices change.
const geminiTier = 200_000

// gemini converts the block of the provider of that name, in either spelling.
func (b *providerBlock) gemini() Usage {
	candidates := b.count("candidatesTokenCount", "candidates_token_count")
	u := Usage{
		InputTokens: b.count("promptTokenCount", "prompt_token_count"), OutputTokens: candidates,
		TotalTokens: b.count("totalTokenCount", "total_token_count"),
	}
	if response := b.count("responseTokenCount", "response_token_count"); response != nil {
		u.OutputTokens = response
	}
	prompt, cached := orZero(u.InputTokens), orZero(b.count("cachedContentTokenCount", "cached_content_token_count"))
	for _, part := range []struct {
		kind string
		n    int64
	}{
		{"cache_read", min(cached, geminiTier)}, {"cache_read_over_200k", cached - geminiTier}, {"over_200k", prompt - cached - geminiTier},
	} {
		if part.n > 0 {
			u.InputTokenDetails = u.InputTokenDetails.with(part.kind, part.n)
		}
	}
	if over := orZero(candidates) - geminiTier; over > 0 {
		u.OutputTokenDetails = u.OutputTokenDetails.with("over_200k", over)
	}
	thoughts := orZero(b.count("thoughtsTokenCount", "thoughts_token_count"))
	if thoughts > 0 {
		u.OutputTokenDetails = u.OutputTokenDetails.with("reasoning", thoughts)
	}
	return u.geminiSides(thoughts, orZero(b.count("toolUsePromptTokenCount", "tool_use_prompt_token_count")))
}

// geminiSides adds thoughts to the output and tool prompts to the input if the total shows that they are not included: a
// detail is part of its total.
func (u Usage) geminiSides(thoughts, tools int64) Usage {
	input, output := orZero(u.InputTokens), orZero(u.OutputTokens)
	if u.TotalTokens == nil {
		if thoughts > output {
			output = addTokens(output, thoughts)
			u.OutputTokens = &output
		}
		return u
	}
	missing := *u.TotalTokens - input - output
	if thoughts > 0 && (missing == thoughts || missing == thoughts+tools) {
		output += thoughts
		u.OutputTokens = &output
		missing -= thoughts
	}
	if tools > 0 && missing == tools {
		input += tools
		u.InputTokens = &input
	}
	return u
}
