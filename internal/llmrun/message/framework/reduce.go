package framework

import (
	_ "embed"
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

//go:embed stream.txt
var streamText string

var events = chunk.NewTable(streamText, nil)

const keyUsage = "usage_metadata"

// IsChunk reports whether an object is an event of a message, or a piece of one.
func IsChunk(o rawjson.Object) bool {
	event, _ := o.Text("event")
	isShared := slices.Contains([]string{"usage", "provider", chunk.Error}, event) // Other formats have events of that name.
	return event == "content-block-delta" || events.Has(event) && !isShared || pieceOf(o) != nil
}

// pieceOf returns a piece of an AI message, in any of the shapes that frameworks write; nil if it is none.
func pieceOf(o rawjson.Object) rawjson.Object {
	kind, _ := o.Text("type")
	var inner rawjson.Object
	switch {
	case kind == "AIMessageChunk":
		return o
	case kind == "constructor" && classOf(o) == "AIMessageChunk":
		inner, _ = rawjson.ReadObject(o.Get("kwargs"))
	case kind == "ChatGenerationChunk":
		inner, _ = rawjson.ReadObject(o.Get("message"))
		inner = pieceOf(inner)
	}
	return inner
}

// Reduce combines the events or the pieces of a message into it: {"type":"ai","content":…}.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := chunk.Stream{}
	s.Read(chunks, func(o rawjson.Object) bool { return add(&s, o) })
	if s.Understood() {
		s.Answer.Set("type", json.RawMessage(`"ai"`))
		s.Answer.Precede(rawjson.Of("content", json.RawMessage("[]")))
	}
	return s.Finish("framework")
}

func add(s *chunk.Stream, o rawjson.Object) bool {
	if piece := pieceOf(o); piece != nil {
		addPiece(s, piece)
		return true
	}
	event, _ := o.Text("event")
	if delta, ok := rawjson.ReadObject(o.Get("delta")); ok {
		kind, _ := delta.Text("type")
		event += "." + kind
	}
	return s.Apply(events, event, o)
}

// addPiece adds a piece of a message. Its calls repeat, as far as they can be parsed, what has arrived of them; its usage is to be
// added up.
func addPiece(s *chunk.Stream, o rawjson.Object) {
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
			s.Answer.Grow(m.Key, inner.Without("tool_calls", "function_call").Encode())
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
		one, _ := rawjson.NumberText(a)
		other, _ := rawjson.NumberText(b)
		x, err := rawjson.ParseNumber(one)
		y, failed := rawjson.ParseNumber(other)
		if err != nil || failed != nil || !x.IsInt() || !y.IsInt() {
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
