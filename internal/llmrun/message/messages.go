package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Layout and extra keys of the messages format.
const (
	// layoutJoined marks a message that was part of the same message of the format as the previous one.
	layoutJoined = "joined"
	// wireKey is the extra of a tool's answer for the members of the surrounding message beside its content.
	wireKey = "message"
)

var (
	// noteMessage is a location: among the messages, although the format has another location for that role.
	noteMessage = json.RawMessage(`"message"`)
	noteJoined  = json.RawMessage("true")
	// noteNoRole stands for a missing role.
	noteNoRole = json.RawMessage("null")
)

// parseMessages reads the messages format: a request's messages with the system prompt beside them, and an answer that is
// one message.
//
// The format has no role for tools. Their answers are blocks of a user's message, which is split into a message for each
// answer and one for the blocks between; the system prompt becomes the first message.
func parseMessages(raw json.RawMessage, side Side) (*Document, bool) {
	e, ok := openEnvelope(raw, side)
	if !ok {
		return nil, false
	}
	d := &Document{
		Format: FormatMessages, Side: side, Shape: e.shape, Extras: e.rest,
		Messages: make([]Message, 0, len(e.messages)+1),
	}
	if content, form := takeContent(e.rest["system"], parseBlock); form != nil {
		system := Message{Role: RoleSystem, Content: content}
		system.noteForm(form)
		d.Messages, d.Extras = append(d.Messages, system), d.Extras.Without("system")
	}
	beside := besideMessage{top: topUsage(e), choices: e.choices != nil}
	if usage := d.Extras["usage_metadata"]; beside.top && rawjson.IsObject(usage) {
		beside.usage, d.Extras = usage, d.Extras.Without("usage_metadata")
	}
	for i, raw := range e.messages {
		if beside.choices {
			beside.choice = e.choices[i]
		}
		parts, ok := parseMessagesMessage(raw, beside)
		if !ok {
			return nil, false
		}
		if len(d.Messages) == 0 && parts[0].Role == RoleSystem {
			parts[0].Layout.put(layoutPlace, noteMessage)
		}
		d.Messages = append(d.Messages, parts...)
	}
	return d, true
}

// noteForm notes content that was a string; a list needs no note in this format.
func (m *Message) noteForm(form json.RawMessage) {
	if string(form) != string(noteArray) {
		m.Layout.put(layoutContent, form)
	}
}

// besideMessage is what the envelope contains about a message.
type besideMessage struct {
	// top says that the usage of the message is at the top level of the document.
	top     bool
	usage   json.RawMessage
	choices bool
	choice  json.RawMessage
}

// parseMessagesMessage reads one message into one or more. Its members beside the content are stored with the first of
// them. It fails if a key that this needs is taken.
func parseMessagesMessage(raw json.RawMessage, beside besideMessage) ([]Message, bool) {
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
	parts, form := splitContent(o.Get("content"), role)
	if form != nil {
		taken = append(taken, "content")
	}
	first := &parts[0]
	if id, ok := o.Text("tool_call_id"); ok && !isToolResult(first) {
		first.ToolCallID, taken = &id, append(taken, "tool_call_id")
	}
	first.UsageMetadata = usage
	rest := o.Rest(taken...)
	if beside.choices && rest[choiceKey] != nil {
		return nil, false
	}
	if beside.choice != nil {
		rest.Put(choiceKey, beside.choice)
	}
	if !isToolResult(first) {
		first.Extras = rest
		return parts, true
	}
	if first.Extras[wireKey] != nil {
		return nil, false
	}
	if rest != nil {
		first.Extras.Put(wireKey, rawjson.Object(nil).WithAll(rest).Encode())
	}
	switch role {
	case RoleUser:
	case "":
		first.Layout.put(layoutRole, noteNoRole)
	default:
		first.Layout.put(layoutRole, rawjson.Quote(role))
	}
	return parts, true
}

// splitContent splits content at the answers of tools. Content that is neither a string nor a list of objects results in
// one message without content, and no form.
func splitContent(raw json.RawMessage, role string) ([]Message, json.RawMessage) {
	empty := Message{Role: role}
	if role == RoleTool {
		empty.Layout = Layout{layoutPlace: noteMessage}
	}
	if text, ok := rawjson.ReadString(raw); ok {
		empty.Content = []Block{{Type: BlockText, Text: &text}}
		empty.noteForm(noteString)
		return []Message{empty}, noteString
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok || !allObjects(list) {
		return []Message{empty}, nil
	}
	parts := make([]Message, 0, 1)
	between := false
	for _, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		if kind, _ := o.Text("type"); kind == "tool_result" {
			parts, between = append(parts, parseToolResult(o)), false
		} else {
			if !between {
				part := Message{Role: role, Content: []Block{}}
				if role == RoleTool {
					part.Layout.put(layoutPlace, noteMessage)
				}
				parts, between = append(parts, part), true
			}
			last := &parts[len(parts)-1]
			last.Content = append(last.Content, parseBlockObject(raw, o))
		}
		if n := len(parts) - 1; n > 0 && parts[n].Layout[layoutJoined] == nil {
			parts[n].Layout.put(layoutJoined, noteJoined)
		}
	}
	if len(parts) == 0 {
		empty.Content = []Block{}
		parts = append(parts, empty)
	}
	return parts, noteArray
}

// parseToolResult reads the block {"type":"tool_result","tool_use_id","content","is_error"}. Its content may be absent.
func parseToolResult(o rawjson.Object) Message {
	m := Message{Role: RoleTool, Content: []Block{}}
	taken := append(make([]string, 0, 3), "type")
	if id, ok := o.Text("tool_use_id"); ok {
		m.ToolCallID, taken = &id, append(taken, "tool_use_id")
	}
	if content, form := takeContent(o.Get("content"), parseBlock); form != nil {
		m.Content, taken = content, append(taken, "content")
		m.noteForm(form)
	} else {
		m.noteForm(noteAbsent)
	}
	m.Extras = o.Rest(taken...)
	return m
}

// isToolResult says whether a message was, or will become, a block of another one.
func isToolResult(m *Message) bool {
	return m.Role == RoleTool && !m.Layout.is(layoutPlace, "message")
}
