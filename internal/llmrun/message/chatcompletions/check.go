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
		v.Blocks(content, p.Member("content"), func(part rawjson.Object, at string) { checkPart(v, part, at, role) })
	}
	key, calls := o.Find("tool_calls")
	v.ToolCalls(calls, p.Member(key), role, false)
	if call := o.Get("function_call"); !rawjson.IsNullOrAbsent(call) {
		v.Function(call, p.Member("function_call"))
	}
	_, answers := o.Find("tool_call_id")
	if _, tool := o.Find("tool_name"); role == document.RoleTool && answers == nil && tool == nil {
		v.Add(p.Member("tool_call_id"), document.RuleToolCallIDRequired, "the answer of a tool doesn't say which call it answers",
			v.Calls.Hint("set tool_call_id to the ID of the call"))
	}
	v.ToolCallID(o, p, role)
	v.Usage(o.Get("usage_metadata"), p.Member("usage_metadata"))
}

// maySayNothing says whether a message may have no content: one with calls, audio, a refusal or reasoning instead, or an
// answer that was truncated at its start.
func maySayNothing(v *check.Checker, o rawjson.Object, role string) bool {
	if role != document.RoleAssistant {
		return false
	}
	instead := func(key string) bool { return rawjson.IsString(o.Get(key)) }
	_, calls := o.Find("tool_calls")
	return calls != nil || o.Has("function_call") || rawjson.IsObject(o.Get("audio")) || instead("refusal") ||
		slices.ContainsFunc(envelope.ReasoningKeys, instead) || v.Side == document.Outputs && o.Has("content")
}

// checkPart validates a part of the content.
func checkPart(v *check.Checker, o rawjson.Object, at, role string) {
	if v.Part(o, at, role) != document.BlockFile {
		return
	}
	if b := part.Append(nil, o)[0]; b.Base64 == nil && b.URL == nil && b.ID == nil && b.Text == nil {
		v.Add(at+"/file", document.RuleMediaSource, "the file has no data", "set file_data or file_id")
	}
}
