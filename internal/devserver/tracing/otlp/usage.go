package otlp

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// tokens is a figure of a call, and the attributes that may contain it, the first of which counts.
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
			"gen_ai.usage.input_cached_tokens", "gen_ai.usage.input_tokens.cached", "gen_ai.usage.details.cache_read_tokens", "gen_ai.usage.cache_read_tokens",
			"gen_ai.usage.cached_input_tokens", "gen_ai.usage.prompt_tokens_details.cached_tokens", "gen_ai.usage.input_tokens_details.cached_tokens", "llm.token_count.prompt_details.cache_read",
			"llm.token_count.prompt_details.cache_input", "llm.usage.cache_read_input_tokens", "ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"}},
		{"cache_creation", []string{"gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
			"gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.details.cache_write_tokens", "gen_ai.usage.cache_creation_tokens",
			"gen_ai.usage.cache_write_tokens", "llm.token_count.prompt_details.cache_write",
			"llm.usage.cache_creation_input_tokens", "ai.usage.inputTokenDetails.cacheWriteTokens"}},
		{"audio", []string{"llm.token_count.prompt_details.audio"}},
	}
	outputDetails = []tokens{
		{"reasoning", []string{"gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.details.reasoning_tokens", "gen_ai.usage.reasoning_tokens",
			"gen_ai.usage.output_tokens.reasoning", "gen_ai.usage.output_tokens_details.reasoning_tokens",
			"gen_ai.usage.completion_tokens_details.reasoning_tokens",
			"llm.token_count.completion_details.reasoning", "llm.usage.reasoning_tokens", "ai.usage.reasoningTokens",
			"ai.usage.outputTokenDetails.reasoningTokens"}},
		{"audio", []string{"llm.token_count.completion_details.audio"}},
	}
)

// costs are the costs of a call in US dollars, in total and by kind of token.
var costs = map[string][]tokens{
	"": {
		{"input_cost", []string{"llm.cost.prompt"}}, {"output_cost", []string{"llm.cost.completion"}},
		{"total_cost", []string{"llm.cost.total", "gen_ai.usage.cost", "operation.cost"}},
	},
	"input_cost_details": {
		{"cache_read", []string{"llm.cost.prompt_details.cache_read", "llm.cost.prompt_details.cache_input"}},
		{"cache_creation", []string{"llm.cost.prompt_details.cache_write"}}, {"audio", []string{"llm.cost.prompt_details.audio"}},
	},
	"output_cost_details": {
		{"reasoning", []string{"llm.cost.completion_details.reasoning"}}, {"audio", []string{"llm.cost.completion_details.audio"}},
	},
}

// cachesApart are the instrumentations that count cached tokens apart from the input tokens, as Anthropic does.
var cachesApart = []string{"@traceloop/instrumentation-anthropic"}

// usage reads the usage of a call, which an instrumentation has logged, as usage_metadata; nil if there is none.
func (a attributes) usage(scope string) json.RawMessage {
	counts := a.counts(totals)
	input, output := a.counts(inputDetails), a.counts(outputDetails)
	a.literal("gen_ai.usage.input_token_details", input)
	a.literal("gen_ai.usage.output_token_details", output)
	o := a.costs("")
	if cost := a.gatewayCost(); cost != nil && !o.Has("total_cost") {
		o = o.With("total_cost", json.RawMessage(cost.String()))
	}
	if len(counts) == 0 && len(input) == 0 && len(output) == 0 && len(o) == 0 {
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
	// One provider doesn't include reasoning in the output tokens, only in the total.
	if n := output["reasoning"]; n > 0 && counts["total_tokens"] == counts["input_tokens"]+counts["output_tokens"]+n {
		counts["output_tokens"] += n
	}
	members := counted(counts)
	for key, details := range map[string]rawjson.Object{
		"input_token_details": rawjson.Object(nil).WithAll(counted(input)), "output_token_details": rawjson.Object(nil).WithAll(counted(output)),
		"input_cost_details": a.costs("input_cost_details"), "output_cost_details": a.costs("output_cost_details"),
	} {
		if len(details) > 0 {
			members[key] = details.Encode()
		}
	}
	return o.WithAll(members).Encode()
}

// withOwnUsage adds the usage that an unknown convention has written, as a block of a provider: whole, or one count an attribute. What the
// reader of such blocks doesn't understand isn't added.
func (b *builder) withOwnUsage(outputs rawjson.Object) rawjson.Object {
	if b.counted = countsTokens(outputs); b.counted {
		return outputs
	}
	for n := range b.family.called(usageWords) {
		block := nestedPayload(payloadOf(b.attributes[n.key]))
		if with := outputs.With("usage", block); rawjson.IsObject(block) && countsTokens(with) {
			b.counted = true
			delete(b.attributes, n.key)
			return with
		}
	}
	for _, words := range []int{math.MaxInt, 2} { // The whole last part of a name, or only its last words.
		var counts rawjson.Object
		var taken []string
		for n := range b.family.unread() {
			if name := n.count(words); n.countsTokens(b.attributes) && !counts.Has(name) {
				count, _ := countOf(b.attributes[n.key])
				counts, taken = counts.With(name, strconv.AppendInt(nil, count, 10)), append(taken, n.key)
			}
		}
		with := outputs.With("usage", counts.Encode())
		if b.counted = countsTokens(with); b.counted {
			b.attributes.drop(taken...)
			return with
		}
	}
	return outputs
}

// count returns the name of a count in a block of a provider: the last words of the last part of the attribute's name.
func (n named) count(most int) string {
	words := strings.Fields(wordsOf(n.key[strings.LastIndexAny(n.key, ".:/")+1:]))
	if !strings.Contains(strings.Join(words, " "), "token") {
		words = append(words, "tokens")
	}
	return strings.Join(words[max(0, len(words)-most):], "_")
}

// countsTokens reports whether outputs have the usage of a call.
func countsTokens(outputs rawjson.Object) bool {
	_, _, total := usage.Places{Outputs: outputs.Encode()}.Find().Usage.Tokens()
	return total > 0
}

// costs reads the costs of one member of usage_metadata; those of the empty one are members themselves.
func (a attributes) costs(of string) rawjson.Object {
	var o rawjson.Object
	for _, cost := range costs[of] {
		if n, given := a.number(cost.attributes...); given && n >= 0 && !math.IsInf(n, 0) {
			o = o.With(cost.name, strconv.AppendFloat(nil, n, 'g', -1, 64))
		}
	}
	return o
}

// gatewayCost returns the cost that a gateway reports to the AI SDK.
func (a attributes) gatewayCost() *decimal.Decimal {
	value := a["ai.response.providerMetadata"]
	if value == nil {
		return nil
	}
	outputs := rawjson.Of("usage", json.RawMessage("{}")).WithRaw("providerMetadata", payloadOf(value))
	return usage.Places{Outputs: outputs.Encode()}.Find().Usage.TotalCost
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
	own := metadata.Anthropic.Usage
	for kind, n := range map[string]int64{"cache_read": own.CacheRead, "cache_creation": own.CacheCreation} {
		if _, known := input[kind]; !known && n > 0 {
			input[kind] = n
		}
	}
	return own.Input
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

func counted(counts map[string]int64) rawjson.Members {
	members := rawjson.Members{}
	for name, n := range counts {
		members[name] = strconv.AppendInt(nil, n, 10)
	}
	return members
}
