package messages

import (
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates a document of the messages format, whose system prompt is beside the messages.
func Check(v *check.Checker, src document.Source) {
	if system := src.Object.Get("system"); !rawjson.IsNullOrAbsent(system) {
		v.Blocks(system, v.Base+"/system", func(b rawjson.Object, at string) { checkBlock(v, b, at, document.RoleSystem) })
	}
	v.Envelope(src, func(o rawjson.Object, p envelope.Place) { checkMessage(v, o, p) })
}

// checkMessage validates a message of the messages format. Clients move the system prompt into the messages.
func checkMessage(v *check.Checker, o rawjson.Object, p envelope.Place) {
	role := v.Role(o, p, document.RoleUser, document.RoleAssistant, document.RoleSystem)
	v.Blocks(o.Get("content"), p.Member("content"), func(b rawjson.Object, at string) { checkBlock(v, b, at, role) })
	if usage := o.Get("usage_metadata"); usage != nil {
		v.Usage(usage, p.Member("usage_metadata"))
	}
}

func checkBlock(v *check.Checker, o rawjson.Object, at, role string) {
	kind, ok := v.Text(o, "type", at, document.RuleBlockType, true)
	if !ok {
		return
	}
	switch kind {
	case "text":
		v.Text(o, "text", at, document.RuleTextRequired, true)
	case "thinking":
		v.Text(o, "thinking", at, document.RuleTextRequired, true)
	case "redacted_thinking":
		v.Text(o, "data", at, document.RuleTextRequired, true)
	case "image", "document":
		source, _ := rawjson.ReadObject(o.Get("source"))
		v.Text(source, "type", at+"/source", document.RuleMediaSource, true)
	case "tool_use":
		if id, ok := v.Text(o, "id", at, document.RuleToolCallID, true); ok {
			v.Call(id, at+"/id", role)
		}
		v.Text(o, "name", at, document.RuleToolCallName, true)
		v.Object(o, "input", at, document.RuleToolCallArgs)
	case "tool_result":
		if id, ok := v.Text(o, "tool_use_id", at, document.RuleToolCallIDRequired, true); ok {
			v.Answer(id, at+"/tool_use_id")
		}
		v.OptionalBlocks(o, "content", at, func(rawjson.Object, string) {})
		v.Misplaced(o, "content", "parts", at)
	case "server_tool_use", "mcp_tool_use":
		if id, ok := v.Text(o, "id", at, document.RuleServerToolCallID, true); ok {
			v.ServerCalls.Add(id)
		}
		v.Text(o, "name", at, document.RuleServerToolCallName, true)
		v.Object(o, "input", at, document.RuleServerToolCallArgs)
	default:
		if strings.HasSuffix(kind, part.SuffixToolResult) {
			checkServerResult(v, o, at)
		}
	}
}

// checkServerResult validates the result of a server's tool. Servers often get new tools, with their own types of results.
func checkServerResult(v *check.Checker, o rawjson.Object, at string) {
	id, ok := v.Text(o, "tool_use_id", at, document.RuleServerToolResultCall, true)
	if ok && !v.ServerCalls.Has(id) {
		v.Add(at+"/tool_use_id", document.RuleServerToolResultCall, "no earlier call of a server tool has the ID "+rawjson.Name(id),
			v.ServerCalls.Hint("set it to the ID of the block that called the tool"))
	}
}
