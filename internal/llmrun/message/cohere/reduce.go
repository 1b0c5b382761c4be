package cohere

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// events are those of version 2, firstEvents those of version 1.
var (
	events = []string{
		"message-start", "content-start", "content-delta", "content-end", "tool-plan-delta", "tool-call-start", "tool-call-delta",
		"tool-call-end",
		"citation-start", "citation-end", "message-end",
	}
	firstEvents = []string{
		"stream-start", "search-queries-generation", "search-results", "text-generation", "citation-generation", "tool-calls-generation",
		"tool-calls-chunk", "stream-end",
	}
)

// firstEvent returns the type of an event of version 1, which has its own member for it.
func firstEvent(o rawjson.Object) string {
	kind, ok := o.Text("event_type")
	if !ok {
		kind, _ = o.Text("eventType")
	}
	return kind
}

// IsChunk says whether an object is an event of either version. Another SDK also has events named tool-call-delta.
func IsChunk(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	return slices.Contains(events, kind) && !o.Has("toolCallId") || slices.Contains(firstEvents, firstEvent(o))
}

// deltas are what the members of a message do in version 2, whose calls have two spellings.
var deltas = func() chunk.Table {
	rules := map[string][]chunk.Rule{}
	for _, key := range []string{"content", "tool_calls", "toolCalls", "citations"} {
		rules[key] = []chunk.Rule{{From: "delta.message." + key, To: "message." + key + "[index]", How: chunk.Join}}
	}
	return chunk.NewTable(rules, nil)
}()

// Reduce combines the events of a chat into its answer: {"message":{"content":[…]}} in version 2, {"text"} in version 1.
// The members keep the spelling of the SDK.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := stream{calls: &chunk.Partial{}}
	s.Read(chunks, s.add)
	if !s.calls.IsEmpty() {
		s.Answer.Set("tool_calls", s.calls.Encode())
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
	switch {
	case !slices.Contains(events, kind) || !isMessage && delta.Has("message"):
		return false
	case kind == "message-start":
		s.Answer.Add(o, "type", "delta", "message")
		s.message().Add(message)
	case kind == "message-end":
		s.Answer.Add(o, "type", "delta", "message")
		s.Answer.Add(delta, chunk.Error, "message")
		if failure := delta.Get(chunk.Error); failure != nil && !rawjson.IsNull(failure) {
			s.Fail(failure)
		}
	default:
		return s.addDelta(message, o)
	}
	return true
}

func (s *stream) message() *chunk.Partial {
	message := s.Answer.Object("message")
	if message.IsEmpty() {
		message.Set("role", rawjson.Quote("assistant"))
	}
	return message
}

// addDelta adds a piece of content, of a plan, of a call, or a citation.
func (s *stream) addDelta(message, o rawjson.Object) bool {
	known := len(message) == 0
	for _, m := range message {
		if !rawjson.IsObject(m.Value) {
			s.message().Grow(m.Key, m.Value) // The plan.
			known = true
		} else if o.Has("index") {
			s.message()
			known = deltas.Apply(&s.Answer, m.Key, o) || known
		}
	}
	if logprobs := o.Get("logprobs"); known && logprobs != nil && !rawjson.IsNull(logprobs) {
		s.Answer.Extend("logprobs", logprobs)
	}
	return known
}

// addFirst adds an event of version 1.
func (s *stream) addFirst(kind string, o rawjson.Object) bool {
	switch kind {
	case "text-generation":
		if text := o.Get("text"); text != nil {
			s.Answer.Grow("text", text)
		}
		return o.Has("text")
	case "stream-end":
		answer, _ := rawjson.ReadObject(o.Get("response"))
		s.Answer.Add(o, "event_type", "eventType", "is_finished", "isFinished", "response")
		s.Answer.Add(answer)
		if answer.Has("tool_calls") || answer.Has("toolCalls") {
			s.calls = &chunk.Partial{}
		}
		return true
	case "tool-calls-chunk":
		return s.addCallPiece(o)
	}
	for _, m := range o {
		switch m.Key {
		case "event_type", "eventType", "is_finished", "isFinished":
		case "text": // What the model says before it calls tools.
			if !s.planned {
				s.Answer.Grow(m.Key, m.Value)
			}
		case "tool_calls", "toolCalls":
			s.calls = &chunk.Partial{}
			s.Answer.Grow(m.Key, m.Value)
		default:
			if rawjson.IsArray(m.Value) {
				s.Answer.Grow(m.Key, m.Value)
			} else {
				s.Answer.Set(m.Key, m.Value)
			}
		}
	}
	return slices.Contains(firstEvents, kind)
}

// addCallPiece adds to the calls, or to what the model says before them.
func (s *stream) addCallPiece(o rawjson.Object) bool {
	delta, ok := rawjson.ReadObject(o.Get("tool_call_delta"))
	if !ok {
		delta, ok = rawjson.ReadObject(o.Get("toolCallDelta"))
	}
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
