package message

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkChat validates a document of the chat-completions format.
func checkChat(v *validator, src Source) {
	v.envelope(src, func(o rawjson.Object, p place) { checkChatMessage(v, o, p) })
}

func checkChatMessage(v *validator, o rawjson.Object, p place) {
	role := v.role(o, p, RoleSystem, "developer", RoleUser, RoleAssistant, RoleTool, "function", "model")
	if content := o.Get("content"); !rawjson.IsNullOrAbsent(content) || !maySayNothing(v, o, role) {
		v.blocks(content, p.member("content"), func(part rawjson.Object, at string) { checkChatPart(v, part, at) })
	}
	checkChatCalls(v, o, p, role)
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
func maySayNothing(v *validator, o rawjson.Object, role string) bool {
	if role != RoleAssistant {
		return false
	}
	instead := func(key string) bool { return rawjson.IsString(o.Get(key)) }
	return o.Has("tool_calls") || o.Has("function_call") || o.Has("audio") || instead("refusal") ||
		slices.ContainsFunc(reasoningKeys, instead) || v.side == Outputs && o.Has("content")
}

func checkChatCalls(v *validator, o rawjson.Object, p place, role string) {
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
			v.functionCall(call, at+rawjson.Pointer(i), role)
		}
	}
	if raw := o.Get("function_call"); raw != nil && !rawjson.IsNull(raw) {
		v.function(raw, p.member("function_call"))
	}
}

// checkChatPart validates a part of the content.
func checkChatPart(v *validator, o rawjson.Object, at string) {
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
		if isKnownPart(o, kind) || kind == "reference" {
			return // A block of the provider behind a gateway, or of a single provider.
		}
		v.add(at+"/type", ruleBlockType, "unknown part type "+rawjson.Name(kind),
			"set it to "+alternatives([]string{"text", "image_url", "input_audio", "file", "refusal"}))
	}
}
