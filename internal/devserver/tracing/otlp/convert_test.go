package otlp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

type object = map[string]any

// Times of spans: 2026-05-02T10:00:00Z and two seconds later.
const (
	began = 1777716000000000000
	ended = began + 2_000_000_000
)

// attribute returns an attribute in OTLP's JSON encoding.
func attribute(value any) object {
	switch v := value.(type) {
	case string:
		return object{"stringValue": v}
	case bool:
		return object{"boolValue": v}
	case int:
		return object{"intValue": fmt.Sprint(v)}
	case float64:
		return object{"doubleValue": v}
	case []any:
		list := []any{}
		for _, element := range v {
			list = append(list, attribute(element))
		}
		return object{"arrayValue": object{"values": list}}
	case object:
		return object{"kvlistValue": object{"values": attributes(v)}}
	default:
		panic(fmt.Sprintf("attribute doesn't support the type %T", value))
	}
}

func attributes(values object) []any {
	list := []any{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, object{"key": key, "value": attribute(values[key])})
	}
	return list
}

// event returns an event of a span, after the given number of milliseconds.
func event(name string, after int, values object) object {
	return object{"name": name, "timeUnixNano": fmt.Sprint(began + after*1_000_000), "attributes": attributes(values)}
}

// span returns a span with attributes, and with changes.
func span(values object, changes ...object) object {
	s := object{
		"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": "work",
		"startTimeUnixNano": fmt.Sprint(began), "endTimeUnixNano": fmt.Sprint(ended), "attributes": attributes(values),
	}
	for _, change := range changes {
		maps.Copy(s, change)
	}
	return s
}

func body(t testing.TB, resource object, spans ...object) []byte {
	t.Helper()
	text, err := json.Marshal(object{"resourceSpans": []any{object{
		"resource":   object{"attributes": attributes(resource)},
		"scopeSpans": []any{object{"scope": object{"name": "tests", "version": "1.0"}, "spans": spans}},
	}}})
	devservertest.Must(t, err)
	return text
}

// convert returns the run of a span.
func convert(t testing.TB, s object) (otlp.Run, *llmrun.Run) {
	t.Helper()
	request, err := otlp.JSON.Decode(body(t, object{"service.name": "agent"}, s))
	devservertest.Must(t, err)
	runs, rejected := otlp.Runs(request, "")
	if len(runs) != 1 || len(rejected) > 0 {
		t.Fatalf("%d runs, rejected %v; want 1 and none", len(runs), rejected)
	}
	run, problems := llmrun.DecodeRunMembers(runs[0].Fields)
	if len(problems) > 0 {
		t.Fatalf("the service would refuse the run: %v", problems)
	}
	return runs[0], run
}

// want is the result of converting a span. Parts that are nil are not compared.
type want struct {
	kind, name, model, provider, failure, thread string
	inputs, outputs                              string // JSON.
	tokens                                       []int64
	inputDetails, outputDetails                  string // JSON.
	firstToken                                   string // Seconds.
	tags                                         []string
	metadata, params                             object
}

func check(t *testing.T, s object, w want) {
	t.Helper()
	_, run := convert(t, s)
	same := func(what string, want, got any) {
		t.Helper()
		devservertest.Same(t, what, want, got)
	}
	if w.kind != "" {
		same("run type", w.kind, string(run.RunType))
	}
	if w.name != "" {
		same("name", w.name, run.Name)
	}
	same("error", w.failure, run.Error)
	same("thread", w.thread, run.ThreadID())
	for side, text := range map[document.Side]string{document.Inputs: w.inputs, document.Outputs: w.outputs} {
		raw := map[document.Side]json.RawMessage{document.Inputs: run.Inputs, document.Outputs: run.Outputs}[side]
		if text == "" {
			continue
		}
		same(side.String(), anyOf(t, text), anyOf(t, string(raw)))
	}
	m := run.Measure(nil)
	same("model", w.model, m.Model.Name)
	same("provider", w.provider, m.Model.Provider)
	if w.tokens != nil {
		input, output, total := m.Usage.Tokens()
		same("tokens", w.tokens, []int64{input, output, total})
	}
	for what, details := range map[string]struct {
		want string
		got  any
	}{"input details": {w.inputDetails, m.Usage.Input.Details}, "output details": {w.outputDetails, m.Usage.Output.Details}} {
		if details.want != "" {
			text, err := json.Marshal(details.got)
			devservertest.Must(t, err)
			same(what, anyOf(t, details.want), anyOf(t, string(text)))
		}
	}
	if d, ok := run.TimeToFirstToken(); ok || w.firstToken != "" {
		same("time to first token", w.firstToken, fmt.Sprint(d.Seconds()))
	}
	if w.tags != nil {
		same("tags", w.tags, run.Tags)
	}
	for key, value := range w.metadata {
		same("metadata "+key, value, anyOf(t, string(run.Metadata[key])))
	}
	for key, value := range w.params {
		same("parameter "+key, value, anyOf(t, string(run.InvocationParams[key])))
	}
}

