package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// parseNative reads the native format, in any envelope.
func parseNative(src Source) (*Document, bool) {
	e, ok := openEnvelope(src)
	if !ok {
		return nil, false
	}
	d := &Document{Format: FormatNative, Side: src.Side, Shape: e.shape, Extras: e.rest}
	if extras, ok := rawjson.ReadObject(e.rest["extras"]); ok && len(e.rest) == 1 && e.shape == shapeMessages {
		d.Shape, d.Extras = shapeNormal, extras.Rest()
	}
	d.Messages = make([]Message, len(e.messages))
	for i, raw := range e.messages {
		d.Messages[i] = parseNativeMessage(raw, topUsage(e))
	}
	ok = takeEnvelope(d, e)
	return d, ok
}

func parseNativeMessage(raw json.RawMessage, topUsage bool) Message {
	o, _ := rawjson.ReadObject(raw)
	m := Message{}
	taken := takeMessage(&m, o, topUsage)
	if addCalls(&m, o.Get("tool_calls")) {
		taken = append(taken, "tool_calls")
	}
	m.Extras = takeExtras(o.Rest(taken...))
	return m
}
