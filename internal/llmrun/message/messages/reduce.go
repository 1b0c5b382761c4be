package messages

import (
	_ "embed"
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

//go:embed stream.txt
var streamText string

var events = chunk.NewTable(streamText, nil)

// IsChunk recognizes an event of a message.
var IsChunk = shape.Named("messages_chunk")

// Reduce combines the events of the messages format into a message. The input of a truncated call is the string that has
// arrived.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := chunk.Stream{}
	started, stopped := false, false
	s.Read(chunks, func(o rawjson.Object) bool {
		kind, _ := o.Text("type")
		if stopped && IsChunk(o) || started && kind == "message_start" {
			return false // Another message.
		}
		delta, _ := rawjson.ReadObject(o.Get("delta"))
		if name, _ := delta.Text("type"); kind == "content_block_delta" {
			kind += "." + name
		}
		known := s.Apply(events, kind, o)
		started, stopped = started || known && kind == "message_start", stopped || kind == "message_stop"
		return known
	})
	if !started && s.Answer.Has("content") {
		s.Answer.Precede(rawjson.Typed("message").With("role", rawjson.Quote("assistant")))
	}
	return s.Finish("messages")
}
