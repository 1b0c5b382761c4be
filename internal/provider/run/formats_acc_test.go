package run_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// loggedCall is a call of a model as one provider or library has it, and what is to be read of it everywhere. The prices are
// 2 dollars for a million tokens of the input and 10 of the output, 0.5 where the input comes from a cache and 2.5 where it is
// written to one. Reasoning has no price of its own.
type loggedCall struct {
	provider, inputs, outputs string
	// prompt and completion are the rows of a side: the total, then its parts by their kind.
	prompt, completion []figure
	totalTokens        int64
	totalCost          string
}

// figure is a number of tokens, and what they cost.
type figure struct {
	kind   string
	tokens int64
	cost   string
}

// loggedCalls say "Hi" and are answered "Hello". The usage is what the documentation of the provider has for an answer with
// such members.
var loggedCalls = map[string]loggedCall{
	// prompt_tokens include cached_tokens: (2006 - 1920) × 2e-6 + 1920 × 0.5e-6 = 0.000172 + 0.00096; 300 × 1e-5.
	"chat completions": {
		"openai", `{"messages":[{"role":"user","content":"Hi"}]}`,
		`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920},"completion_tokens_details":{"reasoning_tokens":200}}}`,
		[]figure{{"", 2006, "0.001132"}, {"cache_read", 1920, "0.00096"}},
		[]figure{{"", 300, "0.003"}, {"reasoning", 200, ""}}, 2306, "0.004132",
	},
	// prompt_tokens include both caches: 9 × 2e-6 + 800 × 0.5e-6 + 200 × 2.5e-6 = 0.000018 + 0.0004 + 0.0005; 2 × 1e-5.
	"litellm": {
		"litellm", `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}]}`,
		`{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"Hello","role":"assistant"}}],"usage":{"completion_tokens":2,"prompt_tokens":1009,"total_tokens":1011,"prompt_tokens_details":{"cached_tokens":800},"cache_creation_input_tokens":200,"cache_read_input_tokens":800}}`,
		[]figure{{"", 1009, "0.000918"}, {"cache_creation", 200, "0.0005"}, {"cache_read", 800, "0.0004"}},
		[]figure{{"", 2, "0.00002"}}, 1011, "0.000938",
	},
	// 44 × 2e-6 + 50 × 0.5e-6 + 100 × 2.5e-6 = 0.000088 + 0.000025 + 0.00025; 20 × 1e-5.
	"openrouter": {
		"openrouter", `{"messages":[{"role":"user","content":"Hi"}]}`,
		`{"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":"Hello","reasoning":"Hm"}}],"usage":{"prompt_tokens":194,"completion_tokens":20,"total_tokens":214,"prompt_tokens_details":{"cached_tokens":50,"cache_write_tokens":100},"completion_tokens_details":{"reasoning_tokens":15}}}`,
		[]figure{{"", 194, "0.000363"}, {"cache_creation", 100, "0.00025"}, {"cache_read", 50, "0.000025"}},
		[]figure{{"", 20, "0.0002"}, {"reasoning", 15, ""}}, 214, "0.000563",
	},
	// 9 × 2e-6; 2 × 1e-5.
	"mistral": {
		"mistral", `{"messages":[{"role":"user","content":"Hi"}]}`,
		`{"choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]},{"type":"text","text":"Hello"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`,
		[]figure{{"", 9, "0.000018"}}, []figure{{"", 2, "0.00002"}}, 11, "0.000038",
	},
	// 26 × 2e-6; 298 × 1e-5.
	"ollama": {
		"ollama", `{"messages":[{"role":"user","content":"Hi"}]}`,
		`{"message":{"role":"assistant","content":"Hello"},"done":true,"prompt_eval_count":26,"eval_count":298}`,
		[]figure{{"", 26, "0.000052"}}, []figure{{"", 298, "0.00298"}}, 324, "0.003032",
	},
	// The tokens of the model, at the cost of those that are billed: 5 × 2e-6; 2 × 1e-5.
	"cohere": {
		"cohere", `{"messages":[{"role":"user","content":"Hi"}]}`,
		`{"finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]},"usage":{"billed_units":{"input_tokens":5,"output_tokens":2},"tokens":{"input_tokens":71,"output_tokens":2},"cached_tokens":64}}`,
		[]figure{{"", 71, "0.00001"}, {"cache_read", 64, ""}}, []figure{{"", 2, "0.00002"}}, 73, "0.00003",
	},
	// 5 × 2e-6; 2 × 1e-5.
	"cohere, version 1": {
		"cohere", `{"message":"Hi","chat_history":[],"preamble":"Be brief."}`,
		`{"text":"Hello","generation_id":"g","finish_reason":"COMPLETE","meta":{"api_version":{"version":"1"},"billed_units":{"input_tokens":5,"output_tokens":2},"tokens":{"input_tokens":71,"output_tokens":2}}}`,
		[]figure{{"", 71, "0.00001"}}, []figure{{"", 2, "0.00002"}}, 73, "0.00003",
	},
	// input_tokens leave the caches out: 50 × 2e-6 + 1000 × 0.5e-6 + 300 × 2.5e-6 = 0.0001 + 0.0005 + 0.00075; 6 × 1e-5.
	"messages": {
		"anthropic", `{"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]}`,
		`{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{"input_tokens":50,"cache_creation_input_tokens":300,"cache_read_input_tokens":1000,"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":200},"output_tokens":6}}`,
		[]figure{{"", 1350, "0.00135"}, {"cache_read", 1000, "0.0005"}, {"ephemeral_1h_input_tokens", 200, "0.0005"}, {"ephemeral_5m_input_tokens", 100, "0.00025"}},
		[]figure{{"", 6, "0.00006"}}, 1356, "0.00141",
	},
	// 36 × 2e-6; 120 × 1e-5.
	"responses": {
		"openai", `{"input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]}]}`,
		`{"object":"response","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]}],"usage":{"input_tokens":36,"input_tokens_details":{"cached_tokens":0},"output_tokens":120,"output_tokens_details":{"reasoning_tokens":100},"total_tokens":156}}`,
		[]figure{{"", 36, "0.000072"}}, []figure{{"", 120, "0.0012"}, {"reasoning", 100, ""}}, 156, "0.001272",
	},
	// candidates and thoughts are the output: 500 × 2e-6 + 1500 × 0.5e-6 = 0.001 + 0.00075; 105 × 1e-5.
	"gemini": {
		"google_genai", `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},{"text":"Hello"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2000,"cachedContentTokenCount":1500,"candidatesTokenCount":5,"thoughtsTokenCount":100,"totalTokenCount":2105}}`,
		[]figure{{"", 2000, "0.00175"}, {"cache_read", 1500, "0.00075"}}, []figure{{"", 105, "0.00105"}, {"reasoning", 100, ""}}, 2105, "0.0028",
	},
	// 4 × 2e-6; 2 × 1e-5.
	"gemini in snake case": {
		"google_vertexai", `{"contents":"Hi"}`,
		`{"candidates":[{"content":{"parts":[{"text":"Hello","thought":null}],"role":"model"},"finish_reason":"STOP"}],"usage_metadata":{"cached_content_token_count":null,"candidates_token_count":2,"prompt_token_count":4,"total_token_count":6}}`,
		[]figure{{"", 4, "0.000008"}}, []figure{{"", 2, "0.00002"}}, 6, "0.000028",
	},
	// inputTokens leave the caches out: 30 × 2e-6 + 1000 × 0.5e-6 + 200 × 2.5e-6 = 0.00006 + 0.0005 + 0.0005; 8 × 1e-5.
	"converse": {
		"bedrock", `{"messages":[{"role":"user","content":[{"text":"Hi"}]}]}`,
		`{"output":{"message":{"role":"assistant","content":[{"text":"Hello"}]}},"stopReason":"end_turn","usage":{"inputTokens":30,"outputTokens":8,"totalTokens":1238,"cacheReadInputTokens":1000,"cacheWriteInputTokens":200}}`,
		[]figure{{"", 1230, "0.00106"}, {"cache_creation", 200, "0.0005"}, {"cache_read", 1000, "0.0005"}}, []figure{{"", 8, "0.00008"}}, 1238, "0.00114",
	},
	// inputTokens include the cache: 80 × 2e-6 + 1920 × 0.5e-6 = 0.00016 + 0.00096; 22 × 1e-5.
	"ai sdk": {
		"ai_sdk", `{"prompt":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`,
		`{"content":[{"type":"reasoning","text":"Hm"},{"type":"text","text":"Hello"}],"finishReason":"stop","usage":{"inputTokens":2000,"outputTokens":22,"totalTokens":2022,"reasoningTokens":20,"cachedInputTokens":1920}}`,
		[]figure{{"", 2000, "0.00112"}, {"cache_read", 1920, "0.00096"}}, []figure{{"", 22, "0.00022"}, {"reasoning", 20, ""}}, 2022, "0.00134",
	},
	// One call, which the message, its metadata and llm_output state: 5 × 2e-6 + 4 × 0.5e-6 = 0.00001 + 0.000002; 2 × 1e-5.
	"langchain": {
		"openai", `{"messages":[[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"Hi","type":"human"}}]]}`,
		`{"generations":[[{"text":"Hello","message":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"Hello","type":"ai","usage_metadata":{"input_tokens":9,"output_tokens":2,"total_tokens":11,"input_token_details":{"cache_read":4}},"response_metadata":{"token_usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}}}}]],"llm_output":{"token_usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}}`,
		[]figure{{"", 9, "0.000012"}, {"cache_read", 4, "0.000002"}}, []figure{{"", 2, "0.00002"}}, 11, "0.000032",
	},
	// 30 × 2e-6 + 4 × 0.5e-6 = 0.00006 + 0.000002; 8 × 1e-5, with the thoughts.
	"interactions": {
		"google_genai", `{"model":"m","input":[{"type":"user_input","content":[{"type":"text","text":"Hi"}]}]}`,
		`{"id":"i","object":"interaction","status":"completed","steps":[{"type":"thought","summary":[{"type":"text","text":"Hm"}]},{"type":"model_output","content":[{"type":"text","text":"Hello"}]}],"usage":{"total_input_tokens":34,"total_cached_tokens":4,"total_output_tokens":2,"total_thought_tokens":6,"total_tokens":42}}`,
		[]figure{{"", 34, "0.000062"}, {"cache_read", 4, "0.000002"}}, []figure{{"", 8, "0.00008"}, {"reasoning", 6, ""}}, 42, "0.000142",
	},
	// 9 × 2e-6; 2 × 1e-5.
	"mistral conversations": {
		"mistral", `{"inputs":[{"object":"entry","type":"message.input","role":"user","content":"Hi"}]}`,
		`{"object":"conversation.response","conversation_id":"c","outputs":[{"object":"entry","type":"message.output","role":"assistant","content":"Hello"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`,
		[]figure{{"", 9, "0.000018"}}, []figure{{"", 2, "0.00002"}}, 11, "0.000038",
	},
	// 36 × 2e-6; 120 × 1e-5.
	"openai agents": {
		"openai", `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}],"providerData":{}}]}`,
		`{"responseId":"r","output":[{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello"}],"providerData":{}}],"usage":{"requests":1,"inputTokens":36,"outputTokens":120,"totalTokens":156}}`,
		[]figure{{"", 36, "0.000072"}}, []figure{{"", 120, "0.0012"}}, 156, "0.001272",
	},
	// 50 × 2e-6; 6 × 1e-5.
	"claude agent": {
		"anthropic", `{"messages":[{"type":"user","message":{"role":"user","content":"Hi"},"parent_tool_use_id":null,"session_id":"s"}]}`,
		`{"type":"result","subtype":"success","result":"Hello","is_error":false,"num_turns":1,"session_id":"s","usage":{"input_tokens":50,"output_tokens":6}}`,
		[]figure{{"", 50, "0.0001"}}, []figure{{"", 6, "0.00006"}}, 56, "0.00016",
	},
	// 9 × 2e-6; 2 × 1e-5.
	"pydantic ai": {
		"openai", `{"message_history":[{"parts":[{"content":"Hi","part_kind":"user-prompt"}],"kind":"request"}]}`,
		`{"parts":[{"content":"Hello","part_kind":"text"}],"usage":{"input_tokens":9,"output_tokens":2},"kind":"response"}`,
		[]figure{{"", 9, "0.000018"}}, []figure{{"", 2, "0.00002"}}, 11, "0.000038",
	},
	// Clients add usage_metadata to formats without a usage of their own: 9 × 2e-6; 2 × 1e-5.
	"llama index": {
		"openai", `{"messages":[{"role":"user","additional_kwargs":{},"blocks":[{"block_type":"text","text":"Hi"}]}]}`,
		`{"message":{"role":"assistant","additional_kwargs":{},"blocks":[{"block_type":"text","text":"Hello"}]},"usage_metadata":{"input_tokens":9,"output_tokens":2,"total_tokens":11}}`,
		[]figure{{"", 9, "0.000018"}}, []figure{{"", 2, "0.00002"}}, 11, "0.000038",
	},
	"opentelemetry": {
		"openai", `{"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]}`,
		`{"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"text","content":"Hello"}],"finish_reason":"stop"}],"usage_metadata":{"input_tokens":9,"output_tokens":2,"total_tokens":11}}`,
		[]figure{{"", 9, "0.000018"}}, []figure{{"", 2, "0.00002"}}, 11, "0.000038",
	},
	"openinference": {
		"openai", `{"llm.input_messages":[{"message":{"role":"user","content":"Hi"}}]}`,
		`{"llm.output_messages":[{"message":{"role":"assistant","content":"Hello"}}],"usage_metadata":{"input_tokens":9,"output_tokens":2,"total_tokens":11}}`,
		[]figure{{"", 9, "0.000018"}}, []figure{{"", 2, "0.00002"}}, 11, "0.000038",
	},
	"mcp": {
		"anthropic", `{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":9}`,
		`{"role":"assistant","content":{"type":"text","text":"Hello"},"model":"m","stopReason":"endTurn","usage_metadata":{"input_tokens":9,"output_tokens":2,"total_tokens":11}}`,
		[]figure{{"", 9, "0.000018"}}, []figure{{"", 2, "0.00002"}}, 11, "0.000038",
	},
	// 1.1 million tokens: 1100000 × 2e-6; 3 × 1e-5.
	"native": {
		"example", `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`,
		`{"messages":[{"role":"assistant","content":[{"type":"text","text":"Hello"}],"usage_metadata":{"input_tokens":1100000,"output_tokens":3,"total_tokens":1100003}}]}`,
		[]figure{{"", 1100000, "2.2"}}, []figure{{"", 3, "0.00003"}}, 1100003, "2.20003",
	},
}

