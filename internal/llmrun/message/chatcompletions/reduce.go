package chatcompletions

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// IsChunk reports whether an object is a chunk of a chat completion, or an event of a conversation.
func IsChunk(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	return rawjson.IsArray(o.Get("choices")) || isEvent(kind)
}

// Reduce combines chunks of chat completions into a completion: {"choices":[{"message":{…}}]}. For members in several
// chunks, the last value that isn't null counts, such as the usage of the last chunk. Names in camel case, which the SDK of
// one provider has, stay as they are.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := stream{calls: map[int]calls{}}
	s.Read(chunks, s.add)
	if name, _ := rawjson.ReadString(s.Answer.Get("object")); name == "chat.completion.chunk" {
		s.Answer.Set("object", rawjson.Quote("chat.completion"))
	}
	for _, choice := range s.Answer.Key("choices").All() {
		if choice.Has("text") && !choice.Has("message") {
			continue // A completion has a text instead of a message.
		}
		choice.Object("message").Precede(rawjson.Of("role", rawjson.Quote("assistant")).With("content", json.RawMessage("null")))
	}
	return s.Finish("chat_completions")
}

type stream struct {
	chunk.Stream
	calls map[int]calls // the calls of the choices
}

func (s *stream) add(o rawjson.Object) bool {
	if kind, _ := o.Text("type"); isEvent(kind) {
		return s.addEvent(kind, o)
	}
	if failure := o.Get(chunk.Error); failure != nil && !rawjson.IsNull(failure) && !o.Has("choices") {
		return s.Fail(failure)
	}
	choices, ok := rawjson.ReadArray(o.Get("choices"))
	if !ok || !rawjson.AllObjects(choices) {
		return false
	}
	s.Answer.Add(o, "choices")
	for i, piece := range chunk.Indexed(choices) {
		index, _ := json.Marshal(i)
		s.addChoice(i, s.Answer.List("choices").At(i, rawjson.Of("index", index)...), piece)
	}
	return true
}

func (s *stream) addChoice(i int, choice *chunk.Partial, o rawjson.Object) {
	for _, m := range o {
		delta, isObject := rawjson.ReadObject(m.Value)
		switch {
		case isObject && (m.Key == "delta" || m.Key == "message"):
			s.addDelta(i, choice.Object("message"), delta)
		case m.Key == "text" || m.Key == "logprobs":
			choice.Grow(m.Key, m.Value)
		case m.Key == "message":
			choice.Grow("delta", m.Value) // Its place is that of an object.
		default:
			choice.Set(m.Key, m.Value)
		}
	}
}

func (s *stream) addDelta(i int, message *chunk.Partial, delta rawjson.Object) {
	for _, m := range delta {
		list, _ := rawjson.ReadArray(m.Value)
		audio, isObject := rawjson.ReadObject(m.Value)
		switch {
		case (m.Key == "tool_calls" || m.Key == "toolCalls") && len(list) > 0 && rawjson.AllObjects(list):
			if s.calls[i] == nil {
				s.calls[i] = calls{}
			}
			for _, raw := range list {
				o, _ := rawjson.ReadObject(raw)
				s.calls[i].find(message.Key(m.Key), o).GrowAll(o, "index")
			}
		case m.Key == "audio" && isObject && message.Object(m.Key) != nil:
			message.Object(m.Key).GrowAll(audio, "data")
			message.Key(m.Key).Key("data").GrowData(audio.Get("data")) // Each piece is in base64.
		case m.Key == "content" && isObject:
			message.Grow(m.Key, rawjson.EncodeArray([]json.RawMessage{m.Value}))
		default:
			message.Grow(m.Key, m.Value)
		}
	}
}

// calls are the tool calls of a choice: the last one of each index, of each ID, of both, and of all.
type calls map[position]*call

// position is an index, -1 if there is none, and an ID.
type position struct {
	index int
	id    string
}

// call is a tool call. Some services omit the index; then an ID starts a call.
type call struct {
	position
	own *chunk.Partial
}

// mostCalls is the number of calls with an index that have their own places in the list.
const mostCalls = 1 << 20

// find returns the call in a list to which a piece belongs.
func (c calls) find(list *chunk.Partial, o rawjson.Object) *chunk.Partial {
	i, indexed := o.Index("index")
	if !indexed {
		i = -1
	}
	id, _ := o.Text("id")
	found := c[position{i, id}]
	if last := c[position{i, ""}]; found == nil && indexed && last != nil && last.id == "" {
		found = last // Some services name a call late, others start every call at index 0.
	}
	if found == nil {
		list.End()
		at := max(i, 0)
		found = &call{position{at, id}, list.At(min(at, mostCalls)*mostCalls + len(c))}
	} else if found.id == "" {
		found.id = id
	}
	for _, p := range []position{found.position, {found.index, ""}, {-1, found.id}, {-1, ""}} {
		c[p] = found
	}
	return found.own
}

//go:embed stream.txt
var streamText string

// events are those of a conversation. The type of an entry is that of its events, without what they do.
var events = chunk.NewTable(streamText, func(_ string, event rawjson.Object) rawjson.Object {
	kind, _ := event.Text("type")
	return rawjson.Of("object", rawjson.Quote("entry")).With("type", rawjson.Quote(kind[:strings.LastIndexByte(kind, '.')]))
})

// prefixConversation begins the names of the events about a whole conversation.
const prefixConversation = "conversation.response."

func isEvent(kind string) bool {
	return events.Has(kind) || strings.HasPrefix(kind, prefixConversation)
}

func (s *stream) addEvent(kind string, o rawjson.Object) bool {
	known := s.Apply(events, kind, o)
	if known && kind != prefixConversation+"error" {
		s.Answer.Set("object", rawjson.Quote("conversation.response"))
		s.Answer.List("outputs")
	}
	return known
}
