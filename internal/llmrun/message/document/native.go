package document

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Native writes the normal form: {"messages":[…],"extras":{…}}. The extras of messages and blocks are also in an object
// "extras". The top-level one is present even if it is empty: it distinguishes the normal form from other formats.
// Normalizing the result returns the same messages and extras.
func (d *Document) Native() []byte {
	messages := make([]json.RawMessage, len(d.Messages))
	for i := range d.Messages {
		messages[i] = d.Messages[i].native()
	}
	return rawjson.Of("messages", rawjson.EncodeArray(messages)).With("extras", encodeExtras(d.Extras)).Encode()
}

func (m *Message) native() json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if m.Role != "" {
		o = o.With("role", rawjson.Quote(m.Role))
	}
	if m.Content != nil {
		blocks := make([]json.RawMessage, len(m.Content))
		for i := range m.Content {
			blocks[i] = m.Content[i].native()
		}
		o = o.With("content", rawjson.EncodeArray(blocks))
	}
	return withExtras(o.WithText("tool_call_id", m.ToolCallID).WithRaw("usage_metadata", m.UsageMetadata), m.Extras)
}

func (b *Block) native() json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if b.Type != "" {
		o = o.With("type", rawjson.Quote(b.Type))
	}
	return withExtras(o.WithText("id", b.ID).WithText("name", b.Name).WithRaw("args", b.Args).
		WithText("tool_call_id", b.ToolCallID).WithText("status", b.Status).WithRaw("output", b.Output).
		WithText("text", b.Text).WithRaw("annotations", b.Annotations).
		WithText("url", b.URL).WithText("base64", b.Base64).WithText("mime_type", b.MimeType), b.Extras)
}

func withExtras(o rawjson.Object, extras Extras) json.RawMessage {
	if len(extras) > 0 {
		o = o.With("extras", encodeExtras(extras))
	}
	return o.Encode()
}

func encodeExtras(extras Extras) json.RawMessage { return rawjson.Object(nil).WithAll(extras).Encode() }
