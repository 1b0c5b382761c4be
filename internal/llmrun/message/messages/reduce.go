package messages

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// IsChunk says whether an object is an event of a message.
func IsChunk(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	return strings.HasPrefix(kind, "message_") || strings.HasPrefix(kind, "content_block_")
}

// events are the events of a message, and after a dot, the types of deltas.
var events = chunk.NewTable(map[string][]chunk.Rule{
	"content_block_start": {
		{From: "content_block", To: "content[index]", How: chunk.Begin},
		{From: "content_block.to.model", To: "model", How: chunk.Whole}, // The model that goes on; without streaming, the message has its name.
	},
	"content_block_delta.text_delta":       {{From: "delta.text", To: "content[index:text].text"}},
	"content_block_delta.thinking_delta":   {{From: "delta.thinking", To: "content[index:thinking].thinking"}},
	"content_block_delta.signature_delta":  {{From: "delta.signature", To: "content[index:thinking].signature", How: chunk.Whole}},
	"content_block_delta.input_json_delta": {{From: "delta.partial_json", To: "content[index:tool_use].input", How: chunk.JSON}},
	"content_block_delta.citations_delta":  {{From: "delta.citation", To: "content[index:text].citations", How: chunk.Append}},
	"content_block_delta.compaction_delta": {{From: "delta", To: "content[index:compaction]", How: chunk.Join}},
}, nil)

// Reduce combines the events of the messages format into a message. The input of a truncated call is the string that has
// arrived.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := stream{}
	s.Read(chunks, s.add)
	if !s.started && s.Answer.Has("content") {
		s.Answer.Precede(chunk.Typed("message").With("role", rawjson.Quote("assistant")))
	}
	return s.Finish("messages")
}

type stream struct {
	chunk.Stream
	started, stopped bool
}

func (s *stream) add(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	if s.stopped && IsChunk(o) {
		return false // Another message.
	}
	switch kind {
	case "message_start":
		message, ok := rawjson.ReadObject(o.Get("message"))
		if !ok || s.started {
			return false
		}
		s.started = true
		s.Answer.Precede(message)
		return true
	case "content_block_start":
		return events.Apply(&s.Answer, kind, o)
	case "content_block_delta":
		delta, _ := rawjson.ReadObject(o.Get("delta"))
		name, _ := delta.Text("type")
		return events.Apply(&s.Answer, kind+"."+name, o)
	case "message_delta":
		return s.addEnd(o)
	case chunk.Error:
		return s.Fail(o.Get(chunk.Error))
	case "message_stop":
		s.stopped = true
		return true
	default:
		return kind == "ping" || kind == "content_block_stop"
	}
}

// addEnd reads why the answer ended, and the usage: its counts are totals, so the last ones count.
func (s *stream) addEnd(o rawjson.Object) bool {
	delta, ok := rawjson.ReadObject(o.Get("delta"))
	if !ok && o.Has("delta") {
		return false
	}
	if usage, ok := rawjson.ReadObject(o.Get("usage")); ok && s.Answer.Object("usage") != nil {
		s.Answer.Object("usage").Add(usage)
		o = chunk.Without(o, "usage")
	}
	s.Answer.Add(delta)
	s.Answer.Add(o, "type", "delta")
	return true
}
