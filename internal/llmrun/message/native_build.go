package message

import (
	"encoding/json"
	"maps"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Native writes the normal form: {"messages":[…],"extras":{…}}. The extras of messages and blocks are also in an object
// "extras". The top-level one is present even if it is empty: it distinguishes the normal form from other formats.
// Normalizing the result returns the same messages and extras.
func (d *Document) Native() []byte {
	messages := make([]json.RawMessage, len(d.Messages))
	for i := range d.Messages {
		m := withoutLayout(&d.Messages[i])
		messages[i] = buildNativeMessage(&m)
	}
	return normalForm(messages, d.Extras)
}

func normalForm(messages []json.RawMessage, extras Extras) json.RawMessage {
	return rawjson.Of("messages", rawjson.EncodeArray(messages)).With("extras", rawjson.Object(nil).WithAll(extras).Encode()).Encode()
}

// buildNative restores a native document, and writes any other one in the normal form.
func buildNative(d *Document) []byte {
	if d.Format != FormatNative {
		return d.Native()
	}
	e := envelopeOf(d)
	for i := range d.Messages {
		m := d.Messages[i]
		e.take(&m)
		e.messages = append(e.messages, buildNativeMessage(&m))
	}
	if d.Shape == shapeNormal {
		return normalForm(e.messages, d.Extras)
	}
	return e.seal()
}

// envelopeOf returns the original envelope of a document, without messages.
func envelopeOf(d *Document) *envelope {
	return &envelope{shape: d.Shape, rest: d.Extras, messages: make([]json.RawMessage, 0, len(d.Messages)), only: len(d.Messages) == 1}
}

// take removes the members from a message that belong beside it in this envelope.
func (e *envelope) take(m *Message) {
	if _, shape, _ := cutShape(e.shape); shape == shapeChoices || shape == shapeCompletion {
		e.choices = append(e.choices, m.Extras[choiceKey])
		m.Extras = m.Extras.Without(choiceKey)
	}
	if topUsage(*e) && m.UsageMetadata != nil {
		rest := Extras{"usage_metadata": m.UsageMetadata}
		maps.Copy(rest, e.rest)
		e.rest, m.UsageMetadata = rest, nil
	}
}

// withoutLayout returns a message as other formats see it.
func withoutLayout(m *Message) Message {
	plain := *m
	plain.Layout = nil
	if m.Content != nil {
		plain.Content = make([]Block, len(m.Content))
	}
	for i := range m.Content {
		plain.Content[i] = m.Content[i]
		plain.Content[i].Layout = nil
	}
	return plain
}

func buildNativeMessage(m *Message) json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if m.Role != "" {
		o = o.With("role", rawjson.Quote(m.Role))
	}
	var content, calls []json.RawMessage
	for i := range m.Content {
		b := &m.Content[i]
		if b.Layout.is(layoutPlace, "tool_calls") {
			calls = append(calls, buildCall(b, callFlat))
		} else {
			content = append(content, buildNativeBlock(b))
		}
	}
	switch {
	case m.Layout.is(layoutContent, "string") && plainText(m):
		o = o.With("content", rawjson.Quote(*m.Content[0].Text))
	case m.Content != nil && !m.Layout.is(layoutContent, "absent"):
		o = o.With("content", rawjson.EncodeArray(content))
	}
	if all := m.Layout[layoutCalls]; all != nil {
		o = o.With("tool_calls", all)
	} else if calls != nil {
		o = o.With("tool_calls", rawjson.EncodeArray(calls))
	}
	o = o.WithText("tool_call_id", m.ToolCallID).WithRaw("usage_metadata", m.UsageMetadata)
	return withExtras(o, m.Extras, m.Layout).Encode()
}

// plainText says whether the content starts with a text that a string can represent.
func plainText(m *Message) bool {
	return len(m.Content) > 0 && isPlainText(&m.Content[0])
}

// isPlainText says whether a block is a text that a string can represent.
func isPlainText(b *Block) bool { return b.Type == BlockText && b.Text != nil && len(b.Extras) == 0 }

func buildNativeBlock(b *Block) json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if b.Type != "" {
		o = o.With("type", rawjson.Quote(b.Type))
	}
	o = o.WithText("id", b.ID).WithText("name", b.Name).WithRaw("args", b.Args).
		WithText("tool_call_id", b.ToolCallID).WithText("status", b.Status).WithRaw("output", b.Output).
		WithText("text", b.Text).WithRaw("annotations", b.Annotations).
		WithText("url", b.URL).WithText("base64", b.Base64).WithText("mime_type", b.MimeType)
	return withExtras(o, b.Extras, b.Layout).Encode()
}

// withExtras appends the extras where the layout says that they were; by default, in an object "extras".
func withExtras(o rawjson.Object, extras Extras, layout Layout) rawjson.Object {
	switch {
	case layout.is(layoutExtras, "inline"):
		return o.WithAll(extras)
	case len(extras) > 0 || layout.is(layoutExtras, "empty"):
		return o.With("extras", rawjson.Object(nil).WithAll(extras).Encode())
	default:
		return o
	}
}
