package framework

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// events are the events of a message, with the type of a delta after a dot.
var events = chunk.NewTable(map[string][]chunk.Rule{
	"message-start":                       {{}, {From: "id", To: "id", How: chunk.Set}, {From: "usage", To: keyUsage, How: chunk.Set}},
	"usage":                               {{From: "usage", To: keyUsage, How: chunk.Set}},
	"content-block-start":                 {{From: "content", To: "content[index]", How: chunk.Begin}},
	"content-block-finish":                {{From: "content", To: "content[index]", How: chunk.Complete}},
	"content-block-delta.text-delta":      {{From: "delta.text", To: "content[index:text].text"}},
	"content-block-delta.reasoning-delta": {{From: "delta.reasoning", To: "content[index:reasoning].reasoning"}},
	"content-block-delta.data-delta":      {{From: "delta.data", To: "content[index].data", How: chunk.Data}},
	"content-block-delta.tool-call-delta": {{From: "delta", To: "content[index:tool_call_chunk]", How: chunk.Join}},
	"content-block-delta.block-delta":     {{From: "delta.fields", To: "content[index]", How: chunk.Join}},
	"message-finish": {
		{}, {From: "reason", To: "response_metadata.finish_reason", How: chunk.Set},
		{From: "responseMetadata", To: "response_metadata", How: chunk.Join}, {From: "usage", To: keyUsage, How: chunk.Set},
	},
	"provider": {}, // The provider's own event, whose content the others have.
}, nil)

const keyUsage = "usage_metadata"

// IsChunk says whether an object is an event of a message, or a piece of one.
func IsChunk(o rawjson.Object) bool {
	event, _ := o.Text("event")
	return event == "content-block-delta" || events.Has(event) && event != "usage" && event != "provider" || pieceOf(o) != nil
}

// pieceOf returns a piece of an AI message, in any of the shapes that frameworks write; nil if it is none.
func pieceOf(o rawjson.Object) rawjson.Object {
	kind, _ := o.Text("type")
	path, _ := rawjson.ReadArray(o.Get("id"))
	var name string
	if len(path) > 0 {
		name, _ = rawjson.ReadString(path[len(path)-1])
	}
	var inner rawjson.Object
	switch {
	case kind == "AIMessageChunk":
		return o
	case kind == "constructor" && name == "AIMessageChunk":
		inner, _ = rawjson.ReadObject(o.Get("kwargs"))
	case kind == "ChatGenerationChunk":
		inner, _ = rawjson.ReadObject(o.Get("message"))
		inner = pieceOf(inner)
	}
	return inner
}

// Reduce combines the events or the pieces of a message into it: {"type":"ai","content":…}.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := stream{}
	s.Read(chunks, s.add)
	if s.Understood() {
		s.Answer.Set("type", json.RawMessage(`"ai"`))
		s.Answer.Precede(rawjson.Of("content", json.RawMessage("[]")))
	}
	return s.Finish("framework")
}

type stream struct {
	chunk.Stream
}

func (s *stream) add(o rawjson.Object) bool {
	if piece := pieceOf(o); piece != nil {
		s.addPiece(piece)
		return true
	}
	event, _ := o.Text("event")
	if event == chunk.Error {
		return s.Fail(chunk.Without(o, "event").Encode())
	}
	if delta, ok := rawjson.ReadObject(o.Get("delta")); ok {
		kind, _ := delta.Text("type")
		event += "." + kind
	}
	return events.Apply(&s.Answer, event, o)
}

// addPiece adds a piece of a message. Its calls repeat, as far as they can be parsed, what has arrived of them; its usage is to be
// added up.
func (s *stream) addPiece(o rawjson.Object) {
	calls, isStreamed := rawjson.ReadArray(o.Get("tool_call_chunks"))
	isStreamed = isStreamed && len(calls) > 0
	for i, call := range chunk.Indexed(calls) {
		made := s.Answer.Key("tool_calls").At(i, rawjson.Of("type", json.RawMessage(`"tool_call"`))...)
		if made == nil || made.Key("args") == nil {
			continue // Neither a list nor a call.
		}
		made.GrowAll(call, "type", "index", "args")
		made.Key("args").GrowArguments(call.Get("args"))
	}
	for _, m := range o {
		inner, isObject := rawjson.ReadObject(m.Value)
		switch {
		case slices.Contains([]string{"type", "tool_call_chunks", "chunk_position", "example"}, m.Key), rawjson.IsVoid(m.Value):
		case m.Key == "tool_calls", m.Key == "invalid_tool_calls":
			if !isStreamed {
				s.Answer.Grow(m.Key, m.Value)
			}
		case m.Key == keyUsage && isObject:
			s.Answer.Set(m.Key, sum(s.Answer.Get(m.Key), m.Value, 0))
		case m.Key == "additional_kwargs" && isObject && isStreamed:
			s.Answer.Grow(m.Key, chunk.Without(inner, "tool_calls", "function_call").Encode())
		case m.Key == "response_metadata" && isObject && s.Answer.Object(m.Key) != nil:
			s.Answer.Object(m.Key).Add(inner)
		default:
			s.Answer.Grow(m.Key, m.Value)
		}
	}
}

// sum adds the counts of usages, and of the details in them.
func sum(a, b json.RawMessage, depth int) json.RawMessage {
	before, isObject := rawjson.ReadObject(a)
	if !isObject || depth > 1 {
		x, isNumber, err := rawjson.ReadNumber(a)
		y, ok, failed := rawjson.ReadNumber(b)
		if !isNumber || !ok || err != nil || failed != nil || !x.IsInt() || !y.IsInt() {
			return b
		}
		return json.RawMessage(x.Add(x, y).Num().String())
	}
	total := chunk.New(before)
	after, _ := rawjson.ReadObject(b)
	for _, m := range after {
		total.Set(m.Key, sum(before.Get(m.Key), m.Value, depth+1))
	}
	return total.Encode()
}