// log logs the call below a chain that returns its answer, and returns the call's id.
func (c loggedCall) log(plane *providertest.Plane, project string) string {
	root, call := uuid.NewString(), uuid.NewString()
	order := "20260102T030305000000Z" + root
	plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": []any{
		map[string]any{
			"id": root, "trace_id": root, "dotted_order": order, "session_name": project, "name": "agent", "run_type": "chain",
			"start_time": "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:07Z",
			"inputs": json.RawMessage(c.inputs), "outputs": json.RawMessage(c.outputs),
		},
		map[string]any{
			"id": call, "trace_id": root, "parent_run_id": root, "session_name": project, "name": "model", "run_type": "llm",
			"dotted_order": order + ".20260102T030305000000Z" + call, "start_time": "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:06Z",
			"inputs": json.RawMessage(c.inputs), "outputs": json.RawMessage(c.outputs),
			"extra": map[string]any{"metadata": map[string]any{"ls_provider": c.provider, "ls_model_name": "example-large"}},
		},
	}}, nil)
	return call
}

// TestAccFormats logs a call of each format, and compares the figures of the data sources, of the functions, of the API and of the
// pages with a computation by hand, and the messages of the data source with those of the functions. The chain around it returns the model's answer and doesn't count.
func TestAccFormats(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	plane.Call(http.MethodPost, "/api/v1/model-price-map", map[string]any{
		"name": "large", "match_pattern": "^example-large$", "prompt_cost": "0.000002", "completion_cost": "0.00001",
		"prompt_cost_details": map[string]any{"cache_read": "0.0000005", "cache_creation": "0.0000025"},
	}, nil)
	var checks []statecheck.StateCheck
	var calls []config.Variable
	text := config.StringVariable
	for i, name := range slices.Sorted(maps.Keys(loggedCalls)) {
		c := loggedCalls[name]
		id := c.log(plane, name)
		t.Run(name, func(t *testing.T) {
			c.checkPage(t, plane, id)
			c.checkDetails(t, plane, id)
		})
		calls = append(calls, config.ObjectVariable(map[string]config.Variable{"project": text(name), "inputs": text(c.inputs), "outputs": text(c.outputs)}))
		for _, source := range []string{"call", "trace"} {
			c.expect(func(figure string, want knownvalue.Check) {
				checks = append(checks, statecheck.ExpectKnownValue(fmt.Sprintf("data.agentplane_runs.%s[%d]", source, i), at(0, figure), want))
			})
		}
		c.expect(func(figure string, want knownvalue.Check) {
			path := tfjsonpath.New("statistics").AtMapKey(figure)
			checks = append(checks, statecheck.ExpectKnownValue(fmt.Sprintf("data.agentplane_tracing_project.test[%d]", i), path, want))
		})
		checks = append(checks, statecheck.ExpectKnownOutputValueAtPath("answer", tfjsonpath.New(i), knownvalue.StringExact("Hello")))
		checks = append(checks, c.ofFunctions(i)...)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		Steps: []resource.TestStep{{
			ConfigDirectory: config.StaticDirectory("testdata/formats"), ConfigVariables: config.Variables{"calls": config.ListVariable(calls...)},
			ConfigStateChecks: checks,
		}},
	})
}

