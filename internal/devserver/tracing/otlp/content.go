package otlp

import (
	"encoding/json"
	"slices"

	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// content sets the fields that describe the work of the span.
func (b *builder) content() {
	a := b.attributes
	s := readEvents(b.span.GetEvents())
	for key, value := range s.details {
		if a[key] == nil {
			a[key] = value
		}
	}
	if events := payloadOf(a["events"]); rawjson.IsArray(events) {
		s.list(events)
		a.drop("events")
	}
	b.family = newFamily(a)
	stated := b.statedType()
	b.kind = b.runType(stated)
	b.text("name", b.name())
	b.model()
	streamed, isStreamed := a.number("gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk")
	inputs, outputs := b.inputs(s), b.outputs(s)
	if stated == "" && b.kind == llmrun.RunTypeChain && inputs.Has("model") && countsTokens(outputs) {
		b.kind = llmrun.RunTypeLLM // A request to a model, and its answer.
	}
	b.text("run_type", string(b.kind))
	if flag := a.payload("langsmith.request.streaming"); flag != nil && !inputs.Has("stream") {
		inputs = inputs.With("stream", flag)
	}
	if len(inputs) > 0 {
		b.fields["inputs"] = inputs.Encode()
	}
	if outputs = b.withUsage(outputs); len(outputs) > 0 {
		b.fields["outputs"] = outputs.Encode()
	}
	if token, valid := firstToken(b.start, streamed); isStreamed && valid {
		s.kept = append(s.kept, token)
	} else if text := b.family.textCalled(firstTokenWords); text != "" {
		if at, err := timestamp.Parse(text); err == nil && !at.Before(b.start) {
			s.kept = append(s.kept, tokenEvent(at))
		}
	}
	if len(s.kept) > 0 {
		b.fields["events"] = rawjson.EncodeArray(s.kept)
	}
	b.failure(s.exception)
	b.labels()
}

// name returns the span's name, unless an attribute has a better one.
func (b *builder) name() string {
	a := b.attributes
	candidates := []string{a.text("langsmith.trace.name", "ai.telemetry.metadata.ls_run_name")}
	if b.kind == llmrun.RunTypeTool {
		candidates = append(candidates, a.peek("gen_ai.tool.name", "tool.name", "ai.toolCall.name"))
	}
	for _, name := range append(candidates, a.text("traceloop.entity.name"), b.span.GetName()) {
		if name != "" {
			return name
		}
	}
	return string(b.kind)
}

// failure returns why the span failed. A span with status OK has handled its exceptions, unless it was exported by a client
// of the tracing service: that client sets OK on each run at its start, and can't unset it.
func (b *builder) failure(exception string) {
	status := b.span.GetStatus()
	switch code := status.GetCode(); {
	case code == trace.Status_STATUS_CODE_OK && b.attributes.peek("langsmith.traceable") == "":
	case exception != "":
		b.text("error", exception)
	case code == trace.Status_STATUS_CODE_ERROR && status.GetMessage() != "":
		b.text("error", status.GetMessage())
	case code == trace.Status_STATUS_CODE_ERROR:
		b.text("error", "The span failed without a message.")
	}
}

// inputs returns the inputs of the span's work.
func (b *builder) inputs(s said) rawjson.Object {
	a := b.attributes
	instructions := a.payload(systemInstructions)
	if isVoid(instructions) {
		instructions = nil
	}
	if messages := a.payload(genAIMessages[document.Inputs]); messages != nil {
		o := make(rawjson.Object, 0, 2).WithRaw(genAIMessages[document.Inputs], messages).WithRaw(systemInstructions, instructions)
		return messagesObject(normal(o, genAIMessages[document.Inputs], document.Inputs))
	}
	found := b.otherInputs(s)
	if instructions == nil {
		return found
	}
	system := normal(rawjson.Of(systemInstructions, instructions), "messages", document.Inputs)
	if found == nil {
		return messagesObject(system)
	}
	return withSystem(system, found)
}

func (b *builder) otherInputs(s said) rawjson.Object {
	a := b.attributes
	if query := a.text("gen_ai.retrieval.query.text"); query != "" {
		return rawjson.Of("query", rawjson.Quote(query))
	}
	if texts := a.list("ai.values"); texts != nil {
		return rawjson.Of("input", texts)
	}
	if whole := a.payload("gen_ai.prompt"); whole != nil {
		return wrapped("input", whole)
	}
	for _, prefix := range []string{"gen_ai.prompt.", "llm.prompts.", "llm.input_messages."} {
		if messages := a.indexed(prefix, document.Inputs, b.parameters.Get("system")); messages != nil {
			a.drop("input.value", "input.mime_type")
			return messagesObject(messages)
		}
	}
	if messages := a.payload("ai.prompt.messages"); rawjson.IsArray(messages) {
		a.drop("ai.prompt")
		return messagesObject(messages)
	}
	if whole := a.payload("gen_ai.tool.call.arguments", "input.value", "traceloop.entity.input", "ai.toolCall.args", "ai.toolCall.input",
		"ai.prompt", "ai.value", "tool_arguments", "prompt"); whole != nil {
		a.drop("input.mime_type")
		return wrapped("input", whole)
	}
	if s.prompt != nil {
		return wrapped("input", s.prompt)
	}
	if len(s.inputs) > 0 {
		return messagesObject(conversation(s.inputs, document.Inputs))
	}
	return b.ownContent(s, document.Inputs)
}

var answerMembers = table("answer")

// outputs returns the outputs of the span's work.
func (b *builder) outputs(s said) rawjson.Object {
	a := b.attributes
	answer := b.answer(s)
	if answer == nil {
		answer = rawjson.Object{}
	}
	for _, member := range answerMembers {
		if value := a.payload(member.attributes...); value != nil && !answer.Has(member.name) {
			answer = answer.With(member.name, value)
		}
	}
	if reasons := a.texts("gen_ai.response.finish_reasons"); len(reasons) > 0 && !answer.Has("finish_reasons") {
		text, _ := json.Marshal(reasons) // Encoding a list of strings never fails.
		answer = answer.With("finish_reasons", text)
	}
	return answer
}

func (b *builder) answer(s said) rawjson.Object {
	a := b.attributes
	if messages := a.payload(genAIMessages[document.Outputs]); messages != nil {
		o := rawjson.Of(genAIMessages[document.Outputs], messages)
		return messagesObject(normal(o, genAIMessages[document.Outputs], document.Outputs))
	}
	if whole := a.payload("gen_ai.completion"); whole != nil {
		return wrapped("output", whole)
	}
	for _, prefix := range []string{"gen_ai.completion.", "llm.completions.", "llm.output_messages."} {
		if messages := a.indexed(prefix, document.Outputs, nil); messages != nil {
			a.drop("output.value", "output.mime_type")
			return messagesObject(messages)
		}
	}
	if documents := a.documents(); documents != nil {
		a.drop("output.value", "output.mime_type")
		return rawjson.Of("documents", documents)
	}
	if result := a.result(); result != nil {
		return result
	}
	if vectors := a.vectors(); vectors != nil {
		return rawjson.Of("embeddings", vectors)
	}
	if whole := a.payload("gen_ai.tool.call.result", "output.value", "traceloop.entity.output", "ai.toolCall.result", "ai.toolCall.output",
		"all_messages_events", "tool_response"); whole != nil {
		a.drop("output.mime_type")
		return wrapped("output", whole)
	}
	if s.completion != nil {
		return wrapped("output", s.completion)
	}
	if len(s.outputs) > 0 {
		return messagesObject(conversation(s.outputs, document.Outputs))
	}
	return b.ownContent(s, document.Outputs)
}

// ownContent returns the content of one side in attributes of an unknown convention or, if they have none, in those of events.
func (b *builder) ownContent(s said, side document.Side) rawjson.Object {
	if found := b.family.content(side); found != nil || len(s.other) == 0 {
		return found
	}
	return newFamily(s.other).content(side)
}

// result removes the outputs of the AI SDK.
func (a attributes) result() rawjson.Object {
	var result rawjson.Object
	for _, field := range []struct{ attribute, name string }{
		{"ai.response.text", "text"}, {"ai.response.reasoning", "reasoning"}, {"ai.response.toolCalls", "toolCalls"}, {"ai.response.object", "object"},
	} {
		if value := a[field.attribute]; value != nil {
			text := jsonOf(value)
			if field.name == "toolCalls" || field.name == "object" {
				text = payloadOf(value)
			}
			result = result.With(field.name, text)
		}
		a.drop(field.attribute)
	}
	if result != nil && !result.Has("text") {
		result = result.With("text", rawjson.Quote(string(result.Get("object")))) // The object is the text, parsed.
	}
	if reason := a.text("ai.response.finishReason"); result != nil && reason != "" {
		result = result.With("finishReason", rawjson.Quote(reason))
	}
	return result
}

// withUsage adds the usage of a call. Only calls of models have one: agents repeat that of the calls below them.
func (b *builder) withUsage(outputs rawjson.Object) rawjson.Object {
	stated := b.attributes.payload("langsmith.usage_metadata")
	if !rawjson.IsObject(stated) {
		if !b.kind.CallsModel() {
			return outputs
		}
		if b.counted = rawjson.IsObject(outputs.Get("usage_metadata")); b.counted {
			return outputs
		}
		if stated = b.attributes.usage(b.scope); stated == nil {
			return b.withOwnUsage(outputs)
		}
	}
	b.counted = true
	return outputs.Without("usage_metadata").With("usage_metadata", stated)
}

// wrapped makes any payload an object. A list of messages becomes a conversation.
func wrapped(key string, payload json.RawMessage) rawjson.Object {
	if o, is := rawjson.ReadObject(payload); is {
		return o
	}
	if list, is := rawjson.ReadArray(payload); is && len(list) > 0 && allMessages(list) {
		return messagesObject(payload)
	}
	return rawjson.Of(key, payload)
}

func allMessages(list []json.RawMessage) bool {
	return !slices.ContainsFunc(list, func(raw json.RawMessage) bool {
		o, _ := rawjson.ReadObject(raw)
		_, has := o.Text("role")
		return !has
	})
}

func messagesObject(messages json.RawMessage) rawjson.Object { return rawjson.Of("messages", messages) }

// documents removes the retrieved documents, and returns them in the form of the tracing framework.
func (a attributes) documents() json.RawMessage {
	if whole := a.payload("gen_ai.retrieval.documents"); whole != nil {
		list, is := rawjson.ReadArray(whole)
		if !is {
			return whole
		}
		documents := make([]json.RawMessage, len(list))
		for i, raw := range list {
			documents[i] = raw
			if document, is := rawjson.ReadObject(raw); is {
				documents[i] = renamed(document, "content", "page_content").Encode()
			}
		}
		return rawjson.EncodeArray(documents)
	}
	entries := a.entries("retrieval.documents.")
	documents := make([]json.RawMessage, 0, len(entries))
	for _, fields := range entries {
		document := rawjson.Of("page_content", rawjson.Quote(fields.text("document.content")))
		for _, name := range []string{"metadata", "id", "score"} {
			document = document.WithRaw(name, fields.payload("document."+name))
		}
		documents = append(documents, document.Encode())
	}
	if len(documents) == 0 {
		return nil
	}
	return rawjson.EncodeArray(documents)
}

// vectors removes the vectors of embeddings.
func (a attributes) vectors() json.RawMessage {
	if vectors := a.list("ai.embeddings"); vectors != nil {
		return vectors
	}
	var vectors []json.RawMessage
	for _, fields := range a.entries("embedding.embeddings.") {
		if vector := fields.payload("embedding.vector"); vector != nil { // The texts are the inputs.
			vectors = append(vectors, vector)
		}
	}
	if vectors != nil {
		return rawjson.EncodeArray(vectors)
	}
	if vector := a.payload("ai.embedding"); vector != nil {
		return rawjson.EncodeArray([]json.RawMessage{vector})
	}
	return nil
}
