package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Layout keys of the native format.
const (
	// layoutContent is how a message's content was written, if that isn't the format's usual way.
	layoutContent = "content"
	// layoutExtras is where a native message or block had its extras, if that wasn't a non-empty object "extras".
	layoutExtras = "extras"
	// layoutPlace is the member of the message that contained a block, if that wasn't the content.
	layoutPlace = "place"
)

// Notes under the layout keys.
var (
	noteString = json.RawMessage(`"string"`)
	noteArray  = json.RawMessage(`"array"`)
	noteNull   = json.RawMessage(`"null"`)
	noteAbsent = json.RawMessage(`"absent"`)
	noteInline = json.RawMessage(`"inline"`)
	noteEmpty  = json.RawMessage(`"empty"`)
)

// blockFields are the members of each type of block beside its type and extras.
var blockFields = map[string][]string{
	BlockText:             {"text", "annotations"},
	BlockReasoning:        {"text"},
	BlockImage:            mediaFields,
	BlockFile:             mediaFields,
	BlockAudio:            mediaFields,
	BlockVideo:            mediaFields,
	BlockToolCall:         {"name", "args", "id"},
	BlockServerToolCall:   {"name", "args", "id"},
	BlockServerToolResult: {"tool_call_id", "id", "status", "output"},
}

var mediaFields = []string{"url", "base64", "id", "mime_type"}

// parseNative reads the native format, in any envelope.
func parseNative(raw json.RawMessage, side Side) (*Document, bool) {
	e, ok := openEnvelope(raw, side)
	if !ok {
		return nil, false
	}
	d := &Document{Format: FormatNative, Side: side, Shape: e.shape, Extras: e.rest}
	if extras, ok := rawjson.ReadObject(e.rest["extras"]); ok && len(e.rest) == 1 && e.shape == shapeMessages {
		d.Shape, d.Extras = shapeNormal, extras.Rest()
	}
	d.Messages = make([]Message, len(e.messages))
	for i, raw := range e.messages {
		d.Messages[i] = parseNativeMessage(raw, topUsage(e))
	}
	ok = d.takeEnvelope(e)
	return d, ok
}

func parseNativeMessage(raw json.RawMessage, topUsage bool) Message {
	o, _ := rawjson.ReadObject(raw)
	m := Message{}
	taken := takeMessage(&m, o, noteArray, parseNativeBlock, topUsage)
	absent := m.Content == nil
	if m.addCalls(o.Get("tool_calls"), callFlat) {
		if absent {
			m.Layout.put(layoutContent, noteAbsent)
		}
		taken = append(taken, "tool_calls")
	}
	m.Extras = takeExtras(o.Rest(taken...), &m.Layout)
	return m
}

// takeMessage reads the members common to messages in the native, the chat-completions and the framework format, and
// returns the keys that it has read. Members of the wrong type are skipped.
func takeMessage(m *Message, o rawjson.Object, usual json.RawMessage, block func(json.RawMessage) Block, topUsage bool) []string {
	taken := make([]string, 0, 8)
	if role, ok := o.Text("role"); ok && role != "" {
		m.Role, taken = role, append(taken, "role")
	}
	if content, form := takeContent(o.Get("content"), block); form != nil {
		m.Content, taken = content, append(taken, "content")
		if string(form) != string(usual) {
			m.Layout.put(layoutContent, form)
		}
	}
	if id, ok := o.Text("tool_call_id"); ok {
		m.ToolCallID, taken = &id, append(taken, "tool_call_id")
	}
	if usage := o.Get("usage_metadata"); usage != nil && !topUsage {
		m.UsageMetadata, taken = usage, append(taken, "usage_metadata")
	}
	return taken
}

// takeContent reads content that is a string or a list of objects, and notes which it is. Other content has no note.
func takeContent(raw json.RawMessage, block func(json.RawMessage) Block) ([]Block, json.RawMessage) {
	if text, ok := rawjson.ReadString(raw); ok {
		return []Block{{Type: BlockText, Text: &text}}, noteString
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		return nil, nil
	}
	blocks := make([]Block, len(list))
	for i, raw := range list {
		if !rawjson.IsObject(raw) {
			return nil, nil
		}
		blocks[i] = block(raw)
	}
	return blocks, noteArray
}

func parseNativeBlock(raw json.RawMessage) Block {
	o, _ := rawjson.ReadObject(raw)
	b := Block{}
	taken := make([]string, 0, 8)
	if kind, ok := o.Text("type"); ok && kind != "" {
		b.Type, taken = kind, append(taken, "type")
	}
	for _, field := range blockFields[b.Type] {
		if b.take(field, o.Get(field)) {
			taken = append(taken, field)
		}
	}
	b.Extras = takeExtras(o.Rest(taken...), &b.Layout)
	return b
}

// take reads one field unless it is absent or of the wrong type.
func (b *Block) take(field string, raw json.RawMessage) bool {
	switch field {
	case "annotations":
		if rawjson.IsArray(raw) {
			b.Annotations = raw
		}
		return rawjson.IsArray(raw)
	case "args":
		if rawjson.IsObject(raw) {
			b.Args = raw
		}
		return rawjson.IsObject(raw)
	case "output":
		if raw != nil {
			b.Output = raw
		}
		return raw != nil
	}
	s, ok := rawjson.ReadString(raw)
	if !ok {
		return false
	}
	*b.text(field) = &s
	return true
}

// text returns the field for a member that is a string.
func (b *Block) text(field string) **string {
	switch field {
	case "url":
		return &b.URL
	case "base64":
		return &b.Base64
	case "id":
		return &b.ID
	case "mime_type":
		return &b.MimeType
	case "name":
		return &b.Name
	case "tool_call_id":
		return &b.ToolCallID
	case "status":
		return &b.Status
	default:
		return &b.Text
	}
}

// takeExtras makes extras of the remaining members of a native message or block: the members of the object "extras" if
// there is nothing else, and otherwise the members themselves.
func takeExtras(rest Extras, layout *Layout) Extras {
	if len(rest) == 0 {
		return nil
	}
	if extras, ok := rawjson.ReadObject(rest["extras"]); ok && len(rest) == 1 {
		if len(extras) == 0 {
			layout.put(layoutExtras, noteEmpty)
		}
		return extras.Rest()
	}
	layout.put(layoutExtras, noteInline)
	return rest
}

// takeEnvelope adds the members beside messages to their extras. It fails if a message already has an extra of that name.
func (d *Document) takeEnvelope(e envelope) bool {
	for i, choice := range e.choices {
		if d.Messages[i].Extras[choiceKey] != nil {
			return false
		}
		if choice != nil {
			d.Messages[i].Extras.Put(choiceKey, choice)
		}
	}
	if usage := d.Extras["usage_metadata"]; topUsage(e) && rawjson.IsObject(usage) {
		d.Messages[0].UsageMetadata = usage
		d.Extras = d.Extras.Without("usage_metadata")
	}
	return true
}

// topUsage says whether the usage of the only message is beside it, at the top level of the document. If a message in such
// an envelope has its own usage_metadata, that remains an extra.
func topUsage(e envelope) bool {
	_, shape, wrapped := cutShape(e.shape)
	beside := []string{shapeChoices, shapeCompletion, shapeMessage, shapeBare}
	return e.only && (slices.Contains(beside, shape) || wrapped && shape == shapePair)
}
