package native

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Read reads the native format, in any envelope.
func Read(src document.Source) (*document.Document, bool) {
	e, ok := envelope.Open(src)
	if !ok {
		return nil, false
	}
	d := &document.Document{Format: document.FormatNative, Side: src.Side, Shape: e.Shape, Extras: e.Rest}
	if extras, ok := rawjson.ReadObject(e.Rest["extras"]); ok && len(e.Rest) == 1 && e.Shape == document.ShapeMessages {
		d.Shape, d.Extras = document.ShapeNormal, extras.Rest()
	}
	d.Messages = make([]document.Message, len(e.Messages))
	for i, raw := range e.Messages {
		d.Messages[i] = readMessage(raw, envelope.TopUsage(e))
	}
	ok = envelope.TakeEnvelope(d, e)
	return d, ok
}

func readMessage(raw json.RawMessage, topUsage bool) document.Message {
	o, _ := rawjson.ReadObject(raw)
	m := document.Message{}
	taken := envelope.TakeMessage(&m, o, topUsage)
	taken = append(taken, part.AddCalls(&m, o)...)
	m.Extras = part.Extras(o.Rest(taken...))
	return m
}
