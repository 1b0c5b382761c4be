package responses

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// IsChunk says whether an object is an event of a response, of a realtime session, or of a model of the Agents SDK.
func IsChunk(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	return strings.HasPrefix(kind, "response.") || strings.HasPrefix(kind, itemEvent) || agentEvents[kind]
}

// itemEvent begins the names of the events about an item of a realtime session, which may be the user's.
const itemEvent = "conversation.item."

// agentEvents are the events of the Agents SDK, which has them beside those of the model.
var agentEvents = map[string]bool{"response_started": true, "output_text_delta": true, "response_done": true}

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
	// stated says whether the response has come as a whole, ended whether in its last state.
	stated, ended bool
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
		return s.Fail(chunk.Without(o, "type", "sequence_number").Encode())
	case isState:
		if !rawjson.IsObject(o.Get("response")) || s.ended {
			return false
		}
		s.Answer.Complete(o.Get("response"))
		s.stated, s.ended = true, end
		return true
	case kind == itemEvent+"input_audio_transcription.delta" && !o.Has("delta"):
		return true // It may be absent.
	case strings.HasPrefix(kind, itemEvent):
		return events.Apply(&s.Answer, kind, append(slices.Clone(o), rawjson.Member{Key: "output_index", Value: s.place(o)}))
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
	return events.Apply(&s.Answer, kind, o)
}

// isProgress says whether an event only reports the progress of a server's tool, the status of its item.
func isProgress(name, step string) bool {
	isTool := strings.HasSuffix(name, "_call") || name == "response.mcp_list_tools" || name == "response.compaction"
	steps := []string{"in_progress", "searching", "interpreting", "generating", "compacting", "completed", "failed"}
	return isTool && slices.Contains(steps, step)
}

// Places of parts.
const (
	item    = "output[output_index:message]"
	content = item + ".content[content_index:"
	spoken  = "output[output_index|0:message].content[content_index|0:output_audio]."
	summary = "output[output_index:reasoning].summary[summary_index"
	said    = item + ".content[content_index|0:input_audio].transcript"
)

// pieces are the texts that arrive in pieces: the events, the place, and the member in which the last event repeats the whole.
var pieces = []struct{ event, place, whole string }{
	{"output_text", content + "output_text].text", "text"},
	{"text", content + "text].text", "text"}, // Realtime sessions before their general release.
	{"refusal", content + "refusal].refusal", "refusal"},
	{"output_audio_transcript", spoken + "transcript", "transcript"},
	{"audio_transcript", item + ".content[content_index|0:audio].transcript", "transcript"},
	{"audio.transcript", spoken + "transcript", ""},
	{"reasoning_text", "output[output_index:reasoning].content[content_index:reasoning_text].text", "text"},
	{"reasoning_summary_text", summary + ":summary_text].text", "text"},
	{"function_call_arguments", "output[output_index:function_call].arguments", "arguments"},
	{"mcp_call_arguments", "output[output_index:mcp_call].arguments", "arguments"},
	{"custom_tool_call_input", "output[output_index:custom_tool_call].input", "input"},
	{"code_interpreter_call_code", "output[output_index:code_interpreter_call].code", "code"},
	{"shell_call_command", "output[output_index:shell_call].action.commands[command_index]", "command"},
}

// events are what events do with the response.
var events = func() chunk.Table {
	const (
		output = "output[output_index:shell_call_output].output[command_index]"
		image  = "output[output_index:image_generation_call].result"
	)
	rules := map[string][]chunk.Rule{
		"response.output_item.added":            {{From: "item", To: "output[output_index]", How: chunk.Begin}},
		"response.output_item.done":             {{From: "item", To: "output[output_index]", How: chunk.Complete}},
		"response.content_part.added":           {{From: "part", To: content + "]", How: chunk.Begin}},
		"response.content_part.done":            {{From: "part", To: content + "]", How: chunk.Complete}},
		"response.reasoning_summary_part.added": {{From: "part", To: summary + "]", How: chunk.Begin}},
		"response.reasoning_summary_part.done":  {{From: "part", To: summary + "]", How: chunk.Complete}},
		"response.output_text.annotation.added": {{From: "annotation", To: content + "output_text].annotations", How: chunk.Append}},
		"response.output_audio.delta":           {{From: "delta", To: spoken + "audio", How: chunk.Data}},
		"response.output_audio.done":            {}, // Audio isn't repeated.
		"response.audio.delta":                  {{From: "delta", To: spoken + "data", How: chunk.Data}},
		"response.audio.done":                   {},
		// Each image is a sharper version of the whole.
		"response.image_generation_call.partial_image": {{From: "partial_image_b64", To: image, How: chunk.Whole}},
		"response.shell_call_command.added":            {{From: "command", To: "output[output_index:shell_call].action.commands[command_index]"}},
		"response.shell_call_output_content.delta":     {{From: "delta", To: output, How: chunk.Join}},
		"response.shell_call_output_content.done":      {{From: "output", To: output, How: chunk.Renew}},
		"output_text_delta":                            {{From: "delta", To: "output[0:message].content[0:output_text].text"}},

		itemEvent + "input_audio_transcription.delta":     {{From: "delta", To: said}},
		itemEvent + "input_audio_transcription.segment":   {{From: "text", To: said}},
		itemEvent + "input_audio_transcription.completed": {{From: "transcript", To: said, How: chunk.Whole}},
	}
	for _, event := range []string{"added", "created", "done", "retrieved"} {
		rules[itemEvent+event] = []chunk.Rule{{From: "item", To: "output[output_index]", How: chunk.Complete}}
	}
	for _, p := range pieces {
		around := p.place[:strings.LastIndexAny(p.place, ".]")+1]
		rules["response."+p.event+".delta"] = []chunk.Rule{
			{From: "delta", To: p.place}, {From: "logprobs", To: around + "logprobs", How: chunk.Grow},
		}
		if rules["response."+p.event+".done"] = []chunk.Rule{}; p.whole == "" {
			continue
		}
		rules["response."+p.event+".done"] = []chunk.Rule{
			{From: p.whole, To: p.place, How: chunk.Whole}, {From: "name", To: around + "name", How: chunk.Set},
			{From: "logprobs", To: around + "logprobs", How: chunk.Set},
		}
	}
	return chunk.NewTable(rules, begin)
}()

// begin returns the beginning of an item, or of a part, that hasn't been announced.
func begin(kind string, event rawjson.Object) rawjson.Object {
	o := chunk.Typed(kind)
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
