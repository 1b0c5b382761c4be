package message

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkMessages validates a document of the messages format, whose system prompt is beside the messages.
func checkMessages(v *validator, src Source) {
	if system := src.Object.Get("system"); !rawjson.IsNullOrAbsent(system) {
		v.blocks(system, v.base+"/system", func(b rawjson.Object, at string) { checkMessagesBlock(v, b, at, RoleSystem) })
	}
	v.envelope(src, func(o rawjson.Object, p place) { checkMessagesMessage(v, o, p) })
}

// checkMessagesMessage validates a message of the messages format. Clients move the system prompt into the messages.
func checkMessagesMessage(v *validator, o rawjson.Object, p place) {
	role := v.role(o, p, RoleUser, RoleAssistant, RoleSystem)
	v.blocks(o.Get("content"), p.member("content"), func(b rawjson.Object, at string) { checkMessagesBlock(v, b, at, role) })
	if usage := o.Get("usage_metadata"); usage != nil {
		v.usage(usage, p.member("usage_metadata"))
	}
}

func checkMessagesBlock(v *validator, o rawjson.Object, at, role string) {
	kind, ok := v.text(o, "type", at, ruleBlockType, true)
	if !ok {
		return
	}
	switch kind {
	case "text":
		v.text(o, "text", at, ruleTextRequired, true)
	case "thinking":
		v.text(o, "thinking", at, ruleTextRequired, true)
	case "redacted_thinking":
		v.text(o, "data", at, ruleTextRequired, true)
	case "image", "document":
		source, _ := rawjson.ReadObject(o.Get("source"))
		v.text(source, "type", at+"/source", ruleMediaSource, true)
	case "tool_use":
		if id, ok := v.text(o, "id", at, ruleToolCallID, true); ok {
			v.call(id, at+"/id", role)
		}
		v.text(o, "name", at, ruleToolCallName, true)
		v.object(o, "input", at, ruleToolCallArgs)
	case "tool_result":
		if id, ok := v.text(o, "tool_use_id", at, ruleToolCallIDRequired, true); ok {
			v.answer(id, at+"/tool_use_id")
		}
	case "server_tool_use", "mcp_tool_use":
		if id, ok := v.text(o, "id", at, ruleServerToolCallID, true); ok {
			v.serverCalls.add(id)
		}
		v.text(o, "name", at, ruleServerToolCallName, true)
		v.object(o, "input", at, ruleServerToolCallArgs)
	default:
		checkMessagesOther(v, o, kind, at)
	}
}

// checkMessagesOther validates the results of server tools, whose kinds are open-ended, and reports any other kind.
func checkMessagesOther(v *validator, o rawjson.Object, kind, at string) {
	if strings.HasSuffix(kind, "_tool_result") {
		id, ok := v.text(o, "tool_use_id", at, ruleServerToolResultCall, true)
		if ok && !v.serverCalls.has(id) {
			v.add(at+"/tool_use_id", ruleServerToolResultCall, "no earlier call of a server tool has the ID "+rawjson.Name(id),
				v.serverCalls.hint("set it to the ID of the block that called the tool"))
		}
		return
	}
	if !slices.Contains([]string{"search_result", "container_upload"}, kind) {
		v.add(at+"/type", ruleBlockType, "unknown block type "+rawjson.Name(kind),
			"set it to text, image, document, tool_use, tool_result, thinking or another block of the messages format")
	}
}
