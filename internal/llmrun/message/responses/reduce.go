package responses

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// IsChunk recognizes an event of a response, of a realtime session, or of a model of the Agents SDK, which has events of its own beside those
// of the model.
var IsChunk = shape.Named("responses_chunk")

// itemEvent begins the names of the events about an item of a realtime session, which may be the user's.
const itemEvent = "conversation.item."

// states are the events with the whole response. After one that ends it, nothing changes.
var states = map[string]bool{
	"response.created": false, "response.queued": false, "response.in_progress": false,
	"response.completed": true, "response.incomplete": true, "response.failed": true, "response.done": true, "response_done": true,
}

// Reduce combines the events of the responses format, or of a response in a realtime session, into the response. The last
// event of a stream contains the whole response; a truncated stream results in the last state of the response, with the
// items that have arrived.
func Reduce(events []json.RawMessage) (json.RawMessage, error) {
	s := stream{done: map[int]bool{}, places: map[string]int{}}
	s.Read(events, s.add)
	if s.Understood() {
		if !s.stated {
			s.Answer.Set("object", rawjson.Quote("response"))
		}
		s.Answer.List("output")
	}
	return s.Finish("responses")
}

type stream struct {
	chunk.Stream
	stated, ended bool // stated says whether the response has come as a whole, ended whether in its last state
	// done are the items that are complete; places are the indices of those with an ID.
	done   map[int]bool
	places map[string]int
}

func (s *stream) add(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	end, isState := states[kind]
	switch {
	case kind == chunk.Error, kind == itemEvent+"input_audio_transcription.failed":
		if failure := o.Get(chunk.Error); failure != nil {
			return s.Fail(failure)
		}
		return s.Fail(o.Without("type", "sequence_number").Encode())
	case isState:
		if !rawjson.IsObject(o.Get("response")) || s.ended {
			return false
		}
		s.Answer.Complete(o.Get("response"))
		s.stated, s.ended = true, end
		return true
	case strings.HasPrefix(kind, itemEvent):
		return s.Apply(events, kind, append(slices.Clone(o), rawjson.Member{Key: "output_index", Value: s.place(o)}))
	default:
		return s.addItemEvent(kind, o)
	}
}

// place returns the index of an item of a session. An item that is none of the response comes before it.
func (s *stream) place(o rawjson.Object) json.RawMessage {
	item, _ := rawjson.ReadObject(o.Get("item"))
	id, ok := item.Text("id")
	if !ok {
		id, _ = o.Text("item_id")
	}
	at, ok := s.places[id]
	if !ok {
		at = math.MinInt + len(s.places)
		s.places[id] = at
	}
	index, _ := json.Marshal(at)
	return index
}

func (s *stream) addItemEvent(kind string, o rawjson.Object) bool {
	i, _ := o.Index("output_index")
	item, isItem := rawjson.ReadObject(o.Get("item"))
	if id, ok := item.Text("id"); ok && o.Has("output_index") {
		if before, ok := s.places[id]; ok && before != i {
			s.Answer.Key("output").Remove(before)
		}
		s.places[id] = i
	}
	name, step := kind[:max(0, strings.LastIndexByte(kind, '.'))], kind[strings.LastIndexByte(kind, '.')+1:]
	switch {
	case !events.Has(kind) && !isProgress(name, step):
		return kind == "response_started" || kind == "model" // The provider's event, which the others repeat.
	case s.ended:
		return false
	case kind != "response.output_item.done" && s.done[i]:
		return true // The complete item contains it.
	case !events.Has(kind):
		if item := s.Answer.Key("output").Element(i); item != nil && item.Has("status") {
			item.Set("status", rawjson.Quote(step))
		}
		return true
	}
	s.done[i] = s.done[i] || isItem && kind == "response.output_item.done"
	return s.Apply(events, kind, o)
}

// isProgress reports whether an event only reports the progress of a server's tool, the status of its item.
func isProgress(name, step string) bool {
	isTool := strings.HasSuffix(name, "_call") || name == "response.mcp_list_tools" || name == "response.compaction"
	steps := []string{"in_progress", "searching", "interpreting", "generating", "compacting", "completed", "failed"}
	return isTool && slices.Contains(steps, step)
}

//go:embed stream.txt
var streamText string

var events = chunk.NewTable(streamText, begin)

// begin returns the beginning of an item, or of a part, that hasn't been announced.
func begin(kind string, event rawjson.Object) rawjson.Object {
	o := rawjson.Typed(kind)
	if kind != "message" && kind != "reasoning" && !strings.Contains(kind, "_call") {
		return o
	}
	o = o.WithRaw("id", event.Get("item_id")).WithRaw("call_id", event.Get("call_id"))
	if name, _ := event.Text("type"); kind == "message" && strings.HasPrefix(name, itemEvent) {
		return o.With("role", rawjson.Quote("user"))
	} else if kind == "message" {
		return o.With("role", rawjson.Quote("assistant"))
	}
	return o
}
