package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// buildResponses writes the responses format. A document that was read from it is restored; any other document becomes the
// input of a request or the output of an answer.
func buildResponses(d *Document) ([]byte, []string, error) {
	if d.Format == FormatResponses {
		return sealItems(d, d.Messages, d.Extras), nil, nil
	}
	p := prepare(d, FormatResponses)
	lost := losses{document: p}
	rest := responsesExtras(&p.Document, &lost)
	lost.addAlternatives()
	for i := range p.Messages {
		lost.addResponsesMessage(&p.Document, i)
	}
	if err := lost.err(FormatResponses); err != nil {
		return nil, nil, err
	}
	return sealItems(&p.Document, layOutItems(p.Messages), rest), p.dropped, nil
}

// sealItems writes messages as items.
func sealItems(d *Document, messages []Message, rest Extras) []byte {
	key := "input"
	if d.Side == Outputs {
		key = "output"
	}
	o := make(rawjson.Object, 0, len(rest)+3)
	items := []json.RawMessage{}
	for i := range messages {
		m := &messages[i]
		switch place, _ := rawjson.ReadString(m.Layout[layoutPlace]); {
		case place == "instructions" && plainText(m):
			o = o.With("instructions", rawjson.Quote(*m.Content[0].Text))
		case place == "input" && plainText(m):
			o = o.With(key, rawjson.Quote(*m.Content[0].Text))
		default:
			items = append(items, buildItems(m)...)
		}
		if d.Side == Outputs {
			o = o.WithRaw("usage_metadata", m.UsageMetadata)
		}
	}
	if !o.Has(key) && !d.Layout.is(layoutOutput, "absent") {
		o = o.With(key, rawjson.EncodeArray(items))
	}
	return o.WithAll(rest).Encode()
}

// buildItems writes the items of a message.
func buildItems(m *Message) []json.RawMessage {
	inList := m.Layout.is(layoutPlace, "message")
	switch {
	case m.Role == RoleReasoning && !inList:
		return []json.RawMessage{buildReasoningItem(m)}
	case m.Role == RoleTool && !inList:
		return []json.RawMessage{buildCallOutput(m)}
	}
	var items []json.RawMessage
	if !m.Layout.is(layoutContent, "absent") {
		items = append(items, buildItemMessage(m))
	}
	for i := 0; i < len(m.Content); i++ {
		b := &m.Content[i]
		if !isItem(b) {
			continue
		}
		var result *Block
		if i+1 < len(m.Content) && b.Type == BlockServerToolCall && isItem(b) && isResult(&m.Content[i+1]) {
			i++
			result = &m.Content[i]
		}
		items = append(items, buildItem(b, result))
	}
	return items
}

// isItem says whether a block is a separate item, and not a part of the message's item.
func isItem(b *Block) bool {
	if b.Layout[layoutPart] != nil {
		return b.Layout.is(layoutPlace, "item")
	}
	return b.Type == BlockToolCall || b.Type == BlockServerToolCall || b.Type == BlockServerToolResult
}

// isResult says whether a block is the result within the item of the preceding call.
func isResult(b *Block) bool { return b.Type == BlockServerToolResult && b.Layout[layoutPart] == nil }

func buildItemMessage(m *Message) json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if !m.Layout.is(layoutType, "absent") {
		o = o.With("type", rawjson.Quote("message"))
	}
	role, renamed := rawjson.ReadString(m.Layout[layoutRole])
	if !renamed {
		role = m.Role
	}
	if role != "" {
		o = o.With("role", rawjson.Quote(role))
	}
	return o.WithRaw("content", partsContent(m, m.Role)).WithAll(m.Extras).Encode()
}

// partsContent writes the parts of the content, as a string or as a list; nil if there is no content.
func partsContent(m *Message, role string) json.RawMessage {
	if m.Content == nil {
		return nil
	}
	if m.Layout.is(layoutContent, "string") && plainText(m) && m.Content[0].Annotations == nil {
		return rawjson.Quote(*m.Content[0].Text)
	}
	parts := make([]json.RawMessage, 0, len(m.Content))
	for i := range m.Content {
		if b := &m.Content[i]; !isItem(b) {
			parts = append(parts, buildItemPart(b, role))
		}
	}
	return rawjson.EncodeArray(parts)
}

func buildReasoningItem(m *Message) json.RawMessage {
	summary, content := []json.RawMessage{}, []json.RawMessage{}
	for i := range m.Content {
		b := &m.Content[i]
		kind := b.kind(summaryText)
		entry := ofType(kind).WithText("text", b.Text).WithAll(b.Extras.Without(keyType)).Encode()
		if kind == reasoningText {
			content = append(content, entry)
		} else {
			summary = append(summary, entry)
		}
	}
	o := ofType("reasoning")
	if len(summary) > 0 || !m.Layout.is(layoutSummary, "absent") {
		o = o.With("summary", rawjson.EncodeArray(summary))
	}
	if len(content) > 0 {
		o = o.With("content", rawjson.EncodeArray(content))
	}
	return o.WithAll(m.Extras).Encode()
}

func buildCallOutput(m *Message) json.RawMessage {
	kind, extras := functionCallOutput, m.Extras
	if text, ok := rawjson.ReadString(extras[keyType]); ok {
		kind, extras = text, extras.Without(keyType)
	}
	o := ofType(kind).WithText("call_id", m.ToolCallID)
	if !m.Layout.is(layoutContent, "absent") {
		o = o.WithRaw("output", partsContent(m, RoleTool))
	}
	return o.WithAll(extras).Encode()
}

// layOutItems determines how to write messages from another format: a message with only calls has no item of its own, and a
// tool's answer that is a text is a string.
func layOutItems(messages []Message) []Message {
	out := make([]Message, len(messages))
	for i := range messages {
		m := withoutLayout(&messages[i])
		m.dropVoid()
		calls := 0
		for j := range m.Content {
			b := &m.Content[j]
			if b.Type == BlockToolCall && isIndex(b.Extras["index"], calls) {
				b.Extras = b.Extras.Without("index")
			}
			switch {
			case isItem(b):
				calls++
			case string(b.Extras["refusal"]) == "true":
				b.Layout.put(layoutPart, notePartRefusal)
			case blockFields[b.Type] == nil:
				calls++
				b.Layout = Layout{layoutPart: notePartVerbatim, layoutExtras: noteInline, layoutPlace: noteItem}
			}
		}
		switch {
		case m.Role == RoleTool && len(m.Content) == 1 && plainText(&m):
			m.noteForm(noteString)
		case calls > 0 && calls == len(m.Content):
			m.noteForm(noteAbsent)
		}
		out[i] = m
	}
	return out
}

// verbatimItems are the items without a counterpart that other formats contain as blocks of the same type.
var verbatimItems = append([]string{"mcp_list_tools", "mcp_approval_request", "compaction"}, userItems...)

func isVerbatimItem(b *Block) bool { return slices.Contains(verbatimItems, b.Type) }
