package cohere

import (
	_ "embed"
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

//go:embed stream.txt
var streamText string

// events are those of version 2, and with a prefix, those of version 1.
var events = chunk.NewTable(streamText, nil)

const prefixFirst = "1."

// firstEvent returns the type of an event of version 1, which has its own member for it.
func firstEvent(o rawjson.Object) string {
	_, value := o.Find("event_type")
	kind, _ := rawjson.ReadString(value)
	return kind
}

// IsChunk reports whether an object is an event of either version. Another SDK also has events named tool-call-delta.
func IsChunk(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	return events.Has(kind) && !o.Has("toolCallId") || events.Has(prefixFirst+firstEvent(o))
}

// Reduce combines the events of a chat into its answer: {"message":{"content":[…]}} in version 2, {"text"} in version 1.
// The members keep the spelling of the SDK.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := stream{calls: &chunk.Partial{}}
	s.Read(chunks, s.add)
	if !s.calls.IsEmpty() {
		s.Answer.Set("tool_calls", s.calls.Encode())
	}
	if s.Answer.Has("message") {
		s.Answer.Object("message").Precede(rawjson.Of("role", rawjson.Quote("assistant")))
	}
	if s.Answer.Has("tool_calls") || s.Answer.Has("toolCalls") {
		s.Answer.Precede(rawjson.Of("text", json.RawMessage(`""`))) // An answer always has one.
	}
	return s.Finish("cohere")
}

type stream struct {
	chunk.Stream
	// calls are those of version 1 that haven't come as a whole; planned says whether they had a text, which whole calls repeat.
	calls   *chunk.Partial
	planned bool
}

func (s *stream) add(o rawjson.Object) bool {
	if kind := firstEvent(o); kind != "" {
		return s.addFirst(kind, o)
	}
	kind, _ := o.Text("type")
	delta, _ := rawjson.ReadObject(o.Get("delta"))
	message, isMessage := rawjson.ReadObject(delta.Get("message"))
	if !events.Has(kind) || !isMessage && delta.Has("message") || !s.Apply(events, kind, o) {
		return false
	}
	switch kind {
	case "message-start":
		return s.Answer.Object("message") != nil
	case "message-end":
		return true
	}
	// A piece of content, of a plan, of a call, or a citation.
	known := len(message) == 0
	for _, m := range message {
		if !rawjson.IsObject(m.Value) {
			s.Answer.Object("message").Grow(m.Key, m.Value) // The plan.
			known = true
		} else {
			known = s.Apply(events, "message."+m.Key, o) || known
		}
	}
	if logprobs := o.Get("logprobs"); known && logprobs != nil && !rawjson.IsNull(logprobs) {
		s.Answer.Extend("logprobs", logprobs)
	}
	return known
}

func (s *stream) addFirst(kind string, o rawjson.Object) bool {
	whole := o
	switch kind {
	case "tool-calls-chunk":
		return s.addCallPiece(o)
	case "stream-end":
		whole, _ = rawjson.ReadObject(o.Get("response"))
	}
	if whole.Has("tool_calls") || whole.Has("toolCalls") {
		s.calls = &chunk.Partial{}
	}
	if s.planned && kind == "tool-calls-generation" {
		o = o.Without("text") // What the model says before it calls tools.
	}
	return s.Apply(events, prefixFirst+kind, o)
}

// addCallPiece adds to the calls, or to what the model says before them.
func (s *stream) addCallPiece(o rawjson.Object) bool {
	_, value := o.Find("tool_call_delta")
	delta, ok := rawjson.ReadObject(value)
	for _, text := range []json.RawMessage{o.Get("text"), delta.Get("text")} {
		if text != nil {
			s.planned, ok = true, true
			s.Answer.Grow("text", text)
		}
	}
	if i, indexed := delta.Index("index"); indexed || delta.Has("name") || delta.Has("parameters") {
		s.calls.At(i).GrowAll(delta, "text", "index", "parameters")
		s.calls.At(i).Key("parameters").GrowArguments(delta.Get("parameters"))
	}
	return ok
}
