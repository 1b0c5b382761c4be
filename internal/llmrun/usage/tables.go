package usage

// The readings of counts. Where providers differ, the first is that of the API that the others imitate.
var (
	included = reading{places: []position{inside}}
	added    = reading{places: []position{outside}}
	unlisted = reading{places: []position{apart}}
	// Reasoning is part of the completion for OpenAI, but not for xAI; Perplexity doesn't include it in any total.
	reasoning = reading{"reasoning", []position{inside, outside, apart}}
	// Caches are not part of the input for Anthropic and Bedrock's Converse, except for some models of the latter.
	caches = reading{"caches", []position{outside, inside}}
	// The AI SDK leaves out the caches of some providers.
	cachesOfSDK = reading{"caches of the SDK", []position{inside, outside, apart}}
	// Thoughts and tool results are not part of Gemini's candidates and prompt, except for older models.
	thoughts = reading{"thoughts", []position{outside, inside}}
	tools    = reading{"tools", []position{outside, inside}}
)

// chatTable is for chat completions and those that imitate them: OpenAI, xAI, DeepSeek, Groq, Mistral, Perplexity,
// OpenRouter, LiteLLM, LangChain's token_usage and the AI SDK's version 4.
var chatTable = &table{
	marks: paths("prompt_tokens", "completion_tokens"),
	total: paths("total_tokens"),
	rows: []row{
		input("", included, "prompt_tokens", "input_tokens"),
		output("", included, "completion_tokens", "output_tokens"),
		input("cache_read", included, "prompt_tokens_details.cached_tokens", "cache_read_input_tokens", "prompt_cache_hit_tokens"),
		input("cache_creation", included, "prompt_tokens_details.cache_write_tokens", "prompt_tokens_details.cache_creation_tokens",
			"cache_creation_input_tokens"),
		input(fiveMinutes, included, "cache_creation."+fiveMinutes,
			"prompt_tokens_details.cache_creation_token_details."+fiveMinutes).partOf("cache_creation"),
		input(oneHour, included, "cache_creation."+oneHour,
			"prompt_tokens_details.cache_creation_token_details."+oneHour).partOf("cache_creation"),
		input("text", included, "prompt_tokens_details.text_tokens"),
		input("audio", included, "prompt_tokens_details.audio_tokens"),
		input("image", included, "prompt_tokens_details.image_tokens"),
		input("video", included, "prompt_tokens_details.video_tokens"),
		input("document", included, "prompt_tokens_details.file_tokens"),
		input("tool_use", tools, "connector_tokens"),
		input("citation", unlisted, "citation_tokens"),
		input("cache_read", unlisted, "provider_metadata.anthropic.cache_read_input_tokens"),
		input("cache_creation", unlisted, "provider_metadata.anthropic.cache_creation_input_tokens"),
		output("reasoning", reasoning, "completion_tokens_details.reasoning_tokens", "reasoning_tokens"),
		output("text", included, "completion_tokens_details.text_tokens"),
		output("audio", included, "completion_tokens_details.audio_tokens"),
		output("image", included, "completion_tokens_details.image_tokens"),
		output("accepted_prediction", included, "completion_tokens_details.accepted_prediction_tokens"),
		output("rejected_prediction", included, "completion_tokens_details.rejected_prediction_tokens"),
	},
	restIf: paths("prompt_audio_seconds"), rest: "audio", // Mistral counts the tokens of recordings in the total only.
}

// sidesTable is for blocks that name the sides input and output: OpenAI's responses, Realtime, images, transcriptions and
// agents, Anthropic's messages and agents, Bedrock's Converse, and the AI SDK.
var sidesTable = &table{
	marks: paths("input_tokens", "output_tokens", "input_tokens.total", "output_tokens.total", "tokens"),
	total: paths("total_tokens"),
	rows: append([]row{
		input("", included, "input_tokens.total", "input_tokens", "tokens"),
		output("", included, "output_tokens.total", "output_tokens"),
		input("cache_read", caches, "cache_read_input_tokens"),
		input("cache_read", included, "input_tokens_details.cached_tokens", "input_tokens_details.cache_read_input_tokens",
			"input_token_details.cached_tokens", "input_token_details.cache_read_tokens", "input_tokens.cache_read"),
		input("cache_read", cachesOfSDK, "cached_input_tokens"),
		input("cache_creation", caches, "cache_creation_input_tokens", "cache_write_input_tokens"),
		input("cache_creation", included, "input_tokens_details.cache_write_tokens", "input_tokens_details.cache_creation_input_tokens",
			"input_token_details.cache_write_tokens", "input_tokens.cache_write"),
		input(fiveMinutes, caches, "cache_creation."+fiveMinutes, "cache_details.5m.input_tokens",
			"cache_creation_"+fiveMinutes).partOf("cache_creation"),
		input(oneHour, caches, "cache_creation."+oneHour, "cache_details.1h.input_tokens",
			"cache_creation_"+oneHour).partOf("cache_creation"),
		output("reasoning", included, "output_tokens_details.reasoning_tokens", "output_tokens_details.thinking_tokens",
			"output_token_details.reasoning_tokens", "output_tokens.reasoning", "thinking_tokens"),
		output("reasoning", reasoning, "reasoning_tokens"),
		output("text", included, "output_tokens.text"),
	}, modalities(func(m string) [4][]string {
		return [4][]string{
			{"input_token_details." + m + "_tokens", "input_tokens_details." + m + "_tokens"},
			{"output_token_details." + m + "_tokens", "output_tokens_details." + m + "_tokens"},
			{"input_token_details.cached_tokens_details." + m + "_tokens"},
		}
	})...),
}

