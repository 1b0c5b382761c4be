package llmrun

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// TestUsagePrecedence puts a usage in every possible place, and removes the first one repeatedly: the
// next one must count, and never a sum.
func TestUsagePrecedence(t *testing.T) {
	t.Parallel()
	const constructor = `{"lc":1,"kwargs":{"usage_metadata":{"input_tokens":%}}}`
	places := []struct{ member, json, source string }{
		{"usage_metadata", `{"input_tokens":1}`, "/outputs/usage_metadata"},
		{"(metadata)", `{"input_tokens":2}`, "/extra/metadata/usage_metadata"},
		{"message", `{"usage_metadata":{"input_tokens":3}}`, "/outputs/message/usage_metadata"},
		{"output", strings.ReplaceAll(constructor, "%", "4"), "/outputs/output/kwargs/usage_metadata"},
		{"generations", `[[{"message":` + strings.ReplaceAll(constructor, "%", "5") + `}]]`, "/outputs/generations/0/0/message/kwargs/usage_metadata"},
		{"messages", `[{"role":"assistant","usage_metadata":{"input_tokens":6}}]`, "/outputs/messages/0/usage_metadata"},
		{"choices", `[{"message":{"role":"assistant","usage_metadata":{"input_tokens":7}}}]`, "/outputs/choices/0/message/usage_metadata"},
		{"usage", `{"prompt_tokens":8}`, "/outputs/usage"},
		{"usageMetadata", `{"promptTokenCount":9}`, "/outputs/usageMetadata"},
		{"llm_output", `{"token_usage":{"prompt_tokens":10}}`, "/outputs/llm_output/token_usage"},
		{"llmOutput", `{"tokenUsage":{"promptTokens":11}}`, "/outputs/llmOutput/tokenUsage"},
	}
	for first := range places {
		outputs, metadata := rawjson.Object{}, "{}"
		for _, p := range places[first:] {
			if p.member == "(metadata)" {
				metadata = `{"usage_metadata":` + p.json + `}`
				continue
			}
			outputs = outputs.With(p.member, json.RawMessage(p.json))
		}
		r := decodeRun(t, `{"run_type":"llm","outputs":`+string(outputs.Encode())+`,"extra":{"metadata":`+metadata+`}}`)
		reading := r.Usage()
		if input, _, _ := reading.Usage.Tokens(); input != int64(first+1) || reading.Source != places[first].source {
			t.Errorf("%d tokens from %s, want %d from %s", input, reading.Source, first+1, places[first].source)
		}
	}
}

// TestUsageOfNothing skips places without values.
func TestUsageOfNothing(t *testing.T) {
	t.Parallel()
	for _, nothing := range []string{`null`, `{}`, `7`, `[]`, `"x"`, `{"input_tokens":null}`, `{"input_tokens":"x"}`, `{"foo":1}`} {
		r := decodeRun(t, `{"run_type":"llm","outputs":{"usage_metadata":`+nothing+`,"usage":{"prompt_tokens":3}}}`)
		if reading := r.Usage(); reading.Source != "/outputs/usage" {
			t.Errorf("%s: source of the usage = %q, want /outputs/usage", nothing, reading.Source)
		}
	}
}

func TestUsageOfOtherRuns(t *testing.T) {
	t.Parallel()
	const answer = `{"role":"assistant","content":"a","usage_metadata":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}`
	const nested = `"message":{"usage_metadata":{"input_tokens":3}},"usage":{"prompt_tokens":4}`
	for _, runType := range []string{"chain", "tool", "retriever", "prompt", "parser"} {
		for outputs, want := range map[string]string{
			`{` + nested + `}`: "", `{"usage_metadata":{"input_tokens":1},` + nested + `}`: "",
			`{"output":` + answer + `}`: "", `{"messages":[` + answer + `]}`: "", `{"generations":[[{"message":` + answer + `}]]}`: "", answer: "",
			`{"usage_metadata":{"total_cost":1},` + nested + `}`: "/outputs/usage_metadata",
		} {
			if reading := decodeRun(t, `{"run_type":"`+runType+`","outputs":`+outputs+`}`).Usage(); reading.Source != want {
				t.Errorf("%s, %s: source of the usage = %q, want %q", runType, outputs, reading.Source, want)
			}
		}
	}
	if untyped := decodeRun(t, `{"outputs":{`+nested+`}}`).Usage(); untyped.Source != "/outputs/message/usage_metadata" {
		t.Errorf("no type: source of the usage = %q, want the nested one", untyped.Source)
	}
	for _, outputs := range []string{`{"usage_metadata":{"input_tokens":4}}`, `{"data":[{"embedding":[0.5]}],"usage":{"prompt_tokens":4,"total_tokens":4}}`} {
		if input, output, total := decodeRun(t, `{"run_type":"embedding","outputs":`+outputs+`}`).Usage().Usage.Tokens(); input != 4 || output != 0 || total != 4 {
			t.Errorf("embedding, %s: tokens = %d, %d, %d, want 4, 0, 4", outputs, input, output, total)
		}
	}
	beside := decodeRun(t, `{"run_type":"llm","metadata":{"usage_metadata":{"input_tokens":1}}}`).Usage()
	assert.Same(t, "source of the usage", "/metadata/usage_metadata", beside.Source)
}

