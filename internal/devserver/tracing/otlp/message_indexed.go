package otlp

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// indexed reads messages with an attribute for each field: PREFIX.NUMBER.FIELD. They have the form of chat completions,
// whose parts are often unchanged in the content.
func (a attributes) indexed(prefix string, side document.Side) json.RawMessage {
	entries := a.entries(prefix)
	messages := make([]json.RawMessage, 0, len(entries))
	for _, fields := range entries {
		// Some programs nest the fields in a message within the entry, or log a string instead of a message.
		if inner := fields.below("message."); inner != nil {
			fields = inner
		}
		if text := fields.text("prompt.text", "completion.text"); text != "" {
			fields["content"] = textValue(text)
		}
		if !fields.has("role") {
			fields["role"] = textValue(map[document.Side]string{document.Inputs: document.RoleUser, document.Outputs: document.RoleAssistant}[side])
		}
		messages = append(messages, fields.chatMessage())
	}
	if len(messages) == 0 {
		return nil
	}
	return normal(messages, side)
}

// chatMessage builds a message of chat completions from its fields. One with the ID of a call is its result, even if the provider
// counts it as the user's.
func (a attributes) chatMessage() json.RawMessage {
	role := a.text("role")
	if a.has("tool_call_id") {
		role = document.RoleTool
	}
	content, repeated := a.chatContent()
	o := rawjson.Of("role", rawjson.Quote(role)).With("content", content)
	var calls []json.RawMessage
	called := a.entries("tool_calls.")
	if called == nil {
		called = repeated
	}
	for _, fields := range called {
		if inner := fields.below("tool_call."); inner != nil {
			fields = inner
		}
		calls = append(calls, chatCall(fields.text("id"), fields.text("function.name", "name"), fields.text("function.arguments", "arguments")))
	}
	if list, is := rawjson.ReadArray(a.payload("tool_calls")); is {
		calls = append(calls, list...)
	}
	if name := a.text("function_call_name"); name != "" {
		calls = append(calls, chatCall("", name, a.text("function_call_arguments_json")))
	}
	if len(calls) > 0 {
		o = o.With("tool_calls", rawjson.EncodeArray(calls))
	}
	for _, field := range []string{"tool_call_id", "name", "refusal"} {
		if text := a.text(field); text != "" {
			o = o.With(field, rawjson.Quote(text))
		}
	}
	if reasoning := a.text("reasoning", "reasoning_content"); reasoning != "" {
		o = o.With("reasoning_content", rawjson.Quote(reasoning))
	}
	return o.WithAll(a.members()).Encode()
}

// chatContent reads the content of a message: a string, or parts, which are in one attribute or each in several. Parts that
// are calls are returned as such: programs repeat the calls of the message there.
func (a attributes) chatContent() (content json.RawMessage, calls []attributes) {
	var parts []json.RawMessage
	for _, fields := range a.entries("contents.") {
		if call := fields.below("tool_call."); call != nil {
			calls = append(calls, call)
			continue
		}
		parts = append(parts, fields.below("message_content.").chatPart())
	}
	text := a["content"]
	if list, is := rawjson.ReadArray(payloadOf(text)); is && len(list) > 0 && allTyped(list) {
		parts = append(parts, list...)
		text = nil
	}
	delete(a, "content")
	switch {
	case parts != nil:
		return rawjson.EncodeArray(parts), calls
	case text != nil:
		if s, is := textOf(text); is {
			return rawjson.Quote(s), calls
		}
		return jsonOf(text), calls
	default:
		return json.RawMessage("null"), calls
	}
}

func (a attributes) chatPart() json.RawMessage {
	kind := a.text("type")
	url := a.text("image.image.url", "image.url")
	switch {
	case url != "":
		return rawjson.Of("type", rawjson.Quote("image_url")).With("image_url", rawjson.Of("url", rawjson.Quote(url)).Encode()).Encode()
	case kind == "", kind == document.BlockText, kind == "input_text", kind == "output_text":
		return textBlock(a.text("text"))
	default:
		return rawjson.Of("type", rawjson.Quote(kind)).WithAll(a.members()).Encode()
	}
}

func chatCall(id, name, arguments string) json.RawMessage {
	o := make(rawjson.Object, 0, 3)
	if id != "" {
		o = o.With("id", rawjson.Quote(id))
	}
	function := rawjson.Of("name", rawjson.Quote(name)).With("arguments", rawjson.Quote(arguments))
	return o.With("type", rawjson.Quote("function")).With("function", function.Encode()).Encode()
}

// allTyped says whether all values are parts of a message: objects with a type.
func allTyped(list []json.RawMessage) bool {
	for _, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		if _, typed := o.Text("type"); !typed {
			return false
		}
	}
	return true
}