// expect hands out the figures that data sources have.
func (c loggedCall) expect(expect func(string, knownvalue.Check)) {
	expect("prompt_tokens", knownvalue.Int64Exact(c.prompt[0].tokens))
	expect("completion_tokens", knownvalue.Int64Exact(c.completion[0].tokens))
	expect("total_tokens", knownvalue.Int64Exact(c.totalTokens))
	expect("prompt_cost", knownvalue.StringExact(c.prompt[0].cost))
	expect("completion_cost", knownvalue.StringExact(c.completion[0].cost))
	expect("total_cost", knownvalue.StringExact(c.totalCost))
}

// ofFunctions checks what functions read of the call with this number itself: the messages of the data source, and the same tokens.
func (c loggedCall) ofFunctions(i int) []statecheck.StateCheck {
	yes := knownvalue.Bool(true)
	side := knownvalue.ObjectExact(map[string]knownvalue.Check{"recognized": yes, "json": yes, "blocks": yes})
	details := func(rows []figure) knownvalue.Check {
		parts := map[string]knownvalue.Check{}
		for _, part := range rows[1:] {
			parts[part.kind] = knownvalue.Int64Exact(part.tokens)
		}
		if len(parts) == 0 {
			return knownvalue.Null()
		}
		return knownvalue.MapExact(parts)
	}
	return []statecheck.StateCheck{
		statecheck.ExpectKnownOutputValueAtPath("alike", tfjsonpath.New(i), knownvalue.ObjectExact(map[string]knownvalue.Check{"inputs": side, "outputs": side})),
		statecheck.ExpectKnownOutputValueAtPath("usage", tfjsonpath.New(i), knownvalue.ObjectExact(map[string]knownvalue.Check{
			"input_tokens": knownvalue.Int64Exact(c.prompt[0].tokens), "output_tokens": knownvalue.Int64Exact(c.completion[0].tokens),
			"total_tokens":        knownvalue.Int64Exact(c.totalTokens),
			"input_token_details": details(c.prompt), "output_token_details": details(c.completion),
			"problems": knownvalue.Int64Exact(0),
		})),
	}
}

