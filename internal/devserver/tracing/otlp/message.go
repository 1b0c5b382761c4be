package otlp

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// normal converts messages in any known form to the normal form. Others are unchanged.
func normal(messages []json.RawMessage, side document.Side) json.RawMessage {
	list := rawjson.EncodeArray(messages)
	d, err := message.Normalize(rawjson.Of("messages", list).Encode(), side)
	if err != nil || d.Format == document.FormatUnrecognized {
		return list
	}
	form, _ := rawjson.ReadObject(d.Native())
	return form.Get("messages")
}

// conversation reads a list of messages with parts, as in the GenAI conventions with attributes of spans. A message without
// parts has a provider's form, and is converted to the normal form together with the others.
func conversation(raw, instructions json.RawMessage, side document.Side) json.RawMessage {
	var messages []json.RawMessage
	if list, is := rawjson.ReadArray(instructions); is {
		messages = fromParts(document.RoleSystem, list, nil)
	} else if text, is := rawjson.ReadString(instructions); is {
		messages = []json.RawMessage{plain(document.RoleSystem, text)}
	}
	list, is := rawjson.ReadArray(raw)
	if !is && rawjson.IsObject(raw) {
		list = []json.RawMessage{raw}
	}
	foreign := false
	for _, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		parts, has := rawjson.ReadArray(o.Get("parts"))
		if !has {
			messages, foreign = append(messages, raw), true
			continue
		}
		role, _ := o.Text("role")
		messages = append(messages, fromParts(role, parts, o.Rest("role", "parts"))...)
	}
	if foreign {
		return normal(messages, side)
	}
	return rawjson.EncodeArray(messages)
}

// withSystem adds a system prompt that is not among the messages, because it is a parameter of the call.
func withSystem(messages, prompt json.RawMessage) json.RawMessage {
	list, _ := rawjson.ReadArray(messages)
	if prompt == nil || len(list) == 0 {
		return messages
	}
	first, _ := rawjson.ReadObject(list[0])
	if role, _ := first.Text("role"); role == document.RoleSystem {
		return messages
	}
	system := rawjson.Of("role", rawjson.Quote(document.RoleSystem)).With("content", prompt).Encode()
	added, _ := rawjson.ReadArray(normal([]json.RawMessage{system}, document.Inputs))
	return rawjson.EncodeArray(append(added, list...))
}

// fromParts converts parts to messages: responses of tools become separate messages.
func fromParts(role string, parts []json.RawMessage, extras rawjson.Members) []json.RawMessage {
	var messages, content []json.RawMessage
	for _, raw := range parts {
		part, is := rawjson.ReadObject(raw)
		if text, isText := rawjson.ReadString(raw); isText {
			content = append(content, textBlock(text))
		}
		if !is {
			continue
		}
		switch kind, _ := part.Text("type"); kind {
		case "tool_call_response":
			messages = append(messages, toolMessage(part))
		default:
			content = append(content, blockOf(kind, part))
		}
	}
	if len(content) == 0 && len(messages) > 0 {
		return messages
	}
	o := rawjson.Of("role", rawjson.Quote(role)).With("content", rawjson.EncodeArray(content))
	if len(extras) > 0 {
		o = o.With("extras", rawjson.Object(nil).WithAll(extras).Encode())
	}
	return append(messages, o.Encode())
}

func plain(role, text string) json.RawMessage {
	return rawjson.Of("role", rawjson.Quote(role)).With("content", rawjson.EncodeArray([]json.RawMessage{textBlock(text)})).Encode()
}

func textBlock(text string) json.RawMessage {
	return rawjson.Of("type", rawjson.Quote(document.BlockText)).With("text", rawjson.Quote(text)).Encode()
}

func toolMessage(part rawjson.Object) json.RawMessage {
	answer := first(part.Get("response"), part.Get("result"), part.Get("content"))
	o := rawjson.Of("role", rawjson.Quote(document.RoleTool)).
		With("content", rawjson.EncodeArray([]json.RawMessage{textBlock(textOfJSON(answer))}))
	return withID(o, "tool_call_id", part.Get("id")).Encode()
}

// blockOf converts a part to a block of the normal form. What has no place in it becomes extras.
func blockOf(kind string, part rawjson.Object) json.RawMessage {
	block := func(kind string) rawjson.Object { return rawjson.Of("type", rawjson.Quote(kind)) }
	var o rawjson.Object
	taken := []string{"type"}
	take := func(key string) json.RawMessage {
		taken = append(taken, key)
		return part.Get(key)
	}
	switch kind {
	case "text":
		o = block(document.BlockText).With("text", quoted(first(take("content"), take("text"))))
	case "reasoning", "thinking":
		o = block(document.BlockReasoning).With("text", quoted(first(take("content"), take("text"))))
	case "tool_call":
		o = call(document.BlockToolCall, take("id"), take("name"), first(take("arguments"), take("args")))
	case "server_tool_call":
		o = call(document.BlockServerToolCall, take("id"), take("name"), take(kind))
	case "server_tool_call_response":
		o = withID(block(document.BlockServerToolResult), "tool_call_id", take("id")).With("status", rawjson.Quote("success")).
			With("output", first(take(kind), json.RawMessage("null")))
	case "blob", "uri", "file":
		o = block(mediaBlock(take("modality")))
		for _, member := range []struct{ to, from string }{
			{"url", "uri"}, {"base64", "content"}, {"base64", "data"}, {"id", "file_id"}, {"mime_type", "mime_type"},
		} {
			o = o.WithRaw(member.to, take(member.from))
		}
	default:
		return part.Encode() // It belongs to a provider, or to a newer convention.
	}
	if rest := part.Rest(taken...); len(rest) > 0 {
		o = o.With("extras", rawjson.Object(nil).WithAll(rest).Encode())
	}
	return o.Encode()
}

func mediaBlock(modality json.RawMessage) string {
	switch kind, _ := rawjson.ReadString(modality); kind {
	case document.BlockImage, document.BlockAudio, document.BlockVideo:
		return kind
	default:
		return document.BlockFile
	}
}

// call converts a tool call. Only objects can be its arguments.
func call(kind string, id, name, arguments json.RawMessage) rawjson.Object {
	o := withID(rawjson.Of("type", rawjson.Quote(kind)), "id", id).WithRaw("name", name)
	if text, is := rawjson.ReadString(arguments); is {
		if parsed, is := parse(text); is {
			arguments = parsed
		}
	}
	switch {
	case rawjson.IsObject(arguments):
		return o.With("args", arguments)
	case arguments == nil, rawjson.IsNull(arguments):
		return o.With("args", json.RawMessage("{}"))
	default:
		return o.With("args", rawjson.Of("arguments", arguments).Encode())
	}
}

// withID adds an ID, converted to a string if it is something else.
func withID(o rawjson.Object, key string, id json.RawMessage) rawjson.Object {
	if id == nil || rawjson.IsNull(id) {
		return o
	}
	return o.With(key, rawjson.Quote(textOfJSON(id)))
}

// first returns the first existing value.
func first(values ...json.RawMessage) json.RawMessage {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
}

// quoted returns a value as JSON text, which most values are already.
func quoted(raw json.RawMessage) json.RawMessage {
	if rawjson.IsString(raw) {
		return raw
	}
	return rawjson.Quote(textOfJSON(raw))
}

// textOfJSON returns a JSON string's value, or any other value as JSON.
func textOfJSON(raw json.RawMessage) string {
	if text, is := rawjson.ReadString(raw); is {
		return text
	}
	if rawjson.IsNull(raw) {
		return ""
	}
	return string(raw)
}
