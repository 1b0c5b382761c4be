package llmrun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// TestCharges prices calls with 1,000 input and 100 output tokens at list prices, and what providers bill or change in addition. Amounts are
// from the pages of the providers: the tokens of gpt-5 cost 0.00225 dollars, those of Claude Sonnet 4.6 0.0045.
func TestCharges(t *testing.T) {
	t.Parallel()
	const (
		chat    = `"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`
		answer  = `"object":"response","usage":{"input_tokens":1000,"output_tokens":100,"total_tokens":1100}`
		claude  = `"type":"message","usage":{"input_tokens":1000,"output_tokens":100`
		gemini  = `"usageMetadata":{"promptTokenCount":1000,"candidatesTokenCount":100,"totalTokenCount":1100}`
		tracing = `"usage_metadata":{"input_tokens":1000,"output_tokens":100,"total_tokens":1100}`
	)
	for _, tc := range []struct{ model, outputs, metadata, want string }{
		{"gpt-5", chat, "", "0.00225"},
		{"gpt-5", chat + `,"service_tier":"default"`, "", "0.00225"},
		{"gpt-5", chat + `,"service_tier":"flex"`, "", "0.001125"},
		{"gpt-5", chat + `,"service_tier":"priority"`, "", "0.0045"},
		{"gpt-5.5", chat + `,"service_tier":"priority"`, "", "0.02"},
		{"gpt-4o", chat + `,"service_tier":"priority"`, "", "0.0035 no price for priority"},
		{"gpt-5", chat + `,"service_tier":"scale"`, "", "0.00225 no price for scale"},
		{"gpt-5", `"custom_id":"x",` + chat, "", "0.001125"},
		{"gpt-5", answer + `,"output":[{"type":"web_search_call","status":"completed"}]`, "", "0.01225"},
		{"gpt-5", answer + `,"output":[{"type":"web_search_call","action":{"type":"search","query":"q"}},{"type":"web_search_call","action":{"type":"open_page"}},
			{"type":"web_search_call","action":{"type":"find_in_page"}}]`, "", "0.01225"},
		{"gpt-5", answer + `,"output":[{"type":"file_search_call"},{"type":"file_search_call"}]`, "", "0.00725"},
		{"gpt-5", answer + `,"output":[{"type":"code_interpreter_call"},{"type":"image_generation_call"},{"type":"mcp_call"}]`, "",
			"0.00225 no price for code_interpreter_calls; no price for generated_images"},
		{"gpt-5", tracing + `,"output":[{"type":"web_search_call"}]`, "", "0.01225"},
		{"claude-sonnet-4-6", claude + `,"service_tier":"standard","inference_geo":"global","speed":"standard","server_tool_use":{"web_search_requests":0}}`, "", "0.0045"},
		{"claude-sonnet-4-6", claude + `,"inference_geo":"not_available","server_tool_use":{"web_search_requests":3,"web_fetch_requests":4}}`, "", "0.0345"},
		{"claude-sonnet-4-6", claude + `,"server_tool_use":{"code_execution_requests":2}}`, "", "0.0045 no price for code_execution_requests"},
		{"claude-sonnet-4-6", claude + `,"service_tier":"batch","inference_geo":"us"}`, "", "0.002475"},
		{"claude-sonnet-4-6", claude + `,"inference_geo":"eu"}`, "", "0.0045 no price for inference_geo_eu"},
		{"claude-opus-4-6", claude + `,"speed":"fast","inference_geo":"us"}`, "", "0.0495"},
		{"claude-sonnet-4-6", claude + `,"speed":"fast"}`, "", "0.0045 no price for fast"},
		{"claude-sonnet-4-6", tracing + `,"content":[{"type":"web_search_tool_result","content":[]},
			{"type":"web_search_tool_result","content":{"type":"web_search_tool_result_error"}}]`, "", "0.0145"},
		{"claude-sonnet-4-6", tracing, `"service_tier":"batch","server_tool_use.web_search_requests":"2"`, "0.02225"},
		{"claude-sonnet-4-6", `"generations":[[{"message":{"lc":1,"kwargs":{"content":"a",` + tracing +
			`,"response_metadata":{"usage":{"input_tokens":1000,"output_tokens":100,"server_tool_use":{"web_search_requests":1}}}}}}]]`, "", "0.0145"},
		{"claude-sonnet-4-6", `"text":"a","usage":{"inputTokens":1000,"outputTokens":100},"providerMetadata":{"anthropic":{"usage":{"input_tokens":1000,
			"output_tokens":100,"server_tool_use":{"web_search_requests":2},"service_tier":"batch"}}}`, "", "0.02225"},
		{"claude-sonnet-4-6", `"text":"a","usage":{"inputTokens":1000,"outputTokens":100,"totalTokens":1100,"raw":{"input_tokens":1000,"output_tokens":100,
			"server_tool_use":{"web_search_requests":1}}}`, "", "0.0145"},
		{"claude-sonnet-4-6", claude + `,"server_tool_use":{"` + strings.Repeat("x", 1000) + `":2}}`, "", "0.0045 no price for others"},
		{"gpt-5", chat + `,"service_tier":"` + strings.Repeat("x", 1000) + `"`, "", "0.00225 no price for others"},
		{"gemini-3-flash-preview", gemini + `,"candidates":[{"groundingMetadata":{"webSearchQueries":["a","b"]}}]`, "", "0.0288"},
		{"gemini-3-flash-preview", gemini + `,"candidates":[{"groundingMetadata":{"webSearchQueries":[]}}]`, "", "0.0008"},
		{"gemini-2.5-flash", gemini + `,"candidates":[{"groundingMetadata":{"webSearchQueries":["a","b"]}}]`, "", "0.03555"},
		{"gpt-5", chat, `"service_tier":"gold","speed":"turbo"`, "0.00225"},
		{"vendor/unlisted:free", chat, "", "0"},
		{"claude-sonnet-4-6", claude + `,"server_tool_use":{"tool_search_requests":1}}`, "", "0.0045 no price for tool_searches"},
		{"openai/gpt-4o:online", chat, "", "0.0035 no price for web searches"},
		{"gemini-2.5-flash", strings.Replace(gemini, "}", `,"trafficType":"ON_DEMAND_FLEX"}`, 1), "", "0.000275"},
		{"gemini-2.5-flash", strings.Replace(gemini, "}", `,"trafficType":"ON_DEMAND"}`, 1), "", "0.00055"},
		{"gemini-2.5-flash", strings.Replace(gemini, "}", `,"trafficType":"PROVISIONED_THROUGHPUT"}`, 1), "", "0.00055 no price for provisioned_throughput"},
		{"command-a-03-2025", `"usage":{"billed_units":{"input_tokens":100,"output_tokens":50},"tokens":{"input_tokens":571,"output_tokens":50}}`, "", "0.00075"},
		{"sonar-pro", chat[:len(chat)-1] + `,"num_search_queries":3}`, "", "0.0185"},
		{"whisper-1", `"text":"a","usage":{"type":"duration","seconds":60}`, "", "0.006"},
		{"whisper-1", chat, "", "0 no price for tokens"},
		{"mistral-ocr-2503", `"pages":[],"usage_info":{"pages_processed":3,"doc_size_bytes":9}`, "", "0.003"},
		{"gpt-5", `"text":"a","usage":{"type":"duration","seconds":60}`, "", "-"},
		{"gpt-5", `"response":{` + answer + `,"output":[{"type":"code_interpreter_call"}]}`, "", "0.00225 no price for code_interpreter_calls"},
		{"gpt-5", tracing[:len(tracing)-1] + `,"total_cost":1},"service_tier":"scale","output":[{"type":"code_interpreter_call"}]`, "", "1"},
		{"us.anthropic.claude-2.1", tracing, "", "0.0104 no price for the region us"},
	} {
		run := `{"run_type":"llm","start_time":"2026-11-20T10:00:00Z","extra":{"metadata":{"ls_model_name":"` + tc.model + `"}},"outputs":{` + tc.outputs + `}}`
		if tc.metadata != "" {
			run = strings.Replace(run, `"metadata":{`, `"metadata":{`+tc.metadata+`,`, 1)
		}
		cost := decodeRun(t, run).Measure(listPrices(t)).Cost
		got := "-"
		if cost.TotalCost != nil {
			got = cost.TotalCost.String()
		}
		if cost.Incomplete != nil {
			got += " " + strings.Join(cost.Incomplete, "; ")
		}
		assert.Same(t, fmt.Sprintf("%s with %s %s", tc.model, tc.outputs, tc.metadata), tc.want, got)
	}
}

// TestStreamedLifetimes prices a stream whose last event counts what was written to the cache without its lifetimes, which the first one has:
// 20 tokens at 3 dollars a million, 100 at 3.75, 200 at 6, and 90 at 15.
func TestStreamedLifetimes(t *testing.T) {
	t.Parallel()
	outputs := reduced(t, `[
		{"type":"message_start","message":{"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":20,
			"cache_creation_input_tokens":300,"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":200},"output_tokens":1}}},
		{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"cache_creation_input_tokens":300,"output_tokens":90}}]`)
	run := decodeRun(t, `{"run_type":"llm","start_time":"2026-11-20T10:00:00Z","extra":{"metadata":{"ls_model_name":"claude-sonnet-4-5"}},"outputs":`+string(outputs)+`}`)
	if cost := run.Measure(listPrices(t)).Cost.TotalCost; cost == nil || cost.String() != "0.002985" {
		t.Errorf("cost = %v, want 0.002985", cost)
	}
}

// listPrices returns the price map of a workspace without entries.
func listPrices(t *testing.T) *usage.PriceMap {
	t.Helper()
	none, err := usage.NewPriceMap(nil)
	assert.Must(t, err)
	return none.WithDefaults(listprice.Bundled())
}