// checkDetails compares the details that the API answers.
func (c loggedCall) checkDetails(t *testing.T, plane *providertest.Plane, id string) {
	t.Helper()
	var run map[string]any
	plane.Call(http.MethodGet, "/api/v1/runs/"+id, nil, &run)
	for side, rows := range map[string][]figure{"prompt": c.prompt, "completion": c.completion} {
		want := map[string]any{}
		for _, part := range rows[1:] {
			want[part.kind] = float64(part.tokens)
		}
		got, _ := run[side+"_token_details"].(map[string]any)
		if got == nil {
			got = map[string]any{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s_token_details (-want +got):\n%s", side, diff)
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// checkPage reads the page of the call as a browser shows it: what was said, and the rows of its usage.
func (c loggedCall) checkPage(t *testing.T, plane *providertest.Plane, id string) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/ui/runs/"+id, http.NoBody)
	request.SetBasicAuth("anybody", providertest.APIKey)
	recorder := httptest.NewRecorder()
	plane.Server.ServeHTTP(recorder, request) // Pages are no part of the API that the contract is about.
	if recorder.Code != http.StatusOK {
		t.Fatalf("status %d: %s", recorder.Code, recorder.Body)
	}
	text := strings.Join(strings.Fields(tags.ReplaceAllString(recorder.Body.String(), " ")), " ")
	table := "Input" + rows(c.prompt) + " Output" + rows(c.completion) + " Total" + rows([]figure{{tokens: c.totalTokens, cost: c.totalCost}})
	for _, want := range []string{" Hi ", " Hello ", table} {
		if !strings.Contains(text, want) {
			t.Errorf("the page doesn't have %q: %s", want, text)
		}
	}
	if strings.Contains(text, "Problems") {
		t.Errorf("the page has problems: %s", text)
	}
}

// rows are the figures of a side in a table.
func rows(figures []figure) string {
	var b strings.Builder
	for _, f := range figures {
		if f.kind != "" {
			b.WriteString(" of which " + f.kind)
		}
		cost := "–"
		if f.cost != "" {
			cost = "$" + f.cost
		}
		fmt.Fprintf(&b, " %d %s", f.tokens, cost)
	}
	return b.String()
}
