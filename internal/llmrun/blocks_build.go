package llmrun

import (
	"encoding/json"
	"maps"
)

// buildBlocks writes the messages format: a document that was read from it as it was, any other one as a request's
// messages, as an answer, or, when there are several messages to an answer, as their list.
func buildBlocks(d *Document) ([]byte, error) {
	e := envelopeOf(d)
	messages := d.Messages
	if d.Format != FormatMessages {
		var lost losses
		e.shape = blocksShape(d)
		e.rest = blocksExtras(d, &lost)
		for i := range d.Messages {
			lost.addBlocksMessage(d, i, e.shape)
		}
		if err := lost.err(d.Format, FormatMessages); err != nil {
			return nil, err
		}
		messages = layOutBlocks(d, e.shape)
	}
	if len(messages) > 0 && isSystemPrompt(&messages[0]) {
		e.rest = maps.Clone(e.rest)
		e.rest.put("system", joinContent(messages[:1]))
		messages = messages[1:]
	}
	wires := joinMessages(messages)
	e.only = len(wires) == 1
	for _, parts := range wires {
		m := wireMessage(parts)
		e.take(&m)
		e.messages = append(e.messages, buildBlocksMessage(&m, parts))
	}
	return e.seal(), nil
}

// isSystemPrompt says of the first message whether it stands beside the others.
func isSystemPrompt(m *Message) bool {
	return m.Role == RoleSystem && !m.Layout.is(layoutPlace, "message")
}

// joinMessages puts the messages together that are one in the format.
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

// wireMessage is the message around some parts, without content: the role and the rest that the first part kept.
func wireMessage(parts []Message) Message {
	m := parts[0]
	if !isToolResult(&m) {
		return m
	}
	role, ok := readString(m.Layout[layoutRole])
	if !ok && m.Layout[layoutRole] == nil {
		role = RoleUser
	}
	rest, _ := readObject(m.Extras[wireKey])
	return Message{Role: role, UsageMetadata: m.UsageMetadata, Extras: rest.rest()}
}

func buildBlocksMessage(m *Message, parts []Message) json.RawMessage {
	o := make(object, 0, 6)
	if m.Role != "" {
		o = o.with("role", quote(m.Role))
	}
	return o.withRaw("content", joinContent(parts)).withText("tool_call_id", m.ToolCallID).
		withRaw("usage_metadata", m.UsageMetadata).withAll(m.Extras).encode()
}

// joinContent writes the content of a message that was cut into parts; nil when it has none.
func joinContent(parts []Message) json.RawMessage {
	first := &parts[0]
	if len(parts) == 1 && !isToolResult(first) {
		return blocksContent(first)
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
	return encodeArray(blocks)
}

// blocksContent writes content as a string or as a list of blocks.
func blocksContent(m *Message) json.RawMessage {
	if m.Content == nil {
		return nil
	}
	if m.Layout.is(layoutContent, "string") && len(m.Content) == 1 && plainText(m) && m.Content[0].Annotations == nil {
		return quote(*m.Content[0].Text)
	}
	blocks := make([]json.RawMessage, len(m.Content))
	for i := range m.Content {
		blocks[i] = buildBlock(&m.Content[i])
	}
	return encodeArray(blocks)
}

func buildToolResult(m *Message, first bool) json.RawMessage {
	extras := m.Extras
	if first {
		extras = extras.without(wireKey)
	}
	o := ofType("tool_result").withText("tool_use_id", m.ToolCallID)
	if !m.Layout.is(layoutContent, "absent") {
		o = o.withRaw("content", blocksContent(m))
	}
	return o.withAll(extras).encode()
}

// blocksShape is how messages of another format are wrapped.
func blocksShape(d *Document) string {
	if d.Side == Inputs || len(d.Messages) != 1 {
		return ShapeMessages
	}
	switch m := &d.Messages[0]; {
	case m.Role == "" || m.Role == RoleSystem || m.Content == nil && m.Role != RoleTool:
		return ShapeMessages
	default:
		return ShapeBare
	}
}

// layOutBlocks says how to write messages that come from another format: one plain text as a string, but as a list in an
// answer, and the answers of tools that follow each other as one message, which the service insists on.
func layOutBlocks(d *Document, shape string) []Message {
	messages := make([]Message, len(d.Messages))
	for i := range d.Messages {
		m := withoutLayout(&d.Messages[i])
		m.dropVoid()
		if shape == ShapeMessages && len(m.Content) == 1 && plainText(&m) {
			m.noteForm(noteString)
		}
		if i > 0 && m.Role == RoleTool && messages[i-1].Role == RoleTool && m.UsageMetadata == nil {
			m.Layout.put(layoutJoined, noteJoined)
		}
		if m.Extras[choiceKey] != nil {
			m.Extras = m.Extras.without(choiceKey) // it became the document's stop_reason
		}
		calls := 0
		for j := range m.Content {
			b := &m.Content[j]
			if b.Type == BlockToolCall {
				if isIndex(b.Extras["index"], calls) {
					b.Extras = b.Extras.without("index")
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
