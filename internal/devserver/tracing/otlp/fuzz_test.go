package otlp_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// FuzzRuns checks for arbitrary bodies that each span is rejected or becomes a run that the service can store: with an ID,
// JSON fields and a place in its trace.
func FuzzRuns(f *testing.F) {
	for _, s := range []object{
		span(object{"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "[", "gen_ai.completion.99999999999999999999.role": "x"}),
		span(object{"gen_ai.input.messages": `[{"role":"user","parts":[null,1,"x",{"type":"tool_call"},{"type":"tool_call_response"},{"type":"blob"}]},7]`}),
		span(object{"gen_ai.output.messages": `{"parts":[{"type":"server_tool_call"}]}`, "gen_ai.system_instructions": "x"}),
		span(object{"llm.input_messages.0.message.contents.0.message_content.type": "image", "llm.tools.0.tool.json_schema": "{"}),
		span(object{"langsmith.usage_metadata": "[]", "langsmith.span.dotted_order": "x", "langsmith.attachments": `[{"content":"?"}]`}),
		span(object{"metadata": "[]", "gen_ai.usage.input_tokens": 1e300, "gen_ai.response.time_to_first_chunk": -1.0}, object{"events": []any{
			event("gen_ai.choice", 0, object{"message": `{"role":1}`}), event("exception", 0, object{}), event("gen_ai.tool.message", 0, object{"gen_ai.event.content": "{}"}),
		}}),
		span(object{"retrieval.documents.0.document.metadata": "{", "ai.response.text": "", "ai.response.toolCalls": 7, "tag.tags": "a,,b"}),
	} {
		text := body(f, object{"service.name": true}, s)
		f.Add(text, true)
		request, err := otlp.JSON.Decode(text)
		devservertest.Must(f, err)
		binary, err := proto.Marshal(request)
		devservertest.Must(f, err)
		f.Add(binary, false)
	}
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		encoding := otlp.Protobuf
		if isJSON {
			encoding = otlp.JSON
		}
		if size, err := encoding.DecodedSize(body); size < 0 {
			t.Errorf("DecodedSize is negative, %v", err)
		}
		request, err := encoding.Decode(body)
		if err != nil {
			return
		}
		runs, rejected := otlp.Runs(request, "")
		if spans := spansIn(request); len(runs)+len(rejected) != spans {
			t.Errorf("%d runs and %d rejections, want one for each of %d spans", len(runs), len(rejected), spans)
		}
		if ordered := otlp.ParentsFirst(runs); len(ordered) != len(runs) {
			t.Errorf("ParentsFirst returns %d runs, want %d", len(ordered), len(runs))
		}
		for _, run := range runs {
			checkStorable(t, run)
		}
	})
}

func spansIn(request *collector.ExportTraceServiceRequest) (n int) {
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			n += len(scope.GetSpans())
		}
	}
	return n
}

// FuzzAttribute checks that runs can be stored with arbitrary attributes of spans and events.
func FuzzAttribute(f *testing.F) {
	for _, key := range []string{
		"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.prompt.0.tool_calls.0.arguments", "gen_ai.completion.0.content",
		"llm.input_messages.0.message.contents.0.message_content.image.image.url", "llm.invocation_parameters", "langsmith.usage_metadata", "events", "metadata",
		"langsmith.span.id", "langsmith.span.tags", "gen_ai.usage.input_token_details", "langsmith.attachments", "gen_ai.event.content", "message",
		"langsmith.span.runtime", "llm.tools.0.tool.json_schema", "gen_ai.usage.input_tokens",
	} {
		for _, value := range []string{`[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]`, `{"role":"user","content":[{"type":"text"}]}`, "{'a': 1}", `"x"`, "7", "\x00"} {
			f.Add(key, value, "gen_ai.choice")
		}
	}
	f.Fuzz(func(t *testing.T, key, value, name string) {
		if !utf8.ValidString(key + value + name) {
			return // Decoders would reject it.
		}
		s := span(object{key: value, "gen_ai.operation.name": "chat"}, object{"events": []any{event(name, 1, object{key: value})}})
		request, err := otlp.JSON.Decode(body(t, object{key: value}, s))
		devservertest.Must(t, err)
		runs, _ := otlp.Runs(request, "")
		for _, run := range runs {
			checkStorable(t, run)
		}
	})
}

func checkStorable(t *testing.T, run otlp.Run) {
	t.Helper()
	if _, err := ingest.ParseID(run.ID); err != nil {
		t.Error(err)
	}
	for name, value := range run.Fields {
		if !json.Valid(value) || !utf8.Valid(value) {
			t.Errorf("field %s isn't valid JSON: %s", name, value)
		}
	}
	read, problems := llmrun.DecodeRunMembers(run.Fields)
	for _, problem := range problems {
		if problem.Pointer != "/dotted_order" { // Clients set this text, and the service may refuse it.
			t.Errorf("the service would refuse the run: %v", problem)
		}
	}
	if read.StartTime == nil || read.Name == "" || read.RunType == "" {
		t.Errorf("the run lacks a start, a name or a type: %s", run.Fields)
	}
	read.Measure(nil)
}
