package usage

import "strings"

// The readings of counts. Where providers differ, the first is that of the API that the others imitate.
var (
	included = &reading{inside}
	added    = &reading{outside}
	unlisted = &reading{apart}
	// Reasoning is part of the completion for OpenAI, but not for xAI; Perplexity doesn't include it in any total.
	reasoning = &reading{inside, outside, apart}
	// Caches are not part of the input for Anthropic and Bedrock's Converse, except for some models of the latter.
	caches = &reading{outside, inside}
	// The AI SDK leaves out the caches of some providers.
	cachesOfSDK = &reading{inside, outside, apart}
	// Thoughts and tool results are not part of Gemini's candidates and prompt, except for older models.
	thoughts = &reading{outside, inside}
	tools    = &reading{outside, inside}
)

// chatTable is for chat completions and those that imitate them: OpenAI, xAI, DeepSeek, Groq, Mistral, Perplexity,
// OpenRouter, LiteLLM, LangChain's token_usage and the AI SDK's version 4.
var chatTable = &table{
	marks: paths("prompt_tokens", "completion_tokens"),
	rows: append([]row{
		input("", included, "prompt_tokens", "input_tokens"),
		output("", included, "completion_tokens", "output_tokens"),
		input("cache_read", included, "prompt_tokens_details.cached_tokens", "cache_read_input_tokens", "prompt_cache_hit_tokens"),
		input("cache_creation", included, "prompt_tokens_details.cache_write_tokens", "prompt_tokens_details.cache_creation_tokens",
			"cache_creation_input_tokens"),
		input("cache_read", unlisted, "answer.provider_metadata.anthropic.cache_read_input_tokens"),
		input("cache_creation", unlisted, "answer.provider_metadata.anthropic.cache_creation_input_tokens"),
		input(fiveMinutes, included, "cache_creation."+fiveMinutes,
			"prompt_tokens_details.cache_creation_token_details."+fiveMinutes).partOf("cache_creation"),
		input(oneHour, included, "cache_creation."+oneHour,
			"prompt_tokens_details.cache_creation_token_details."+oneHour).partOf("cache_creation"),
		input("document", included, "prompt_tokens_details.file_tokens"),
		input("tool_use", tools, "connector_tokens"),
		input("citation", unlisted, "citation_tokens"),
		output("reasoning", reasoning, "completion_tokens_details.reasoning_tokens", "reasoning_tokens"),
		output("accepted_prediction", included, "completion_tokens_details.accepted_prediction_tokens"),
		output("rejected_prediction", included, "completion_tokens_details.rejected_prediction_tokens"),
	}, modalities("prompt_tokens_details.*_tokens", "completion_tokens_details.*_tokens", "", "")...),
}

// sidesTable is for blocks that name the sides input and output: OpenAI's responses, Realtime, images, transcriptions and
// agents, Anthropic's messages and agents, Bedrock's Converse, the AI SDK, and Cohere, whose tokens of the model precede those
// that were billed; an embedding has the latter only. Ollama's sides are the prompt and its evaluation.
var sidesTable = &table{
	marks: paths("input_tokens", "output_tokens", "input_tokens.total", "output_tokens.total", "tokens", "tokens.input_tokens",
		"tokens.output_tokens", "billed_units.input_tokens", "billed_units.output_tokens", "billed_units.image_tokens",
		"prompt_eval_count", "eval_count"),
	rows: append([]row{
		input("", included, "input_tokens.total", "input_tokens", "tokens", "tokens.input_tokens", "billed_units.input_tokens",
			"prompt_eval_count"),
		output("", included, "output_tokens.total", "output_tokens", "tokens.output_tokens", "billed_units.output_tokens", "eval_count"),
		input("image", added, "billed_units.image_tokens"),
		input("cache_read", caches, "cache_read_input_tokens"),
		input("cache_read", included, "input_tokens_details.cached_tokens", "input_tokens_details.cache_read_input_tokens",
			"input_token_details.cached_tokens", "input_token_details.cache_read_tokens", "input_tokens.cache_read", "cached_tokens"),
		input("cache_read", cachesOfSDK, "cached_input_tokens"),
		input("cache_creation", caches, "cache_creation_input_tokens", "cache_write_input_tokens"),
		input("cache_creation", included, "input_tokens_details.cache_write_tokens", "input_tokens_details.cache_creation_input_tokens",
			"input_token_details.cache_write_tokens", "input_tokens.cache_write"),
		input(fiveMinutes, caches, "cache_creation."+fiveMinutes, "cache_details.5m.input_tokens",
			"cache_creation_"+fiveMinutes).partOf("cache_creation"),
		input(oneHour, caches, "cache_creation."+oneHour, "cache_details.1h.input_tokens",
			"cache_creation_"+oneHour).partOf("cache_creation"),
		input("ephemeral_30m_input_tokens", included, writtenDetails+"ttl_30m_tokens").partOf("cache_creation"),
		input("ephemeral_12h_input_tokens", included, writtenDetails+"ttl_12h_tokens").partOf("cache_creation"),
		output("reasoning", included, "output_tokens_details.reasoning_tokens", "output_tokens_details.thinking_tokens",
			"output_token_details.reasoning_tokens", "output_tokens.reasoning", "thinking_tokens"),
		output("reasoning", reasoning, "reasoning_tokens"),
		output("text", included, "output_tokens.text"),
	}, modalities(
		"input_token_details.*_tokens input_tokens_details.*_tokens",
		"output_token_details.*_tokens output_tokens_details.*_tokens",
		"input_token_details.cached_tokens_details.*_tokens", "")...),
}

