package llmrun

import (
	"encoding/json"
	"strconv"
)

// chatMessage validates a message of the chat-completions format.
func (v *validator) chatMessage(o object, p place) {
	role := v.role(o, p, RoleSystem, "developer", RoleUser, RoleAssistant, RoleTool, "function")
	content := o.get("content")
	if silent := o.has("tool_calls") || o.has("function_call") || o.has("audio") || isString(o.get("refusal")); !silent || role != RoleAssistant {
		v.blocks(content, p.member("content"), v.chatPart)
	} else if content != nil && !isNull(content) {
		v.blocks(content, p.member("content"), v.chatPart)
	}
	v.chatCalls(o, p, role)
	if role == RoleTool && !o.has("tool_call_id") {
		v.add(p.member("tool_call_id"), RuleToolCallIDRequired, "the answer of a tool doesn't say which call it answers",
			v.known(v.calls, "set tool_call_id to the id of the call"))
	}
	v.toolCallID(o, p, role)
	if usage := o.get("usage_metadata"); usage != nil {
		v.usage(usage, p.member("usage_metadata"))
	}
}

func (v *validator) chatCalls(o object, p place, role string) {
	if raw := o.get("tool_calls"); raw != nil && !isNull(raw) {
		at := p.member("tool_calls")
		list, ok := readArray(raw)
		if !ok {
			v.add(at, RuleToolCallArgs, "tool_calls is "+show(raw)+", not a list", "write it as a list of calls")
		}
		for i, raw := range list {
			call, ok := readObject(raw)
			if !ok {
				v.add(at+pointer(i), RuleToolCallArgs, "a call is "+show(raw)+", not an object", `write it as {"id", "type", "function"}`)
				continue
			}
			v.chatCall(call, at+pointer(i), role)
		}
	}
	if raw := o.get("function_call"); raw != nil && !isNull(raw) {
		v.chatFunction(raw, p.member("function_call"))
	}
}

// chatCall validates an entry of tool_calls.
func (v *validator) chatCall(o object, at, role string) {
	if id, ok := v.text(o, "id", at, RuleToolCallID, true); ok {
		v.call(id, at+"/id", role)
	}
	if kind, _ := o.text("type"); kind != "custom" {
		v.chatFunction(o.get("function"), at+"/function")
	}
}

// chatFunction validates {"name", "arguments"}.
func (v *validator) chatFunction(raw json.RawMessage, at string) {
	o, ok := readObject(raw)
	if !ok {
		v.add(at, RuleToolCallName, "the call has no function", `write it as {"name": …, "arguments": "{…}"}`)
		return
	}
	v.text(o, "name", at, RuleToolCallName, true)
	text, ok := v.text(o, "arguments", at, RuleToolCallArgs, true)
	if ok && (!json.Valid([]byte(text)) || !isObject([]byte(text))) {
		v.add(at+"/arguments", RuleToolCallArgs, "the arguments "+strconv.Quote(show([]byte(text)))+" are not the JSON of an object",
			"write the arguments as the text of a JSON object")
	}
}

// chatPart validates a part of the content.
func (v *validator) chatPart(o object, at string) {
	kind, ok := v.text(o, "type", at, RuleBlockType, true)
	if !ok {
		return
	}
	switch kind {
	case "text", "refusal":
		v.text(o, kind, at, RuleTextRequired, true)
	case "image_url", "video_url":
		if isString(o.get(kind)) {
			return
		}
		nested, _ := readObject(o.get(kind))
		v.text(nested, "url", at+"/"+kind, RuleMediaSource, true)
	case "input_audio":
		nested, _ := readObject(o.get(kind))
		v.text(nested, "data", at+"/"+kind, RuleMediaSource, true)
		v.text(nested, "format", at+"/"+kind, RuleMimeType, true)
	case "file":
		nested, _ := readObject(o.get(kind))
		if !nested.has("file_data") && !nested.has("file_id") {
			v.add(at+"/file", RuleMediaSource, "the file has no data", "set file_data or file_id")
		}
	default:
		v.add(at+"/type", RuleBlockType, "there is no part of type "+strconv.Quote(kind),
			"set it to "+alternatives([]string{"text", "image_url", "input_audio", "file", "refusal"}))
	}
}
