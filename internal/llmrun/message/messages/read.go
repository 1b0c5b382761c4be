package messages

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// wireKey is the extra of a tool's answer for the members of the surrounding message beside its content.
const wireKey = "message"

// Read reads the messages format: a request's messages with the system prompt beside them, and an answer that is
// one message.
//
// The format has no role for tools. Their answers are blocks of a user's message, which is split into a message for each
// answer and one for the blocks between; the system prompt becomes the first message.
func Read(src document.Source) (*document.Document, bool) {
	e, ok := envelope.Open(src)
	if !ok {
		return nil, false
	}
	d := &document.Document{
		Format: document.FormatMessages, Side: src.Side, Shape: e.Shape, Extras: e.Rest,
		Messages: make([]document.Message, 0, len(e.Messages)+1),
	}
	if content, ok := part.Content(e.Rest["system"]); ok {
		d.Messages, d.Extras = append(d.Messages, document.Message{Role: document.RoleSystem, Content: content}), d.Extras.Without("system")
	}
	beside := besideMessage{top: envelope.TopUsage(e), choices: e.Choices != nil}
	if usage := d.Extras["usage_metadata"]; beside.top && rawjson.IsObject(usage) {
		beside.usage, d.Extras = usage, d.Extras.Without("usage_metadata")
	}
	for i, raw := range e.Messages {
		if beside.choices {
			beside.choice = e.Choices[i]
		}
		parts, ok := readMessage(raw, beside)
		if !ok {
			return nil, false
		}
		d.Messages = append(d.Messages, parts...)
	}
	return d, true
}

// besideMessage is what the envelope contains about a message.
type besideMessage struct {
	// top says that the usage of the message is at the top level of the document.
	top     bool
	usage   json.RawMessage
	choices bool
	choice  json.RawMessage
}

// readMessage reads one message into one or more. Its members beside the content are stored with the first of
// them. It fails if a key that this needs is taken.
func readMessage(raw json.RawMessage, beside besideMessage) ([]document.Message, bool) {
	o, _ := rawjson.ReadObject(raw)
	taken := make([]string, 0, 4)
	role, ok := o.Text("role")
	if ok && role != "" {
		taken = append(taken, "role")
	}
	usage := beside.usage
	if own := o.Get("usage_metadata"); own != nil && !beside.top {
		usage, taken = own, append(taken, "usage_metadata")
	}
	parts, answer, ok := splitContent(o.Get("content"), role)
	if ok {
		taken = append(taken, "content")
	}
	first := &parts[0]
	if id, ok := o.Text("tool_call_id"); ok && !answer {
		first.ToolCallID, taken = &id, append(taken, "tool_call_id")
	}
	first.UsageMetadata = usage
	rest := o.Rest(taken...)
	if beside.choices && rest[envelope.ChoiceKey] != nil {
		return nil, false
	}
	if beside.choice != nil {
		rest.Put(envelope.ChoiceKey, beside.choice)
	}
	if !answer {
		first.Extras = rest
		return parts, true
	}
	if first.Extras[wireKey] != nil {
		return nil, false
	}
	if rest != nil {
		first.Extras.Put(wireKey, rawjson.Object(nil).WithAll(rest).Encode())
	}
	return parts, true
}

// splitContent splits content at the answers of tools, and says whether the first message is one. Content that is neither a
// string nor a list of objects results in one message without content; ok is false.
func splitContent(raw json.RawMessage, role string) (parts []document.Message, answer, ok bool) {
	list, isList := rawjson.ReadArray(raw)
	if !isList || !rawjson.AllObjects(list) {
		content, ok := part.Content(raw)
		return []document.Message{{Role: role, Content: content}}, false, ok
	}
	parts = part.Splitter{Answer: readToolResult, Append: part.Append}.Split(make([]document.Message, 0, 1), list, role)
	if len(parts) == 0 {
		return []document.Message{{Role: role, Content: []document.Block{}}}, false, true
	}
	first, _ := rawjson.ReadObject(list[0])
	return parts, isToolResult(first), true
}

// readToolResult reads the block {"type":"tool_result","tool_use_id","content","is_error"}. Its content may be absent.
func readToolResult(o rawjson.Object) (document.Message, bool) {
	if !isToolResult(o) {
		return document.Message{}, false
	}
	return part.Answer(o, "tool_use_id", "content", part.Content, "type"), true
}

func isToolResult(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	return kind == "tool_result"
}