// geminiTable is for Gemini's generated content, live sessions and interactions.
var geminiTable = &table{
	marks: paths("prompt_token_count", "candidates_token_count", "response_token_count", "total_token_count",
		"total_input_tokens", "total_output_tokens"),
	rows: append([]row{
		input("", included, "prompt_token_count", "total_input_tokens"),
		output("", included, "response_token_count", "candidates_token_count", "total_output_tokens"),
		input("cache_read", included, "cached_content_token_count", "total_cached_tokens"),
		input("tool_use", tools, "tool_use_prompt_token_count", "total_tool_use_tokens"),
		output("reasoning", thoughts, "thoughts_token_count", "total_thought_tokens"),
	}, modalities(
		"prompt_tokens_details.*.token_count input_tokens_by_modality.*.tokens",
		"candidates_tokens_details.*.token_count response_tokens_details.*.token_count output_tokens_by_modality.*.tokens",
		"cache_tokens_details.*.token_count cached_tokens_by_modality.*.tokens",
		"tool_use_prompt_tokens_details.*.token_count tool_use_tokens_by_modality.*.tokens")...),
}

// tables are in order of evidence: the first one that has a mark in a block is the block's. The last is for a total alone.
var tables = []*table{geminiTable, chatTable, sidesTable, {marks: totalPaths}}

var totalPaths = paths("total_token_count", "total_tokens")

// The lifetimes of caches.
const (
	fiveMinutes = "ephemeral_5m_input_tokens"
	oneHour     = "ephemeral_1h_input_tokens"
	// writtenDetails is where OpenAI's responses tell them apart.
	writtenDetails = "input_tokens_details.cache_write_tokens_details."
)

// modalities returns rows for the media of the input, the output, the cached input and the results of tools, whose paths have *
// for the medium. Cached media have their own prices.
func modalities(in, out, cached, tool string) []row {
	var rows []row
	for _, m := range []string{"text", "audio", "image", "video", "document"} {
		at := func(paths string) []string { return strings.Fields(strings.ReplaceAll(paths, "*", m)) }
		cachedKind, toolKind := m+"_cache_read", m
		if m == "text" { // Its prices are those of the cache and of the input.
			cachedKind, toolKind = "cache_read", "tool_use"
		}
		rows = append(rows, input(m, included, at(in)...), output(m, included, at(out)...),
			input(cachedKind, included, at(cached)...).partOf("cache_read", m), input(toolKind, tools, at(tool)...).partOf("tool_use"))
	}
	return rows
}

// Where providers, gateways and SDKs report the cost of a call, in US dollars. One of them counts in ticks.
var (
	totalCostPaths = paths("cost.total_cost", "cost", "cost_usd", "answer.provider_metadata.openrouter.usage.cost", "answer.provider_metadata.gateway.cost")
	tickPaths      = paths("cost_in_usd_ticks", "answer.provider_metadata.xai.cost_in_usd_ticks")
	inputCostPaths = paths("cost.input_tokens_cost", "cost.input_cost", "cost_details.upstream_inference_prompt_cost",
		"cost_details.upstream_inference_input_cost")
	outputCostPaths = paths("cost.output_tokens_cost", "cost.output_cost", "cost_details.upstream_inference_completions_cost",
		"cost_details.upstream_inference_output_cost")
	// With a key of one's own, the provider behind a gateway bills apart from it.
	ownKeyPath        = paths("is_byok")[0]
	upstreamCostPaths = paths("cost_details.upstream_inference_cost")
	// An answer may name the tier beside its usage.
	tierPaths = paths("service_tier", "speed", "traffic_type", "answer.provider_metadata.openai.service_tier",
		"answer.provider_metadata.anthropic.usage.service_tier", "answer.provider_metadata.anthropic.usage.speed",
		"answer.service_tier", "answer.service_tier.type",
		"answer.response_metadata.service_tier", "answer.response_metadata.service_tier.type",
		"answer.llm_output.service_tier", "answer.llm_output.service_tier.type",
		"answer.generation_info.service_tier", "answer.generation_info.service_tier.type")
)

var (
	// Mistral counts the tokens of recordings in the total only.
	audioPaths = paths("prompt_audio_seconds")
	// Responses of Gemini's live sessions aren't candidates.
	candidatesPaths = paths("candidates_token_count")
)
