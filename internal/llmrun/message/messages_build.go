package message

import (
	"encoding/json"
	"maps"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// buildMessages writes the messages format. A document that was read from it is restored; any other document becomes a
// request's messages, an answer or, if an answer has several messages, a list of them.
func buildMessages(d *Document) ([]byte, []string, error) {
	if d.Format == FormatMessages {
		return envelopeOf(d).blocks(d.Messages), nil, nil
	}
	p := prepare(d, FormatMessages)
	lost := losses{document: p}
	e := envelopeOf(&p.Document)
	e.shape = messagesShape(&p.Document)
	e.rest = messagesExtras(&p.Document, &lost)
	lost.addAlternatives()
	for i := range p.Messages {
		lost.addMessagesMessage(&p.Document, i, e.shape)
	}
	if err := lost.err(FormatMessages); err != nil {
		return nil, nil, err
	}
	return e.blocks(layOutMessages(&p.Document, e.shape)), p.dropped, nil
}

// blocks writes messages into the envelope.
func (e *envelope) blocks(messages []Message) []byte {
	if len(messages) > 0 && isSystemPrompt(&messages[0]) {
		e.rest = maps.Clone(e.rest)
		e.rest.Put("system", joinContent(messages[:1]))
		messages = messages[1:]
	}
	wires := joinMessages(messages)
	e.only = len(wires) == 1
	for _, parts := range wires {
		m := wireMessage(parts)
		e.take(&m)
		e.messages = append(e.messages, buildMessagesMessage(&m, parts))
	}
	return e.seal()
}

// isSystemPrompt says whether the first message is separate from the others.
func isSystemPrompt(m *Message) bool {
	return m.Role == RoleSystem && !m.Layout.is(layoutPlace, "message")
}

// joinMessages joins the messages that are one in the format.
func joinMessages(messages []Message) [][]Message {
	var wires [][]Message
	start := 0
	for i := range messages {
		if i+1 == len(messages) || messages[i+1].Layout[layoutJoined] == nil {
			wires = append(wires, messages[start:i+1])
			start = i + 1
		}
	}
	return wires
}

// wireMessage returns the message around some parts, without content: the role and the other members stored with the first
// part.
func wireMessage(parts []Message) Message {
	m := parts[0]
	if !isToolResult(&m) {
		return m
	}
	role, ok := rawjson.ReadString(m.Layout[layoutRole])
	if !ok && m.Layout[layoutRole] == nil {
		role = RoleUser
	}
	rest, _ := rawjson.ReadObject(m.Extras[wireKey])
	return Message{Role: role, UsageMetadata: m.UsageMetadata, Extras: rest.Rest()}
}

func buildMessagesMessage(m *Message, parts []Message) json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if m.Role != "" {
		o = o.With("role", rawjson.Quote(m.Role))
	}
	return o.WithRaw("content", joinContent(parts)).WithText("tool_call_id", m.ToolCallID).
		WithRaw("usage_metadata", m.UsageMetadata).WithAll(m.Extras).Encode()
}

// joinContent writes the content of a message that was split into parts; nil if it has none.
func joinContent(parts []Message) json.RawMessage {
	first := &parts[0]
	if len(parts) == 1 && !isToolResult(first) {
		return messagesContent(first)
	}
	var blocks []json.RawMessage
	for i := range parts {
		m := &parts[i]
		if isToolResult(m) {
			blocks = append(blocks, buildToolResult(m, i == 0))
			continue
		}
		for j := range m.Content {
			blocks = append(blocks, buildBlock(&m.Content[j]))
		}
	}
	return rawjson.EncodeArray(blocks)
}

// messagesContent writes content as a string or as a list of blocks.
func messagesContent(m *Message) json.RawMessage {
	if m.Content == nil {
		return nil
	}
	if m.Layout.is(layoutContent, "string") && len(m.Content) == 1 && plainText(m) && m.Content[0].Annotations == nil {
		return rawjson.Quote(*m.Content[0].Text)
	}
	blocks := make([]json.RawMessage, len(m.Content))
	for i := range m.Content {
		blocks[i] = buildBlock(&m.Content[i])
	}
	return rawjson.EncodeArray(blocks)
}

func buildToolResult(m *Message, first bool) json.RawMessage {
	extras := m.Extras
	if first {
		extras = extras.Without(wireKey)
	}
	o := ofType("tool_result").WithText("tool_use_id", m.ToolCallID)
	if !m.Layout.is(layoutContent, "absent") {
		o = o.WithRaw("content", messagesContent(m))
	}
	return o.WithAll(extras).Encode()
}

// messagesShape returns how messages of another format are wrapped.
func messagesShape(d *Document) string {
	if d.Side == Inputs || len(d.Messages) != 1 {
		return shapeMessages
	}
	switch m := &d.Messages[0]; {
	case m.Role == "" || m.Role == RoleSystem || m.Content == nil && m.Role != RoleTool:
		return shapeMessages
	default:
		return shapeBare
	}
}

// layOutMessages determines how to write messages from another format: a single plain text as a string, but as a list in an
// answer, and consecutive answers of tools as one message, which the service requires.
func layOutMessages(d *Document, shape string) []Message {
	messages := make([]Message, len(d.Messages))
	for i := range d.Messages {
		m := withoutLayout(&d.Messages[i])
		m.dropVoid()
		if shape == shapeMessages && len(m.Content) == 1 && plainText(&m) {
			m.noteForm(noteString)
		}
		if i > 0 && m.Role == RoleTool && messages[i-1].Role == RoleTool && m.UsageMetadata == nil {
			m.Layout.put(layoutJoined, noteJoined)
		}
		if m.Extras[choiceKey] != nil {
			m.Extras = m.Extras.Without(choiceKey) // It became the document's stop_reason.
		}
		calls := 0
		for j := range m.Content {
			b := &m.Content[j]
			if b.Type == BlockToolCall {
				if isIndex(b.Extras["index"], calls) {
					b.Extras = b.Extras.Without("index")
				}
				calls++
			}
			if blockFields[b.Type] == nil {
				b.Layout.put(layoutPart, notePartVerbatim)
				b.Layout.put(layoutExtras, noteInline)
			}
		}
		messages[i] = m
	}
	return messages
}