func anyOf(t testing.TB, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// native returns a conversation in the normal form.
func native(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

func said(role, text string) string {
	return fmt.Sprintf(`{"role":%q,"content":[{"type":"text","text":%q}]}`, role, text)
}

const (
	weatherCall   = `{"role":"assistant","content":[{"type":"tool_call","id":"call_1","name":"weather","args":{"city":"Rome"}}]}`
	weatherAnswer = `{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"sunny"}]}`
)

// TestGenAI converts the current attributes of the GenAI conventions, with messages as in their schemas.
func TestGenAI(t *testing.T) {
	t.Parallel()
	check(t, span(object{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "aws.bedrock", "gen_ai.request.model": "example-large",
		"gen_ai.response.model": "example-large-2026", "gen_ai.response.id": "resp_1", "gen_ai.response.finish_reasons": []any{"tool_calls"},
		"gen_ai.request.temperature": 0.5, "gen_ai.request.max_tokens": 64, "gen_ai.request.stop_sequences": []any{"END"},
		"gen_ai.tool.definitions":    `[{"type":"function","name":"weather"}]`,
		"gen_ai.system_instructions": `[{"type":"text","content":"Be brief."}]`,
		"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"Weather?"},
			{"type":"blob","modality":"image","mime_type":"image/png","content":"aGk="},{"type":"uri","modality":"video","uri":"https://example.org/v"}]},
			{"role":"assistant","parts":[{"type":"tool_call","id":"call_1","name":"weather","arguments":{"city":"Rome"}}]},
			{"role":"tool","parts":[{"type":"tool_call_response","id":"call_1","response":"sunny"}]}]`,
		"gen_ai.output.messages": []any{object{"role": "assistant", "finish_reason": "stop", "parts": []any{
			object{"type": "reasoning", "content": "Easy."}, object{"type": "text", "content": "Sunny."}}}},
		"gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 10, "gen_ai.usage.cache_read.input_tokens": 5,
		"gen_ai.usage.cache_creation.input_tokens": 2, "gen_ai.usage.reasoning.output_tokens": 4,
		"gen_ai.conversation.id": "c1", "gen_ai.response.time_to_first_chunk": 0.25,
	}), want{
		kind: "llm", name: "work", model: "example-large", provider: "amazon_bedrock", thread: "c1", firstToken: "0.25",
		inputs: `{"messages":` + native(said("system", "Be brief."),
			`{"role":"user","content":[{"type":"text","text":"Weather?"},{"type":"image","base64":"aGk=","mime_type":"image/png"},
				{"type":"video","url":"https://example.org/v"}]}`, weatherCall, weatherAnswer) + `}`,
		outputs: `{"id":"resp_1","model":"example-large-2026","finish_reasons":["tool_calls"],"messages":[{"role":"assistant",
			"content":[{"type":"reasoning","text":"Easy."},{"type":"text","text":"Sunny."}],"extras":{"finish_reason":"stop"}}],
			"usage_metadata":{"input_tokens":20,"output_tokens":10,"input_token_details":{"cache_read":5,"cache_creation":2},
			"output_token_details":{"reasoning":4}}}`,
		tokens: []int64{20, 10, 30}, inputDetails: `{"cache_read":5,"cache_creation":2}`, outputDetails: `{"reasoning":4}`,
		params: object{"model": "example-large", "temperature": 0.5, "max_tokens": 64.0, "stop": []any{"END"},
			"tools": []any{object{"type": "function", "name": "weather"}}},
		metadata: object{"gen_ai.provider.name": "aws.bedrock", "OTEL_TRACE_ID": "5b8efff798038103d269b633813fc60c",
			"OTEL_SPAN_ID": "eee19b7ec3c1b174"},
	})
}

// TestGenAIEarlier converts earlier attributes of the conventions, with one attribute per field of a message.
func TestGenAIEarlier(t *testing.T) {
	t.Parallel()
	check(t, span(object{
		"gen_ai.system": "OpenAI", "llm.request.type": "chat", "gen_ai.request.model": "example-large",
		"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.",
		"gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": `[{"type":"text","text":"Weather?"},{"type":"image_url","image_url":{"url":"https://example.org/i"}}]`,
		"gen_ai.prompt.2.role": "assistant", "gen_ai.prompt.2.tool_calls.0.id": "call_1", "gen_ai.prompt.2.tool_calls.0.name": "weather",
		"gen_ai.prompt.2.tool_calls.0.arguments": `{"city":"Rome"}`,
		"gen_ai.prompt.10.role":                  "tool", "gen_ai.prompt.10.tool_call_id": "call_1", "gen_ai.prompt.10.content": "sunny",
		"gen_ai.completion.0.message.role": "assistant", "gen_ai.completion.0.message.content": "Sunny.",
		"gen_ai.usage.prompt_tokens": 20, "gen_ai.usage.completion_tokens": 10, "gen_ai.usage.total_tokens": 30, "gen_ai.usage.cached_tokens": 5,
	}), want{
		kind: "llm", model: "example-large", provider: "openai",
		inputs: `{"messages":` + native(said("system", "Be brief."),
			`{"role":"user","content":[{"type":"text","text":"Weather?"},{"type":"image","url":"https://example.org/i"}]}`,
			weatherCall, weatherAnswer) + `}`,
		outputs: `{"messages":` + native(said("assistant", "Sunny.")) + `,"usage_metadata":{"input_tokens":20,"output_tokens":10,
			"total_tokens":30,"input_token_details":{"cache_read":5}}}`,
		tokens: []int64{20, 10, 30}, inputDetails: `{"cache_read":5}`,
	})
}

// TestGenAIEvents converts messages in span events, of both earlier kinds.
func TestGenAIEvents(t *testing.T) {
	t.Parallel()
	answer := `{"messages":` + native(said("assistant", "Sunny.")) + `}`
	check(t, span(object{"gen_ai.operation.name": "chat"}, object{"events": []any{
		event("gen_ai.system.message", 0, object{"gen_ai.system": "openai", "content": "Be brief."}),
		event("gen_ai.user.message", 0, object{"content": "Weather?"}),
		event("gen_ai.assistant.message", 0, object{"role": "assistant",
			"tool_calls": `[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]`}),
		event("gen_ai.tool.message", 0, object{"id": "call_1", "content": "sunny"}),
		event("gen_ai.choice", 900, object{"index": 0, "message.role": "assistant", "message.content": "Sunny."}),
		event("retried", 10, object{"attempt": 2}),
	}}), want{
		kind:    "llm",
		inputs:  `{"messages":` + native(said("system", "Be brief."), said("user", "Weather?"), weatherCall, weatherAnswer) + `}`,
		outputs: answer,
	})
	check(t, span(object{"gen_ai.operation.name": "chat"}, object{"events": []any{
		event("gen_ai.user.message", 0, object{"gen_ai.event.content": `{"role":"user","content":"Weather?"}`}),
		event("gen_ai.choice", 0, object{"gen_ai.event.content": `{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Sunny."}}`}),
	}}), want{inputs: `{"messages":` + native(said("user", "Weather?")) + `}`, outputs: answer})
	check(t, span(object{"gen_ai.operation.name": "chat"}, object{"events": []any{
		event("gen_ai.content.prompt", 0, object{"gen_ai.prompt": `[{"role":"user","content":"Weather?"}]`}),
		event("gen_ai.content.completion", 0, object{"gen_ai.completion": "Sunny."}),
	}}), want{inputs: `{"messages":[{"role":"user","content":"Weather?"}]}`, outputs: `{"output":"Sunny."}`})
	check(t, span(object{"gen_ai.operation.name": "chat"}, object{"events": []any{
		event("gen_ai.client.inference.operation.details", 0, object{
			"gen_ai.input.messages": []any{object{"role": "user", "parts": []any{object{"type": "text", "content": "Weather?"}}}},
		}),
	}}), want{inputs: `{"messages":` + native(said("user", "Weather?")) + `}`})
}

