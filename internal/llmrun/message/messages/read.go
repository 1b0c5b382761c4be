package messages

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// wireKey is the extra of a tool's answer for the members of the surrounding message beside its content.
const wireKey = "message"

// Read reads the messages format: a request's messages with the system prompt beside them, and an answer that is
// one message.
func Read(src document.Source) (*document.Document, bool) {
	return envelope.Read(src, document.FormatMessages, appendMessages)
}

// appendMessages reads one message into one or more. Its members beside the content are stored with the first of
// them. It fails if a key that this needs is taken.
func appendMessages(messages []document.Message, raw json.RawMessage, topUsage bool) ([]document.Message, bool) {
	o, _ := rawjson.ReadObject(raw)
	taken := make([]string, 0, 4)
	role, ok := o.Text("role")
	if ok && role != "" {
		taken = append(taken, "role")
	}
	start := len(messages)
	messages, answer, ok := appendContent(messages, o.Get("content"), role)
	if ok {
		taken = append(taken, "content")
	}
	first := &messages[start]
	if usage := o.Get("usage_metadata"); usage != nil && !topUsage {
		first.UsageMetadata, taken = usage, append(taken, "usage_metadata")
	}
	if id, ok := o.Text("tool_call_id"); ok && !answer {
		first.ToolCallID, taken = &id, append(taken, "tool_call_id")
	}
	rest := o.Rest(taken...)
	if !answer {
		first.Extras = rest
		return messages, true
	}
	if first.Extras[wireKey] != nil {
		return nil, false
	}
	first.Extras.PutObject(wireKey, rest)
	return messages, true
}

// appendContent splits content at the answers of tools, and says whether the first message is one. Content that is neither a
// string nor a list of objects results in one message without content; ok is false.
func appendContent(messages []document.Message, raw json.RawMessage, role string) (all []document.Message, answer, ok bool) {
	list, isList := rawjson.ReadArray(raw)
	if !isList || len(list) == 0 || !rawjson.AllObjects(list) {
		content, ok := part.Content(raw)
		return append(messages, document.Message{Role: role, Content: content}), false, ok
	}
	first, _ := rawjson.ReadObject(list[0])
	return part.Split(messages, list, role, readToolResult, part.Append), isToolResult(first), true
}

// readToolResult reads the block {"type":"tool_result","tool_use_id","content","is_error"}. Its content may be absent.
func readToolResult(o rawjson.Object) (document.Message, bool) {
	if !isToolResult(o) {
		return document.Message{}, false
	}
	return part.Answer(o, "tool_use_id", "content", part.Returned, "type"), true
}

func isToolResult(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	return kind == "tool_result"
}

// Check validates a document of the messages format.
func Check(v *check.Checker, src document.Source) {
	v.Envelope(src, func(o rawjson.Object, p envelope.Place) { checkMessage(v, o, p) })
}

// checkMessage validates a message of the messages format. Clients move the system prompt into the messages.
func checkMessage(v *check.Checker, o rawjson.Object, p envelope.Place) {
	role := v.Role(o, p, document.RoleUser, document.RoleAssistant, document.RoleSystem)
	v.Blocks(o.Get("content"), p.Member("content"), func(b rawjson.Object, at string) { checkBlock(v, b, at, role) })
	v.Usage(o.Get("usage_metadata"), p.Member("usage_metadata"))
}

func checkBlock(v *check.Checker, o rawjson.Object, at, role string) {
	if kind := v.Part(o, at, role); kind == document.BlockImage || kind == "document" {
		source, _ := rawjson.ReadObject(o.Get("source"))
		v.Text(source, "type", at+"/source", document.RuleMediaSource, true)
	}
}
