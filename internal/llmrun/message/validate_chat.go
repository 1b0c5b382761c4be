package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// chatMessage validates a message of the chat-completions format.
func (v *validator) chatMessage(o rawjson.Object, p place) {
	role := v.role(o, p, RoleSystem, "developer", RoleUser, RoleAssistant, RoleTool, "function", "model")
	if content := o.Get("content"); !isNullOrAbsent(content) || !v.maySayNothing(o, role) {
		v.blocks(content, p.member("content"), v.chatPart)
	}
	v.chatCalls(o, p, role)
	if role == RoleTool && !o.Has("tool_call_id") && !o.Has("tool_name") {
		v.add(p.member("tool_call_id"), ruleToolCallIDRequired, "the answer of a tool doesn't say which call it answers",
			v.calls.hint("set tool_call_id to the ID of the call"))
	}
	v.toolCallID(o, p, role)
	if usage := o.Get("usage_metadata"); usage != nil {
		v.usage(usage, p.member("usage_metadata"))
	}
}

// maySayNothing says whether a message may have no content: one with calls, audio, a refusal or reasoning instead, or an
// answer that was truncated at its start.
func (v *validator) maySayNothing(o rawjson.Object, role string) bool {
	if role != RoleAssistant {
		return false
	}
	instead := func(key string) bool { return rawjson.IsString(o.Get(key)) }
	return o.Has("tool_calls") || o.Has("function_call") || o.Has("audio") || instead("refusal") ||
		slices.ContainsFunc(reasoningKeys, instead) || v.side == Outputs && o.Has("content")
}

func (v *validator) chatCalls(o rawjson.Object, p place, role string) {
	if raw := o.Get("tool_calls"); raw != nil && !rawjson.IsNull(raw) {
		at := p.member("tool_calls")
		list, ok := rawjson.ReadArray(raw)
		if !ok {
			v.add(at, ruleToolCallArgs, "tool_calls is "+rawjson.Show(raw)+", not a list", "write it as a list of calls")
		}
		for i, raw := range list {
			call, ok := rawjson.ReadObject(raw)
			if !ok {
				v.add(at+rawjson.Pointer(i), ruleToolCallArgs, "a call is "+rawjson.Show(raw)+", not an object", `write it as {"id", "type", "function"}`)
				continue
			}
			v.chatCall(call, at+rawjson.Pointer(i), role)
		}
	}
	if raw := o.Get("function_call"); raw != nil && !rawjson.IsNull(raw) {
		v.chatFunction(raw, p.member("function_call"))
	}
}

// chatCall validates an entry of tool_calls.
func (v *validator) chatCall(o rawjson.Object, at, role string) {
	function, _ := rawjson.ReadObject(o.Get("function"))
	// The provider whose calls have an object as their arguments doesn't give them IDs: answers name the tool.
	if id, ok := v.text(o, "id", at, ruleToolCallID, !rawjson.IsObject(function.Get("arguments"))); ok {
		v.call(id, at+"/id", role)
	}
	if kind, _ := o.Text("type"); kind != "custom" {
		v.chatFunction(o.Get("function"), at+"/function")
	}
}

// chatFunction validates {"name", "arguments"}.
func (v *validator) chatFunction(raw json.RawMessage, at string) {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		v.add(at, ruleToolCallName, "the call has no function", `write it as {"name": …, "arguments": "{…}"}`)
		return
	}
	v.text(o, "name", at, ruleToolCallName, true)
	if rawjson.IsObject(o.Get("arguments")) {
		return
	}
	text, ok := v.text(o, "arguments", at, ruleToolCallArgs, true)
	if ok && text != "" && (!json.Valid([]byte(text)) || !rawjson.IsObject([]byte(text))) {
		v.add(at+"/arguments", ruleToolCallArgs, "the arguments are not the JSON of an object",
			"write the arguments as the text of a JSON object")
	}
}

// chatPart validates a part of the content.
func (v *validator) chatPart(o rawjson.Object, at string) {
	kind, ok := v.text(o, "type", at, ruleBlockType, true)
	if !ok {
		return
	}
	switch kind {
	case "text", "refusal":
		v.text(o, kind, at, ruleTextRequired, true)
	case "image_url", "video_url":
		if rawjson.IsString(o.Get(kind)) {
			return
		}
		nested, _ := rawjson.ReadObject(o.Get(kind))
		v.text(nested, "url", at+"/"+kind, ruleMediaSource, true)
	case "input_audio":
		if rawjson.IsString(o.Get(kind)) {
			return
		}
		nested, _ := rawjson.ReadObject(o.Get(kind))
		v.text(nested, "data", at+"/"+kind, ruleMediaSource, true)
		v.text(nested, "format", at+"/"+kind, ruleMimeType, true)
	case "file":
		nested, _ := rawjson.ReadObject(o.Get(kind))
		if !nested.Has("file_data") && !nested.Has("file_id") {
			v.add(at+"/file", ruleMediaSource, "the file has no data", "set file_data or file_id")
		}
	default:
		if isForeignPart(o, kind) || kind == "reference" {
			return // A block of the provider behind a gateway, or of a single provider.
		}
		v.add(at+"/type", ruleBlockType, "unknown part type "+rawjson.Name(kind),
			"set it to "+alternatives([]string{"text", "image_url", "input_audio", "file", "refusal"}))
	}
}
