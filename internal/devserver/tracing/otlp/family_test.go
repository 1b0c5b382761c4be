package otlp_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
)

// TestFamilies converts spans whose content is under names of their own: those of libraries, as they document them, and of a library that
// doesn't exist. Recordings of real libraries are in the corpus of the tracing service.
func TestFamilies(t *testing.T) {
	t.Parallel()
	const city = `{"city":"Rome"}`
	messages, answer := `{"messages":`+native(said("user", "Weather?"))+`}`, `{"messages":`+native(said("assistant", "Sunny."))+`}`
	for name, c := range map[string]struct {
		attributes object
		events     []any
		want       want
	}{
		"ADK calls a model": {attributes: object{
			"gen_ai.system": "gcp.vertex.agent", "gen_ai.request.model": "gemini-2.5-flash", "gcp.vertex.agent.session_id": "s1",
			"gcp.vertex.agent.llm_request":  `{"model":"gemini-2.5-flash","config":{},"contents":[{"role":"user","parts":[{"text":"Weather?"}]}]}`,
			"gcp.vertex.agent.llm_response": `{"content":{"role":"model","parts":[{"text":"Sunny."}]},"usage_metadata":{"prompt_token_count":20,"candidates_token_count":10,"total_token_count":30,"cached_content_token_count":5}}`,
			"gen_ai.usage.input_tokens":     20, "gen_ai.usage.output_tokens": 10,
		}, want: want{
			kind: "llm", model: "gemini-2.5-flash", provider: "google_vertexai", thread: "s1", tokens: []int64{20, 10, 30}, inputDetails: `{"cache_read":5}`,
			inputs: `{"model":"gemini-2.5-flash","config":{},"contents":[{"role":"user","parts":[{"text":"Weather?"}]}]}`,
		}},
		"ADK calls a tool": {attributes: object{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gcp.vertex.agent.llm_request": "{}", "gcp.vertex.agent.llm_response": "{}",
			"gcp.vertex.agent.tool_call_args": city, "gcp.vertex.agent.tool_response": `{"result":"sunny"}`,
		}, want: want{kind: "tool", name: "weather", inputs: city, outputs: `{"result":"sunny"}`}},
		"Langfuse observes a generation": {attributes: object{
			"langfuse.observation.type": "generation", "langfuse.observation.model.name": "example-large", "langfuse.session.id": "s1",
			"langfuse.observation.input":                 `[{"role":"user","content":"Weather?"}]`,
			"langfuse.observation.output":                `{"role":"assistant","content":"Sunny."}`,
			"langfuse.observation.usage_details":         `{"input_tokens":20,"output_tokens":10,"total_tokens":30}`,
			"langfuse.observation.completion_start_time": `"2026-05-02T10:00:00.250Z"`, "langfuse.trace.tags": []any{"smoke"},
			"langfuse.observation.metadata.team": "web",
		}, want: want{
			kind: "llm", model: "example-large", thread: "s1", tokens: []int64{20, 10, 30}, firstToken: "0.25", tags: []string{"smoke"},
			inputs: messages, metadata: object{"team": "web"},
		}},
		"Langfuse observes a tool": {attributes: object{"langfuse.observation.type": "tool", "langfuse.observation.input": city, "langfuse.observation.output": "sunny"},
			want: want{kind: "tool", inputs: city, outputs: `{"output":"sunny"}`}},
		"MLflow traces a call": {attributes: object{
			"mlflow.spanType": `"CHAT_MODEL"`, "mlflow.spanInputs": `{"model":"example-large","messages":[{"role":"user","content":"Weather?"}]}`,
			"mlflow.spanOutputs":     `{"choices":[{"index":0,"message":{"role":"assistant","content":"Sunny."}}]}`,
			"mlflow.chat.tokenUsage": `{"input_tokens":20,"output_tokens":10,"total_tokens":30}`,
		}, want: want{kind: "llm", model: "example-large", tokens: []int64{20, 10, 30},
			inputs: `{"model":"example-large","messages":[{"role":"user","content":"Weather?"}]}`}},
		"MLflow traces an agent": {attributes: object{"mlflow.spanType": `"AGENT"`, "mlflow.chat.tokenUsage": `{"input_tokens":20}`, "mlflow.spanInputs": city},
			want: want{kind: "chain", inputs: city, tokens: []int64{0, 0, 0}}},
		"Strands writes Converse blocks into events": {attributes: object{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 10}, events: []any{
			event("gen_ai.user.message", 0, object{"content": `[{"text":"Weather?"}]`}),
			event("gen_ai.assistant.message", 0, object{"content": `[{"toolUse":{"toolUseId":"call_1","name":"weather","input":{"city":"Rome"}}}]`}),
			event("gen_ai.tool.message", 0, object{"content": `[{"toolResult":{"toolUseId":"call_1","status":"success","content":[{"text":"sunny"}]}}]`}),
			event("gen_ai.choice", 900, object{"finish_reason": "end_turn", "message": `[{"text":"Sunny."}]`}),
		}, want: want{
			kind: "llm", tokens: []int64{20, 10, 30},
			inputs: `{"messages":` + native(said("user", "Weather?"), weatherCall,
				`{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"sunny"}],"extras":{"status":"success"}}`) + `}`,
		}},
		"JSON in the text of a user": {attributes: object{"gen_ai.operation.name": "chat"}, events: []any{
			event("gen_ai.user.message", 0, object{"content": `[{"sku":"a"}]`}),
		}, want: want{kind: "llm", inputs: `{"messages":` + native(said("user", `[{"sku":"a"}]`)) + `}`}},
		"an unknown library writes events": {attributes: object{"acme.kind": "llm"}, events: []any{
			event("acme.prompt", 0, object{"body": `[{"role":"user","content":"Weather?"}]`}), event("acme.answered", 0, object{"response": "Sunny."}),
		}, want: want{kind: "llm", inputs: messages, outputs: `{"output":"Sunny."}`}},
		"OpenLLMetry has thoughts as a message": {attributes: object{
			"llm.request.type": "chat", "gen_ai.completion.0.role": "thinking", "gen_ai.completion.0.content": "Easy.",
			"gen_ai.completion.1.role": "assistant", "gen_ai.completion.1.content": "Sunny.",
		}, want: want{kind: "llm", outputs: `{"messages":[{"role":"assistant","content":[{"type":"reasoning","text":"Easy."},{"type":"text","text":"Sunny."}]}]}`}},
		"Mastra runs an agent": {attributes: object{
			"gen_ai.operation.name": "invoke_agent", "mastra.span.type": "agent_run", "gen_ai.system_instructions": "Be brief.",
			"mastra.agent_run.input": "Weather?", "mastra.agent_run.output": `{"text":"Sunny.","files":[]}`,
			"mastra.metadata.sessionId": "s1", "mastra.tags": `["smoke"]`,
		}, want: want{kind: "chain", thread: "s1", tags: []string{"smoke"}, inputs: `{"messages":` + native(said("system", "Be brief."), said("user", "Weather?")) + `}`,
			outputs: `{"text":"Sunny.","files":[]}`}},
		"Laminar": {attributes: object{"lmnr.span.type": "LLM", "lmnr.span.input": `[{"role":"user","content":"Weather?"}]`,
			"lmnr.span.output": `[{"role":"assistant","content":"Sunny."}]`, "lmnr.association.properties.session_id": "s1"},
			want: want{kind: "llm", thread: "s1", inputs: messages, outputs: answer}},
		"Braintrust describes a span in JSON": {attributes: object{
			"braintrust.span_attributes": `{"name":"chat","type":"llm"}`, "braintrust.metadata": `{"model":"example-large","provider":"openai"}`,
			"braintrust.input_json":  `[{"role":"user","content":"Weather?"}]`,
			"braintrust.output_json": `[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Sunny."}}]`,
			"braintrust.metrics":     `{"prompt_tokens":20,"completion_tokens":10,"tokens":30}`,
		}, want: want{kind: "llm", model: "example-large", provider: "openai", tokens: []int64{20, 10, 30}, inputs: messages}},
		"PostHog prefixes all names": {attributes: object{
			"$ai_model": "example-large", "$ai_provider": "openai", "$ai_input": `[{"role":"user","content":"Weather?"}]`,
			"$ai_output_choices": `[{"role":"assistant","content":"Sunny."}]`, "$ai_input_tokens": 20, "$ai_output_tokens": 10,
		}, want: want{kind: "llm", model: "example-large", provider: "openai", tokens: []int64{20, 10, 30}, inputs: messages}},
		"Weave has a request and an answer": {attributes: object{
			"wandb.inputs": `{"model":"example-large","messages":[{"role":"user","content":"Weather?"}]}`,
			"wandb.output": `{"choices":[{"message":{"role":"assistant","content":"Sunny."}}],"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30}}`,
		}, want: want{kind: "llm", model: "example-large", tokens: []int64{20, 10, 30}}},
		"Logfire calls all spans spans": {attributes: object{"logfire.span_type": "span", "gen_ai.request.model": "example-large"}, want: want{kind: "llm", model: "example-large"}},
		"an unknown library retrieves": {attributes: object{"acme.kind": "retriever", "acme.query": "Rome", "acme.documents": `[{"page_content":"A city."}]`},
			want: want{kind: "retriever", inputs: `{"input":"Rome"}`, outputs: `{"documents":[{"page_content":"A city."}]}`}},
		"an unknown library counts by side": {attributes: object{"acme.kind": "llm", "acme.usage.input": 20, "acme.usage.output": 10},
			want: want{kind: "llm", tokens: []int64{20, 10, 30}}},
		"an unknown library calls a model": {attributes: object{
			"acme.call.modelId": "example-large", "acme.provider": "acme", "acme.call.prompt_json": `[{"role":"user","content":"Weather?"}]`,
			"acme.call.dialogue":       `{"choices":[{"index":0,"message":{"role":"assistant","content":"Sunny."}}]}`,
			"acme.tokens.promptTokens": 20, "acme.tokens.completionTokens": 10, "acme.conversationId": "s1", "acme.max_tokens": 64,
		}, want: want{kind: "llm", model: "example-large", provider: "acme", thread: "s1", tokens: []int64{20, 10, 30}, inputs: messages,
			outputs:  `{"choices":[{"index":0,"message":{"role":"assistant","content":"Sunny."}}],"usage":{"prompt_tokens":20,"completion_tokens":10}}`,
			metadata: object{"acme.max_tokens": 64.0, otlp.UnreadKey: nil}}},
		"an unknown library has an attribute for each field": {attributes: object{"acme.kind": "llm",
			"acme.prompts.0.role": "user", "acme.prompts.0.content": "Weather?", "acme.completions.0.role": "assistant", "acme.completions.0.content": "Sunny."},
			want: want{kind: "llm", inputs: messages, outputs: answer}},
		"an unknown library calls a tool": {attributes: object{"acme.tool.name": "weather", "acme.tool.arguments": city, "acme.tool.result": "sunny"},
			want: want{kind: "tool", inputs: city, outputs: `{"output":"sunny"}`}},
		"an unknown library runs an agent": {attributes: object{"acme.kind": "agent", "acme.model": "example-large", "acme.total_tokens": 30, "acme.input": "Weather?"},
			want: want{kind: "chain", inputs: `{"input":"Weather?"}`, tokens: []int64{0, 0, 0}, metadata: object{otlp.UnreadKey: nil}}},
		"an unknown library measures a rate": {attributes: object{"acme.tokens_per_second": 87.3}, want: want{kind: "chain"}},
		"an unknown library counts too many": {attributes: object{"acme.usage.tokens": "99999999999999999999"}, want: want{kind: "chain"}},
		"another program": {attributes: object{"http.request.body": `{"messages":[]}`, "db.query.text": "SELECT 1", "url.query": "a=b", "cart": `[{"sku":"a"}]`},
			want: want{kind: "chain", metadata: object{"url.query": "a=b", otlp.UnreadKey: nil}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, span(c.attributes, object{"events": c.events}), c.want)
		})
	}
}

// TestUnread names the attributes that look like content or like figures of calls, and that no reader understands.
func TestUnread(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attributes object
		unread     any
	}{
		"tokens":         {object{"acme.model": "m", "acme.input": "Weather?", "acme.tokens.used_up": 20}, []any{"acme.tokens.used_up"}},
		"content":        {object{"acme.talk": `[{"who":"user","text":"Weather?"}]`}, []any{"acme.talk"}},
		"text of a call": {object{"acme.model": "m", "acme.said": "It is sunny.", "acme.id": "a1"}, []any{"acme.said"}},
		"no content":     {object{"gen_ai.operation.name": "chat", "gen_ai.agent.description": "Tells the weather.", "max_tokens": 64}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, run := convert(t, span(c.attributes))
			devservertest.Same(t, "unread", c.unread, anyOf(t, string(run.Metadata[otlp.UnreadKey])))
		})
	}
}