// geminiTable is for Gemini's generated content, live sessions and interactions.
var geminiTable = &table{
	marks: paths("prompt_token_count", "candidates_token_count", "response_token_count", "total_token_count",
		"total_input_tokens", "total_output_tokens"),
	total: paths("total_token_count", "total_tokens"),
	rows: append([]row{
		input("", included, "prompt_token_count", "total_input_tokens"),
		output("", included, "response_token_count", "candidates_token_count", "total_output_tokens"),
		input("cache_read", included, "cached_content_token_count", "total_cached_tokens"),
		input("tool_use", tools, "tool_use_prompt_token_count", "total_tool_use_tokens"),
		output("reasoning", thoughts, "thoughts_token_count", "total_thought_tokens"),
	}, modalities(func(m string) [4][]string {
		return [4][]string{
			{"prompt_tokens_details." + m + ".token_count", "input_tokens_by_modality." + m + ".tokens"},
			{"candidates_tokens_details." + m + ".token_count", "response_tokens_details." + m + ".token_count",
				"output_tokens_by_modality." + m + ".tokens"},
			{"cache_tokens_details." + m + ".token_count", "cached_tokens_by_modality." + m + ".tokens"},
			{"tool_use_prompt_tokens_details." + m + ".token_count", "tool_use_tokens_by_modality." + m + ".tokens"},
		}
	})...),
}

// cohereTable prefers the tokens of the model to those that were billed. An embedding has the latter only.
var cohereTable = &table{
	marks: paths("tokens.input_tokens", "tokens.output_tokens", "billed_units.input_tokens", "billed_units.output_tokens",
		"billed_units.image_tokens"),
	rows: []row{
		input("", included, "tokens.input_tokens", "billed_units.input_tokens"),
		output("", included, "tokens.output_tokens", "billed_units.output_tokens"),
		input("cache_read", included, "cached_tokens"),
		input("image", added, "billed_units.image_tokens"),
	},
}

var ollamaTable = &table{
	marks: paths("prompt_eval_count", "eval_count"),
	rows:  []row{input("", included, "prompt_eval_count"), output("", included, "eval_count")},
}

// totalTable is for a total alone, in any spelling.
var totalTable = &table{marks: paths("total_tokens"), total: paths("total_tokens")}

// tables are in order of evidence: the first one that has a mark in a block is the block's.
var tables = []*table{geminiTable, cohereTable, chatTable, sidesTable, ollamaTable, totalTable}

// The lifetimes of caches.
const (
	fiveMinutes = "ephemeral_5m_input_tokens"
	oneHour     = "ephemeral_1h_input_tokens"
)

// modalities returns rows for the media of the input, the output, the cached input and the results of tools. Cached media have
// their own prices.
func modalities(of func(modality string) [4][]string) []row {
	var rows []row
	for _, m := range []string{"text", "audio", "image", "video", "document"} {
		at := of(m)
		cached, tool := "cache_read_"+m, m
		if m == "text" { // Its prices are those of the cache and of the input.
			cached, tool = "cache_read", "tool_use"
		}
		rows = append(rows, input(m, included, at[0]...), output(m, included, at[1]...),
			input(cached, included, at[2]...).partOf("cache_read", m), input(tool, tools, at[3]...).partOf("tool_use"))
	}
	return rows
}

// Where providers, gateways and SDKs report the cost of a call, in US dollars. One of them counts in ticks.
var (
	totalCostPaths = paths("cost.total_cost", "cost", "cost_usd", "provider_metadata.openrouter.usage.cost", "provider_metadata.gateway.cost")
	tickPaths      = paths("cost_in_usd_ticks", "provider_metadata.xai.cost_in_usd_ticks")
	inputCostPaths = paths("cost.input_tokens_cost", "cost.input_cost", "cost_details.upstream_inference_prompt_cost",
		"cost_details.upstream_inference_input_cost")
	outputCostPaths = paths("cost.output_tokens_cost", "cost.output_cost", "cost_details.upstream_inference_completions_cost",
		"cost_details.upstream_inference_output_cost")
	// With a key of one's own, the provider behind a gateway bills apart from it.
	upstreamCostPaths = paths("cost_details.upstream_inference_cost")
	tierPaths         = paths("service_tier", "speed", "traffic_type", "provider_metadata.openai.service_tier")
)