// TestProviderUsage tests corner cases that testdata doesn't have.
func TestProviderUsage(t *testing.T) {
	t.Parallel()
	for outputs, want := range map[string]string{
		`"usage":{"total_tokens":5}`:      `{"total_tokens":5}`,
		`"usage":{"totalTokens":5}`:       `{"total_tokens":5}`,
		`"usage":{"seconds":5}`:           `{}`,
		`"usage":null`:                    `{}`,
		`"usage":{"completion_tokens":5}`: `{"output_tokens":5,"total_tokens":5}`,
		`"usage":{"output_tokens":5}`:     `{"output_tokens":5,"total_tokens":5}`,
		// Embeddings have no output, and tiers no details.
		`"service_tier":"flex","usage":{"prompt_tokens":5}`: `{"input_tokens":5,"total_tokens":5,"input_token_details":{"flex":5}}`,
		// An impossible count must not lead to a negative one.
		`"service_tier":"flex","usage":{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":7}}`: `{"input_tokens":5,"total_tokens":5,"input_token_details":{"flex_cache_read":5}}`,
		// An answer without caches from an unknown provider: both ways of counting agree.
		`"role":"assistant","usage":{"input_tokens":5,"output_tokens":6}`: `{"input_tokens":5,"output_tokens":6,"total_tokens":11}`,
		// The first block with values counts,
		`"usage":{"seconds":5},"usageMetadata":{"promptTokenCount":5}`: `{"input_tokens":5,"total_tokens":5}`,
		// and no other.
		`"usage":{"prompt_tokens":5},"usageMetadata":{"promptTokenCount":6}`: `{"input_tokens":5,"total_tokens":5}`,
		// The choices of one call repeat its usage; several calls in one run add up.
		`"choices":[{"message":{"response_metadata":{"token_usage":{"prompt_tokens":5}}}},{"message":{"response_metadata":{"token_usage":{"prompt_tokens":5}}}}]`:         `{"input_tokens":5,"total_tokens":5}`,
		`"generations":[[{"message":{"response_metadata":{"token_usage":{"prompt_tokens":5}}}}],[{"message":{"response_metadata":{"token_usage":{"prompt_tokens":6}}}}]]`: `{"input_tokens":11,"total_tokens":11}`,
		// Cached tokens are part of the input if the total says so and they fit, and are added otherwise.
		`"usage":{"inputTokens":5,"outputTokens":2,"totalTokens":7,"cacheReadInputTokens":5}`:           `{"input_tokens":5,"output_tokens":2,"total_tokens":7,"input_token_details":{"cache_read":5}}`,
		`"usage":{"outputTokens":2,"totalTokens":6,"cacheReadInputTokens":4}`:                           `{"input_tokens":4,"output_tokens":2,"total_tokens":6,"input_token_details":{"cache_read":4}}`,
		`"usage":{"outputTokens":2,"cacheReadInputTokens":0}`:                                           `{"output_tokens":2,"total_tokens":2}`,
		`"usage":{"input_tokens":10,"output_tokens":2,"cache_read_tokens":5,"cache_creation_tokens":3}`: `{"input_tokens":18,"output_tokens":2,"total_tokens":20,"input_token_details":{"cache_read":5,"cache_creation":3}}`,
		`"usage_details":{"input":20,"output":10,"total":30,"input_cached_tokens":5,"output_reasoning_tokens":3}`: `{"input_tokens":20,"output_tokens":10,"total_tokens":30,
			"input_token_details":{"cache_read":5},"output_token_details":{"reasoning":3}}`,
		`"usage_details":{"input":15,"output":7,"total":30,"input_cached_tokens":5,"output_reasoning_tokens":3}`: `{"input_tokens":20,"output_tokens":10,"total_tokens":30,
			"input_token_details":{"cache_read":5},"output_token_details":{"reasoning":3}}`,
		// Agents log counts without a block.
		`"input_token_count":100,"output_token_count":20,"cached_token_count":60,"reasoning_token_count":5,"tool_token_count":120`: `{"input_tokens":100,"output_tokens":20,"total_tokens":120,
			"input_token_details":{"cache_read":60},"output_token_details":{"reasoning":5}}`,
		`"input_token_count":100,"output_token_count":20,"cached_content_token_count":60,"thoughts_token_count":5,"tool_token_count":3,"total_token_count":128`: `{"input_tokens":103,"output_tokens":25,
			"total_tokens":128,"input_token_details":{"cache_read":60,"tool_use":3},"output_token_details":{"reasoning":5}}`,
		`"usage":{"requests":1,"request_tokens":10,"response_tokens":2,"total_tokens":12,"details":{"cached_tokens":6}}`: `{"input_tokens":10,"output_tokens":2,"total_tokens":12,"input_token_details":{"cache_read":6}}`,
		// What leaves out the details of the same counts comes first.
		`"usage_metadata":{"input_tokens":9,"output_tokens":2,"total_tokens":11},"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":6}}`: `{"input_tokens":9,
			"output_tokens":2,"total_tokens":11,"input_token_details":{"cache_read":6}}`,
		`"usage_metadata":{"input_tokens":9,"output_tokens":2,"total_tokens":11},"usage":{"prompt_tokens":8,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":6}}`: `{"input_tokens":9,
			"output_tokens":2,"total_tokens":11}`,
		// Thoughts that aren't part of the output are added to it.
		`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":5,"thoughtsTokenCount":10}`:                                                    `{"input_tokens":3,"output_tokens":15,"total_tokens":18,"output_token_details":{"reasoning":10}}`,
		`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":12,"thoughtsTokenCount":10}`:                                                   `{"input_tokens":3,"output_tokens":22,"total_tokens":25,"output_token_details":{"reasoning":10}}`,
		`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":15,"thoughtsTokenCount":10,"totalTokenCount":18}`:                              `{"input_tokens":3,"output_tokens":15,"total_tokens":18,"output_token_details":{"reasoning":10}}`,
		`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":5,"thoughtsTokenCount":10,"toolUsePromptTokenCount":2,"totalTokenCount":20}`:   `{"input_tokens":5,"output_tokens":15,"total_tokens":20,"input_token_details":{"tool_use":2},"output_token_details":{"reasoning":10}}`,
		`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":15,"thoughtsTokenCount":10,"toolUsePromptTokenCount":10,"totalTokenCount":38}`: `{"input_tokens":13,"output_tokens":25,"total_tokens":38,"input_token_details":{"tool_use":10},"output_token_details":{"reasoning":10}}`,
		`"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":15,"toolUsePromptTokenCount":2,"totalTokenCount":19}`:                          `{"input_tokens":5,"output_tokens":15,"total_tokens":19,"input_token_details":{"tool_use":2}}`,
	} {
		read, problems := usage.Read([]byte(want))
		got := decodeRun(t, `{"run_type":"llm","outputs":{`+outputs+`}}`).Usage().Usage
		got.Charges = usage.Charges{} // They are in the goldens.
		if diff := cmp.Diff(read, got); diff != "" || problems != nil {
			t.Errorf("%s (-want +got):\n%s", outputs, diff)
		}
	}
	problems := decodeRun(t, `{"run_type":"llm","outputs":{"usage":{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":-1,"audio_tokens":"x"}}}}`).Usage().Problems
	want := []string{"/outputs/usage/prompt_tokens_details/cached_tokens provider_usage", "/outputs/usage/prompt_tokens_details/audio_tokens provider_usage"}
	assert.Same(t, "problems", want, brief(t, problems))
}
