package otlp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// tokens is a token count of a call, and the attributes that may contain it, the first of which counts.
type tokens struct {
	name       string
	attributes []string
}

var (
	totals = []tokens{
		{"input_tokens", []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
			"llm.usage.prompt_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens"}},
		{"output_tokens", []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
			"llm.usage.completion_tokens", "ai.usage.outputTokens", "ai.usage.completionTokens"}},
		{"total_tokens", []string{"gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total", "ai.usage.totalTokens"}},
	}
	inputDetails = []tokens{
		{"cache_read", []string{"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.cached_tokens",
			"gen_ai.usage.input_cached_tokens", "gen_ai.usage.details.cache_read_tokens", "llm.token_count.prompt_details.cache_read",
			"llm.usage.cache_read_input_tokens", "ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"}},
		{"cache_creation", []string{"gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
			"gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.details.cache_write_tokens", "llm.token_count.prompt_details.cache_write",
			"llm.usage.cache_creation_input_tokens", "ai.usage.inputTokenDetails.cacheWriteTokens"}},
		{"audio", []string{"llm.token_count.prompt_details.audio"}},
	}
	outputDetails = []tokens{
		{"reasoning", []string{"gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.details.reasoning_tokens", "gen_ai.usage.reasoning_tokens",
			"llm.token_count.completion_details.reasoning", "llm.usage.reasoning_tokens", "ai.usage.reasoningTokens",
			"ai.usage.outputTokenDetails.reasoningTokens"}},
		{"audio", []string{"llm.token_count.completion_details.audio"}},
	}
)

// cachesApart are the instrumentations that count cached tokens apart from the input tokens, as Anthropic does.
var cachesApart = []string{"@traceloop/instrumentation-anthropic"}

// usage reads the usage of a call, which an instrumentation has logged, as usage_metadata; nil if there is none.
func (a attributes) usage(scope string) json.RawMessage {
	counts := a.counts(totals)
	input, output := a.counts(inputDetails), a.counts(outputDetails)
	a.literal("gen_ai.usage.input_token_details", input)
	a.literal("gen_ai.usage.output_token_details", output)
	if len(counts) == 0 && len(input) == 0 && len(output) == 0 {
		return nil
	}
	apart := a.providerInput(input) == counts["input_tokens"] || slices.Contains(cachesApart, scope)
	// Cached tokens are included in the input tokens. One provider counts them separately, and so do programs that log its
	// response.
	if cached := input["cache_read"] + input["cache_creation"]; cached > 0 && (apart || cached > counts["input_tokens"]) {
		counts["input_tokens"] += cached
		if total, given := counts["total_tokens"]; given && total < counts["input_tokens"]+counts["output_tokens"] {
			counts["total_tokens"] = counts["input_tokens"] + counts["output_tokens"]
		}
	}
	o := object(counts)
	if len(input) > 0 {
		o = o.With("input_token_details", object(input).Encode())
	}
	if len(output) > 0 {
		o = o.With("output_token_details", object(output).Encode())
	}
	return o.Encode()
}

// providerInput returns the input tokens in Anthropic's own usage, which the AI SDK copies, and adds the cached tokens beside
// them: an older version has them nowhere else.
func (a attributes) providerInput(input map[string]int64) int64 {
	var metadata struct {
		Anthropic struct {
			Usage struct {
				Input         int64 `json:"input_tokens"`
				CacheRead     int64 `json:"cache_read_input_tokens"`
				CacheCreation int64 `json:"cache_creation_input_tokens"`
			} `json:"usage"`
		} `json:"anthropic"`
	}
	if json.Unmarshal(payloadOf(a["ai.response.providerMetadata"]), &metadata) != nil {
		return 0
	}
	usage := metadata.Anthropic.Usage
	for kind, n := range map[string]int64{"cache_read": usage.CacheRead, "cache_creation": usage.CacheCreation} {
		if _, known := input[kind]; !known && n > 0 {
			input[kind] = n
		}
	}
	return usage.Input
}

func (a attributes) counts(of []tokens) map[string]int64 {
	counts := map[string]int64{}
	for _, t := range of {
		if n, given := a.count(t.attributes...); given {
			counts[t.name] = n
		}
	}
	return counts
}

// literal reads details in one attribute: JSON or, from Python, a printed dict. Details with their own attributes are
// already known.
func (a attributes) literal(key string, details map[string]int64) {
	raw := a.payload(key)
	if text, is := rawjson.ReadString(raw); is {
		raw, _ = parse(strings.ReplaceAll(text, "'", `"`))
	}
	o, _ := rawjson.ReadObject(raw)
	for _, m := range o {
		if n, err := strconv.ParseInt(string(m.Value), 10, 64); err == nil && n >= 0 {
			if _, known := details[m.Key]; !known {
				details[m.Key] = n
			}
		}
	}
}

func object(counts map[string]int64) rawjson.Object {
	members := rawjson.Members{}
	for name, n := range counts {
		members[name] = strconv.AppendInt(nil, n, 10)
	}
	return rawjson.Object(nil).WithAll(members)
}
