package chatcompletions

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates a document of the chat-completions format.
func Check(v *check.Checker, src document.Source) {
	v.Envelope(src, func(o rawjson.Object, p envelope.Place) { checkMessage(v, o, p) })
}

func checkMessage(v *check.Checker, o rawjson.Object, p envelope.Place) {
	role := v.Role(o, p, document.RoleSystem, "developer", document.RoleUser, document.RoleAssistant, document.RoleTool, "function", "model")
	if content := o.Get("content"); !rawjson.IsNullOrAbsent(content) || !maySayNothing(v, o, role) {
		v.Blocks(content, p.Member("content"), func(part rawjson.Object, at string) { checkPart(v, part, at) })
	}
	checkCalls(v, o, p, role)
	if role == document.RoleTool && !o.Has("tool_call_id") && !o.Has("tool_name") {
		v.Add(p.Member("tool_call_id"), document.RuleToolCallIDRequired, "the answer of a tool doesn't say which call it answers",
			v.Calls.Hint("set tool_call_id to the ID of the call"))
	}
	v.ToolCallID(o, p, role)
	if usage := o.Get("usage_metadata"); usage != nil {
		v.Usage(usage, p.Member("usage_metadata"))
	}
}

// maySayNothing says whether a message may have no content: one with calls, audio, a refusal or reasoning instead, or an
// answer that was truncated at its start.
func maySayNothing(v *check.Checker, o rawjson.Object, role string) bool {
	if role != document.RoleAssistant {
		return false
	}
	instead := func(key string) bool { return rawjson.IsString(o.Get(key)) }
	return o.Has("tool_calls") || o.Has("function_call") || o.Has("audio") || instead("refusal") ||
		slices.ContainsFunc(envelope.ReasoningKeys, instead) || v.Side == document.Outputs && o.Has("content")
}

func checkCalls(v *check.Checker, o rawjson.Object, p envelope.Place, role string) {
	if raw := o.Get("tool_calls"); raw != nil && !rawjson.IsNull(raw) {
		at := p.Member("tool_calls")
		list, ok := rawjson.ReadArray(raw)
		if !ok {
			v.Add(at, document.RuleToolCallArgs, "tool_calls is "+rawjson.Show(raw)+", not a list", "write it as a list of calls")
		}
		for i, raw := range list {
			call, ok := rawjson.ReadObject(raw)
			if !ok {
				v.Add(at+rawjson.Pointer(i), document.RuleToolCallArgs, "a call is "+rawjson.Show(raw)+", not an object", `write it as {"id", "type", "function"}`)
				continue
			}
			v.FunctionCall(call, at+rawjson.Pointer(i), role)
		}
	}
	if raw := o.Get("function_call"); raw != nil && !rawjson.IsNull(raw) {
		v.Function(raw, p.Member("function_call"))
	}
}

// checkPart validates a part of the content.
func checkPart(v *check.Checker, o rawjson.Object, at string) {
	kind, ok := v.Text(o, "type", at, document.RuleBlockType, true)
	if !ok {
		return
	}
	switch kind {
	case "text", "refusal":
		v.Text(o, kind, at, document.RuleTextRequired, true)
	case "image_url", "video_url":
		if rawjson.IsString(o.Get(kind)) {
			return
		}
		nested, _ := rawjson.ReadObject(o.Get(kind))
		v.Text(nested, "url", at+"/"+kind, document.RuleMediaSource, true)
	case "input_audio":
		if rawjson.IsString(o.Get(kind)) {
			return
		}
		nested, _ := rawjson.ReadObject(o.Get(kind))
		v.Text(nested, "data", at+"/"+kind, document.RuleMediaSource, true)
		v.Text(nested, "format", at+"/"+kind, document.RuleMimeType, true)
	case "file":
		nested, _ := rawjson.ReadObject(o.Get(kind))
		if !nested.Has("file_data") && !nested.Has("file_id") {
			v.Add(at+"/file", document.RuleMediaSource, "the file has no data", "set file_data or file_id")
		}
	default:
		if part.Known(o, kind) || kind == "reference" {
			return // A block of the provider behind a gateway, or of a single provider.
		}
		v.Add(at+"/type", document.RuleBlockType, "unknown part type "+rawjson.Name(kind),
			"set it to "+check.Alternatives([]string{"text", "image_url", "input_audio", "file", "refusal"}))
	}
}
