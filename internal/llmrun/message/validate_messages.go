package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// system validates the system prompt beside the messages.
func (v *validator) system(raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	if system := o.Get("system"); !isNullOrAbsent(system) {
		v.blocks(system, v.base+"/system", func(b rawjson.Object, at string) { v.messagesBlock(b, at, RoleSystem) })
	}
}

// messagesMessage validates a message of the messages format. Clients move the system prompt into the messages.
func (v *validator) messagesMessage(o rawjson.Object, p place) {
	role := v.role(o, p, RoleUser, RoleAssistant, RoleSystem)
	v.blocks(o.Get("content"), p.member("content"), func(b rawjson.Object, at string) { v.messagesBlock(b, at, role) })
	if usage := o.Get("usage_metadata"); usage != nil {
		v.usage(usage, p.member("usage_metadata"))
	}
}

func (v *validator) messagesBlock(o rawjson.Object, at, role string) {
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
		v.messagesOther(o, kind, at)
	}
}

// messagesOther validates the results of server tools, whose kinds are open-ended, and reports any other kind.
func (v *validator) messagesOther(o rawjson.Object, kind, at string) {
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
