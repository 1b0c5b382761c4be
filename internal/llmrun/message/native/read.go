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
	d, ok := envelope.Read(src, document.FormatNative, appendMessage)
	if !ok {
		return nil, false
	}
	if extras, ok := rawjson.ReadObject(d.Extras["extras"]); ok && len(d.Extras) == 1 && d.Shape == document.ShapeMessages {
		d.Shape, d.Extras = document.ShapeNormal, extras.Rest()
	}
	return d, true
}

func appendMessage(messages []document.Message, raw json.RawMessage, topUsage bool) ([]document.Message, bool) {
	o, _ := rawjson.ReadObject(raw)
	m := document.Message{}
	taken := envelope.TakeMessage(&m, o, topUsage)
	taken = append(taken, part.AddCalls(&m, o)...)
	m.Extras = part.Extras(o.Rest(taken...))
	return append(messages, m), true
}