// TestOpenInference converts its attributes for calls, tools and retrievals.
func TestOpenInference(t *testing.T) {
	t.Parallel()
	check(t, span(object{
		"openinference.span.kind": "LLM", "llm.model_name": "example-large", "llm.provider": "anthropic",
		"llm.invocation_parameters":                                    `{"temperature":0.5}`,
		"llm.input_messages.0.message.role":                            "user",
		"llm.input_messages.0.message.contents.0.message_content.type": "text", "llm.input_messages.0.message.contents.0.message_content.text": "Weather?",
		"llm.input_messages.1.message.role": "assistant", "llm.input_messages.1.message.tool_calls.0.tool_call.id": "call_1",
		"llm.input_messages.1.message.tool_calls.0.tool_call.function.name":      "weather",
		"llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": `{"city":"Rome"}`,
		"llm.input_messages.2.message.role":                                      "tool", "llm.input_messages.2.message.tool_call_id": "call_1",
		"llm.input_messages.2.message.content": "sunny",
		"llm.output_messages.0.message.role":   "assistant", "llm.output_messages.0.message.content": "Sunny.",
		"input.value": `{"messages":[]}`, "input.mime_type": "application/json", "output.value": "Sunny.",
		"llm.tools.0.tool.json_schema": `{"name":"weather"}`,
		"llm.token_count.prompt":       20, "llm.token_count.completion": 10, "llm.token_count.total": 30,
		"llm.token_count.prompt_details.cache_read": 5, "llm.token_count.prompt_details.cache_write": 1, "llm.token_count.completion_details.reasoning": 3,
		"session.id": "s1", "tag.tags": []any{"smoke"}, "metadata": `{"team":"web"}`,
	}, object{"events": []any{event("First Token Stream Event", 500, object{})}}), want{
		kind: "llm", model: "example-large", provider: "anthropic", thread: "s1", firstToken: "0.5", tags: []string{"smoke"},
		inputs:  `{"messages":` + native(said("user", "Weather?"), weatherCall, weatherAnswer) + `}`,
		outputs: `{"messages":` + native(said("assistant", "Sunny.")) + `,"usage_metadata":{"input_tokens":20,"output_tokens":10,"total_tokens":30,"input_token_details":{"cache_read":5,"cache_creation":1},"output_token_details":{"reasoning":3}}}`,
		tokens:  []int64{20, 10, 30}, inputDetails: `{"cache_read":5,"cache_creation":1}`, outputDetails: `{"reasoning":3}`,
		metadata: object{"team": "web", "session.id": "s1", "input.value": nil},
		params:   object{"temperature": 0.5, "model": "example-large", "tools": []any{object{"name": "weather"}}},
	})
	// Anthropic's instrumentation repeats calls among the parts, where they may also be alone.
	const part, call = "llm.input_messages.0.message.contents.0.tool_call.", "llm.input_messages.0.message.tool_calls.0.tool_call."
	for _, prefixes := range [][]string{{part}, {part, call}} {
		values := object{"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "assistant"}
		for _, prefix := range prefixes {
			values[prefix+"id"], values[prefix+"function.name"], values[prefix+"function.arguments"] = "call_1", "weather", `{"city":"Rome"}`
		}
		check(t, span(values), want{kind: "llm", inputs: `{"messages":` + native(weatherCall) + `}`})
	}
	check(t, span(object{"openinference.span.kind": "TOOL", "tool.name": "weather", "input.value": `{"city":"Rome"}`, "output.value": "sunny"}),
		want{kind: "tool", name: "weather", inputs: `{"city":"Rome"}`, outputs: `{"output":"sunny"}`})
	check(t, span(object{"openinference.span.kind": "RETRIEVER", "input.value": "Rome", "retrieval.documents.0.document.content": "A city.",
		"retrieval.documents.0.document.metadata": `{"source":"wiki"}`, "retrieval.documents.0.document.id": "d1", "retrieval.documents.0.document.score": 0.9}),
		want{kind: "retriever", inputs: `{"input":"Rome"}`,
			outputs: `{"documents":[{"page_content":"A city.","metadata":{"source":"wiki"},"id":"d1","score":0.9}]}`})
}

// TestEmbeddings converts the embeddings of each convention: their tokens are priced like those of any call.
func TestEmbeddings(t *testing.T) {
	t.Parallel()
	prices, err := usage.NewPriceMap([]usage.Price{{Name: "example", MatchPattern: "^embed-1$", PromptCost: decimal.Of(2)}})
	devservertest.Must(t, err)
	for name, values := range map[string]object{
		"GenAI":         {"gen_ai.operation.name": "embeddings", "gen_ai.provider.name": "openai", "gen_ai.request.model": "embed-1", "gen_ai.usage.input_tokens": 8},
		"OpenInference": {"openinference.span.kind": "EMBEDDING", "llm.system": "openai", "embedding.model_name": "embed-1", "llm.token_count.prompt": 8, "llm.token_count.total": 8},
		"OpenLLMetry":   {"llm.request.type": "embedding", "gen_ai.system": "OpenAI", "gen_ai.request.model": "embed-1", "gen_ai.usage.prompt_tokens": 8},
		"the AI SDK":    {"ai.operationId": "ai.embed.doEmbed", "ai.model.provider": "openai.embedding", "ai.model.id": "embed-1", "ai.usage.tokens": 8},
		"the service":   {"langsmith.span.kind": "embedding", "gen_ai.system": "openai", "gen_ai.request.model": "embed-1", "langsmith.usage_metadata": `{"input_tokens":8}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, span(values), want{kind: "embedding", model: "embed-1", provider: "openai", tokens: []int64{8, 0, 8}})
			_, run := convert(t, span(values))
			if cost := run.Measure(prices).Cost.TotalCost; cost == nil || cost.String() != "16" {
				t.Errorf("cost = %v, want 8 tokens at 2 dollars", cost)
			}
		})
	}
	check(t, span(object{"ai.operationId": "ai.embed", "ai.model.id": "embed-1", "ai.usage.tokens": 8}), want{kind: "chain", model: "embed-1", tokens: []int64{0, 0, 0}})
	// A retriever that a client of the service names an embedding.
	check(t, span(object{"langsmith.span.kind": "retriever", "gen_ai.operation.name": "embeddings", "gen_ai.usage.input_tokens": 8}),
		want{kind: "retriever", tokens: []int64{0, 0, 0}})
}

// TestRetrieval converts the attributes of the GenAI conventions for retrievals, whose documents are JSON in a string, or structured.
func TestRetrieval(t *testing.T) {
	t.Parallel()
	for _, documents := range []any{
		`[{"id":"d1","score":0.9},{"id":"d2","score":0.5,"content":"A city."}]`,
		[]any{object{"id": "d1", "score": 0.9}, object{"id": "d2", "score": 0.5, "content": "A city."}},
	} {
		check(t, span(object{"gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "cities",
			"gen_ai.retrieval.query.text": "What is Rome?", "gen_ai.retrieval.documents": documents}), want{
			kind: "retriever", inputs: `{"query":"What is Rome?"}`,
			outputs:  `{"documents":[{"id":"d1","score":0.9},{"id":"d2","score":0.5,"page_content":"A city."}]}`,
			metadata: object{"gen_ai.data_source.id": "cities", "gen_ai.retrieval.query.text": nil, "gen_ai.retrieval.documents": nil},
		})
	}
	// A text that looks like a number is a text all the same.
	check(t, span(object{"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "42", "gen_ai.retrieval.documents": "none"}),
		want{kind: "retriever", inputs: `{"query":"42"}`, outputs: `{"documents":"none"}`})
}

// TestToolNames checks that the run of a tool is named after it, in each convention.
func TestToolNames(t *testing.T) {
	t.Parallel()
	for _, values := range []object{
		{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"},
		{"openinference.span.kind": "TOOL", "tool.name": "weather"},
		{"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather"},
		{"traceloop.span.kind": "tool", "traceloop.entity.name": "weather"},
	} {
		check(t, span(values, object{"name": "execute_tool weather"}), want{kind: "tool", name: "weather"})
	}
	check(t, span(object{"gen_ai.operation.name": "chat", "gen_ai.tool.name": "weather"}, object{"name": "chat m"}), want{kind: "llm", name: "chat m"})
}

// TestFirstChunk reads the seconds to the first token from either attribute.
func TestFirstChunk(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk"} {
		check(t, span(object{"gen_ai.operation.name": "chat", key: 0.25}), want{kind: "llm", firstToken: "0.25", metadata: object{key: nil}})
	}
}

// TestEventsAttribute converts the messages that Logfire writes into one attribute, and the texts of legacy completions.
func TestEventsAttribute(t *testing.T) {
	t.Parallel()
	check(t, span(object{"gen_ai.operation.name": "chat", "events": `[
		{"event.name":"gen_ai.user.message","gen_ai.message.index":0,"role":"user","content":"Weather?"},
		{"event.name":"gen_ai.assistant.message","role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]},
		{"event.name":"gen_ai.tool.message","role":"tool","id":"call_1","content":"sunny"},
		{"event.name":"gen_ai.choice","index":0,"message":{"role":"assistant","content":"Sunny."}}]`}), want{
		inputs:  `{"messages":` + native(said("user", "Weather?"), weatherCall, weatherAnswer) + `}`,
		outputs: `{"messages":` + native(said("assistant", "Sunny.")) + `}`,
	})
	check(t, span(object{"openinference.span.kind": "LLM", "llm.prompts.0.prompt.text": "Weather?", "llm.completions.0.completion.text": "Sunny."}),
		want{inputs: `{"messages":` + native(said("user", "Weather?")) + `}`, outputs: `{"messages":` + native(said("assistant", "Sunny.")) + `}`})
}

// TestShared checks that attributes common to all spans of a program are limited, because they are copied to each run.
func TestShared(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		resource object
		runtime  any
		rejected bool
	}{
		"small":           {object{"service.name": "agent"}, object{"service.name": "agent", "otel.scope.name": "tests", "otel.scope.version": "1.0"}, false},
		"large":           {object{"service.name": large}, object{"otel.scope.name": "tests", "otel.scope.version": "1.0"}, false},
		"a large project": {object{"langsmith.project": large}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, err := otlp.JSON.Decode(body(t, c.resource, span(object{})))
			devservertest.Must(t, err)
			runs, rejected := otlp.Runs(request, "")
			if (len(rejected) == 1) != c.rejected || len(runs)+len(rejected) != 1 {
				t.Fatalf("%d runs, %d rejected; want one of them, rejected: %v", len(runs), len(rejected), c.rejected)
			}
			if len(runs) == 0 {
				return
			}
			extra := anyOf(t, string(runs[0].Fields["extra"])).(object)
			devservertest.Same(t, "runtime", c.runtime, extra["runtime"])
		})
	}
}

// TestTraceloop converts the attributes of OpenLLMetry for spans that aren't calls.
func TestTraceloop(t *testing.T) {
	t.Parallel()
	check(t, span(object{
		"traceloop.span.kind": "workflow", "traceloop.entity.name": "agent", "traceloop.entity.input": `{"args":["Rome"]}`,
		"traceloop.entity.output": `"done"`, "traceloop.association.properties.user": "u1",
	}), want{kind: "chain", name: "agent", inputs: `{"args":["Rome"]}`, outputs: `{"output":"done"}`, metadata: object{"user": "u1"}})
	check(t, span(object{"traceloop.span.kind": "tool"}), want{kind: "tool"})
	check(t, span(object{"llm.request.type": "embedding", "gen_ai.request.model": "embed-1"}), want{kind: "embedding", model: "embed-1"})
}

// TestAISDK converts the AI SDK's attributes for a call and a tool.
func TestAISDK(t *testing.T) {
	t.Parallel()
	check(t, span(object{
		"ai.operationId": "ai.streamText.doStream", "ai.model.id": "example-large", "ai.model.provider": "openai.chat",
		"ai.prompt.messages": `[{"role":"user","content":[{"type":"text","text":"Weather?"}]}]`, "ai.prompt.tools": []any{`{"name":"weather"}`},
		"ai.response.text": "Sunny.", "ai.response.finishReason": "stop", "ai.usage.inputTokens": 20, "ai.usage.outputTokens": 10,
		"ai.usage.cachedInputTokens": 5, "ai.telemetry.metadata.ls_run_name": "ask", "ai.telemetry.metadata.team": "web",
	}, object{"events": []any{event("ai.stream.firstChunk", 125, object{"ai.response.msToFirstChunk": 125})}}), want{
		kind: "llm", name: "ask", model: "example-large", provider: "openai", firstToken: "0.125",
		inputs:  `{"messages":[{"role":"user","content":[{"type":"text","text":"Weather?"}]}]}`,
		outputs: `{"text":"Sunny.","finishReason":"stop","usage_metadata":{"input_tokens":20,"output_tokens":10,"input_token_details":{"cache_read":5}}}`,
		tokens:  []int64{20, 10, 30}, inputDetails: `{"cache_read":5}`, metadata: object{"team": "web"},
		params: object{"tools": []any{object{"name": "weather"}}},
	})
	check(t, span(object{"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather", "ai.toolCall.args": `{"city":"Rome"}`, "ai.toolCall.result": `"sunny"`}),
		want{kind: "tool", inputs: `{"city":"Rome"}`, outputs: `{"output":"sunny"}`})
}

// TestOwnAttributes checks that the tracing service's own attributes take precedence.
func TestOwnAttributes(t *testing.T) {
	t.Parallel()
	run, read := convert(t, span(object{
		"langsmith.span.kind": "LLM", "gen_ai.operation.name": "embeddings", "langsmith.trace.name": "ask", "langsmith.span.tags": "a, b",
		"langsmith.trace.session_name": "web", "langsmith.metadata.thread_id": "t1", "langsmith.metadata.tries": 2, "langsmith.traceable": "true",
		"langsmith.usage_metadata":  `{"input_tokens":7,"output_tokens":3,"total_tokens":10,"output_cost":0.5}`,
		"gen_ai.usage.input_tokens": 99, "gen_ai.prompt": `{"messages":[{"role":"user","content":"Hi"}]}`,
		"gen_ai.completion": `{"messages":[{"role":"assistant","content":"Hello"}]}`, "langsmith.metadata.ls_provider": "example", "gen_ai.system": "langchain",
		"gen_ai.serialized.name": "Model", "langsmith.request.streaming": true, "langsmith.span.id": "018f0000-0000-7000-8000-000000000001",
		"langsmith.span.parent_id": "018f0000000070008000000000000002", "langsmith.attachments": `[{"name":"notes","content":"aGk=","mime_type":"text/plain"}]`,
		"gen_ai.usage.input_token_details": "{'cache_read': 3}",
	}, object{"parentSpanId": "00f067aa0ba902b7"}))
	if read.RunType != "llm" || read.Name != "ask" || read.SessionName != "web" || read.ThreadID() != "t1" || !slices.Equal(read.Tags, []string{"a", "b"}) {
		t.Errorf("run %s %q in %q, thread %q, tags %q; want llm ask in web, t1, a and b", read.RunType, read.Name, read.SessionName, read.ThreadID(), read.Tags)
	}
	m := read.Measure(nil)
	if input, output, total := m.Usage.Tokens(); input != 7 || output != 3 || total != 10 || m.Model.Provider != "example" {
		t.Errorf("tokens = %d, %d, %d, provider %q; want 7, 3, 10, example", input, output, total, m.Model.Provider)
	}
	if run.ID != "018f0000-0000-7000-8000-000000000001" || read.ParentRunID.String() != "018f0000-0000-7000-8000-000000000002" || run.ParentSpanID != "" {
		t.Errorf("run %s with parent %s and parent span %q, want the attributes' IDs", run.ID, read.ParentRunID, run.ParentSpanID)
	}
	devservertest.Same(t, "run.Attachments", []otlp.Attachment{{Name: "notes", MimeType: "text/plain", Content: []byte("hi")}}, run.Attachments)
	devservertest.Same(t, "result", anyOf(t, `{"messages":[{"role":"user","content":"Hi"}],"stream":true}`), anyOf(t, string(read.Inputs)))
	if read.Metadata["langsmith.traceable"] != nil || string(read.Metadata["tries"]) != "2" {
		t.Errorf("extra = %s, want metadata with tries only", read.Extra)
	}
}

// TestUsageAttributes reads each attribute in which some convention or library counts tokens, alone.
func TestUsageAttributes(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		attributes []string
		usage      string
	}{
		{[]string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens"},
			`{"input_tokens":7}`},
		{[]string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion", "ai.usage.outputTokens", "ai.usage.completionTokens"},
			`{"output_tokens":7}`},
		{[]string{"gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total", "ai.usage.totalTokens"}, `{"total_tokens":7}`},
		{[]string{"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.cached_tokens", "gen_ai.usage.input_cached_tokens",
			"llm.token_count.prompt_details.cache_read", "llm.token_count.prompt_details.cache_input", "ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"},
			`{"input_tokens":7,"input_token_details":{"cache_read":7}}`},
		{[]string{"gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_write.input_tokens",
			"llm.token_count.prompt_details.cache_write", "ai.usage.inputTokenDetails.cacheWriteTokens"},
			`{"input_tokens":7,"input_token_details":{"cache_creation":7}}`},
		{[]string{"llm.token_count.prompt_details.audio"}, `{"input_token_details":{"audio":7}}`},
		{[]string{"gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.details.reasoning_tokens", "gen_ai.usage.reasoning_tokens",
			"llm.token_count.completion_details.reasoning", "ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens"},
			`{"output_token_details":{"reasoning":7}}`},
		{[]string{"llm.token_count.completion_details.audio"}, `{"output_token_details":{"audio":7}}`},
		{[]string{"llm.cost.prompt"}, `{"input_cost":7}`},
		{[]string{"llm.cost.completion"}, `{"output_cost":7}`},
		{[]string{"llm.cost.total", "gen_ai.usage.cost", "operation.cost"}, `{"total_cost":7}`},
	} {
		for _, attribute := range kind.attributes {
			check(t, span(object{"langsmith.span.kind": "llm", attribute: 7}), want{outputs: `{"usage_metadata":` + kind.usage + `}`, metadata: object{attribute: nil}})
		}
	}
}

// TestReportedCosts has each cost of OpenInference's conventions, and a provider that counts reasoning in the total only.
func TestReportedCosts(t *testing.T) {
	t.Parallel()
	check(t, span(object{
		"openinference.span.kind": "LLM", "llm.token_count.prompt": 32, "llm.token_count.completion": 9, "llm.token_count.total": 135,
		"llm.token_count.completion_details.reasoning": 94, "llm.cost.prompt": 0.0000064, "llm.cost.completion": 0.0000515, "llm.cost.total": 0.0000579,
		"llm.cost.prompt_details.cache_read": 0.000001, "llm.cost.prompt_details.cache_write": 0.000002, "llm.cost.prompt_details.audio": 0.000003,
		"llm.cost.completion_details.reasoning": 0.000047, "llm.cost.completion_details.audio": 0,
	}), want{outputs: `{"usage_metadata":{"input_tokens":32,"output_tokens":103,"total_tokens":135,"output_token_details":{"reasoning":94},
		"input_cost":0.0000064,"output_cost":0.0000515,"total_cost":0.0000579,
		"input_cost_details":{"cache_read":0.000001,"cache_creation":0.000002,"audio":0.000003},"output_cost_details":{"reasoning":0.000047,"audio":0}}}`})
}

// TestGatewayCost has the metadata that the AI SDK copies from Vercel's gateway.
func TestGatewayCost(t *testing.T) {
	t.Parallel()
	const metadata = `{"gateway":{"cost":"0.0045405"}}`
	check(t, span(object{"langsmith.span.kind": "llm", "ai.usage.inputTokens": 7, "ai.response.providerMetadata": metadata}),
		want{outputs: `{"usage_metadata":{"input_tokens":7,"total_cost":0.0045405}}`})
}

// TestOperations checks the type of each operation of the GenAI conventions, and of those that libraries add.
func TestOperations(t *testing.T) {
	t.Parallel()
	for kind, operations := range map[string][]string{
		"llm":       {"chat", "generate_content", "text_completion", "completion", "responses"},
		"embedding": {"embeddings"},
		"retriever": {"retrieval", "rerank"},
		"tool":      {"execute_tool"},
		"chain":     {"create_agent", "invoke_agent", "invoke_workflow", "agent_step", "workflow"},
	} {
		for _, operation := range operations {
			values := object{"gen_ai.operation.name": operation}
			if operation != "agent_step" && operation != "workflow" { // These name no model.
				values["gen_ai.request.model"] = "example-large"
			}
			if _, run := convert(t, span(values)); string(run.RunType) != kind {
				t.Errorf("%s is of type %s, want %s", operation, run.RunType, kind)
			}
		}
	}
}

// TestUsageLiteral converts usage details that are a printed Python dict.
func TestUsageLiteral(t *testing.T) {
	t.Parallel()
	check(t, span(object{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 9, "gen_ai.usage.input_token_details": "{'cache_read': 3}",
		"gen_ai.usage.output_tokens": 1, "gen_ai.usage.output_token_details": `{"reasoning": 1}`}),
		want{tokens: []int64{9, 1, 10}, inputDetails: `{"cache_read":3}`, outputDetails: `{"reasoning":1}`})
	check(t, span(object{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.cache_read_input_tokens": 30,
		"gen_ai.usage.cache_creation_input_tokens": 120, "gen_ai.usage.output_tokens": 9}),
		want{tokens: []int64{157, 9, 166}, inputDetails: `{"cache_read":30,"cache_creation":120}`})
	check(t, span(object{"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 7}), want{kind: "chain", tokens: []int64{0, 0, 0}})
}

// TestFailures converts the ways in which spans report failures.
func TestFailures(t *testing.T) {
	t.Parallel()
	const stack = "Error: no such tool\n    at main.js:1"
	thrown := object{"events": []any{event("exception", 10, object{
		"exception.type": "Error", "exception.message": "no such tool", "exception.stacktrace": stack,
	})}}
	failed := func(message string) object { return object{"status": object{"code": 2, "message": message}} }
	for name, c := range map[string]struct {
		changes []object
		want    string
	}{
		"fine":                 {nil, ""},
		"an exception":         {[]object{thrown, failed("")}, "no such tool\n\n" + stack},
		"a message":            {[]object{failed("HTTP 500")}, "HTTP 500"},
		"both":                 {[]object{thrown, failed("HTTP 500")}, "no such tool\n\n" + stack},
		"nothing":              {[]object{failed("")}, "The span failed without a message."},
		"an unset status":      {[]object{thrown}, "no such tool\n\n" + stack},
		"a handled exception":  {[]object{thrown, {"status": object{"code": 1}}}, ""},
		"an exception's type":  {[]object{{"events": []any{event("exception", 1, object{"exception.type": "Timeout"})}}}, "Timeout"},
		"a status by its name": {[]object{{"status": object{"code": "STATUS_CODE_ERROR", "message": "late"}}}, "late"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, span(object{}, c.changes...), want{kind: "chain", failure: c.want})
		})
	}
	check(t, span(object{"langsmith.traceable": "true"}, thrown, object{"status": object{"code": 1}}), want{failure: "no such tool\n\n" + stack})
}
