package message

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// reduceResponses combines the events of the responses format into the response. The last event of a stream contains the
// whole response; a truncated stream results in the last state of the response, with the items that have arrived.
func reduceResponses(events []json.RawMessage) (json.RawMessage, error) {
	s := responsesStream{items: map[int]*streamedItem{}}
	s.read(events, s.add)
	response := newPartial(s.response)
	if s.response == nil && s.understood > 0 {
		response.set("object", rawjson.Quote("response"))
	}
	if output, ok := rawjson.ReadArray(s.response.Get("output")); !ok || len(output) == 0 {
		s.assemble(response)
	}
	if failure := response.get(keyError); !isNullOrAbsent(failure) && s.failure != nil {
		// The response itself says why it failed.
		s.failure = nil
	}
	return s.finish(FormatResponses, response)
}

type responsesStream struct {
	stream
	// response is its last state, ended says whether it is final.
	response rawjson.Object
	ended    bool
	items    map[int]*streamedItem
}

// streamedItem is an item of the output. Once it is done, it is complete.
type streamedItem struct {
	own              *partial
	content, summary series
	done             bool
}

func newStreamedItem(o rawjson.Object) *streamedItem {
	item := &streamedItem{own: newPartial(o), content: series{}, summary: series{}}
	item.content.load(o.Get("content"))
	item.summary.load(o.Get("summary"))
	return item
}

func (s *responsesStream) assemble(response *partial) {
	if s.understood == 0 {
		return
	}
	output := make([]json.RawMessage, 0, len(s.items))
	for _, i := range slices.Sorted(maps.Keys(s.items)) {
		item := s.items[i]
		if len(item.content) > 0 && !item.done {
			item.own.set("content", item.content.encode())
		}
		if len(item.summary) > 0 && !item.done {
			item.own.set("summary", item.summary.encode())
		}
		output = append(output, item.own.encode())
	}
	response.set("output", rawjson.EncodeArray(output))
}

// states are the events with the whole response. After one of the last three, nothing changes.
var states = map[string]bool{
	"response.created": false, "response.queued": false, "response.in_progress": false,
	"response.completed": true, "response.incomplete": true, "response.failed": true,
}

func (s *responsesStream) add(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	if end, ok := states[kind]; ok {
		response, ok := rawjson.ReadObject(o.Get("response"))
		if !ok || s.ended {
			return false
		}
		s.response, s.ended = response, end
		return true
	}
	if kind == keyError {
		failure := o.Get(keyError)
		if failure == nil {
			failure = rawjson.Object(nil).WithAll(o.Rest("type", "sequence_number")).Encode()
		}
		return s.fail(failure)
	}
	event, ok := strings.CutPrefix(kind, "response.")
	i, indexed := o.Index("output_index")
	if !ok || !indexed {
		return false
	}
	return s.addItemEvent(event, i, o)
}

func (s *responsesStream) addItemEvent(event string, i int, o rawjson.Object) bool {
	switch event {
	case "output_item.added", "output_item.done":
		item, ok := rawjson.ReadObject(o.Get("item"))
		done := event == "output_item.done"
		if !ok || s.items[i] != nil && !done {
			return false
		}
		s.items[i] = newStreamedItem(item)
		s.items[i].done = done
		return true
	}
	if isProgress(event) {
		return true
	}
	name, step, _ := strings.Cut(event, ".")
	if change, ok := changes[name]; ok {
		item := s.items[i]
		if item != nil && item.done {
			return true // The completed item contains it.
		}
		if item == nil {
			item = change.begin(o)
		}
		if !change.apply(item, step, o) {
			return false
		}
		s.items[i] = item
		return true
	}
	return false
}

// isProgress says whether an event only reports the progress of a server's tool, which the item also contains.
func isProgress(event string) bool {
	name, step, _ := strings.Cut(event, ".")
	tool := strings.HasSuffix(name, suffixCall) || name == "mcp_list_tools"
	return tool && slices.Contains([]string{"in_progress", "searching", "interpreting", "generating", "completed", "failed"}, step)
}

// change is a family of events that change an item.
type change struct {
	// item is the type of the item.
	item string
	// part is the type of the changed entry in the content or the summary, empty if it is the item itself.
	part string
	// key is the member that a delta extends.
	key string
}

// changes maps names of events to their families. Those about a whole part have no key.
var changes = map[string]change{
	"content_part":               {item: "message", part: kindOutputText},
	"output_text":                {item: "message", part: kindOutputText, key: "text"},
	"refusal":                    {item: "message", part: "refusal", key: "refusal"},
	"reasoning_text":             {item: "reasoning", part: reasoningText, key: "text"},
	"reasoning_summary_part":     {item: "reasoning", part: summaryText},
	"reasoning_summary_text":     {item: "reasoning", part: summaryText, key: "text"},
	"function_call_arguments":    {item: kindFunctionCall, key: "arguments"},
	"mcp_call_arguments":         {item: kindMCPCall, key: "arguments"},
	"custom_tool_call_input":     {item: kindCustomCall, key: "input"},
	"code_interpreter_call_code": {item: "code_interpreter_call", key: "code"},
}

// begin creates the item of an event whose item hasn't been announced.
func (c change) begin(o rawjson.Object) *streamedItem {
	item := rawjson.Of("type", rawjson.Quote(c.item)).WithRaw("id", o.Get("item_id"))
	if c.item == "message" {
		item = item.With("role", rawjson.Quote(RoleAssistant))
	}
	return newStreamedItem(item)
}

func (c change) apply(item *streamedItem, step string, o rawjson.Object) bool {
	target := item.own
	if c.part != "" {
		entries, key := item.content, "content_index"
		if c.part == summaryText {
			entries, key = item.summary, "summary_index"
		}
		i, ok := o.Index(key)
		if !ok {
			return false
		}
		if c.key == "" {
			return setPart(entries, i, step, o.Get("part"))
		}
		target = entries.at(i, rawjson.Member{Key: "type", Value: rawjson.Quote(c.part)})
	}
	switch step {
	case "delta":
		return target.grow(c.key, o.Get("delta"))
	case "done":
		whole := o.Get(c.key)
		if !rawjson.IsString(whole) {
			return false
		}
		target.set(c.key, whole)
		return true
	case "annotation.added":
		annotation := o.Get("annotation")
		if !rawjson.IsObject(annotation) {
			return false
		}
		target.extend("annotations", annotation)
		return true
	default:
		return false
	}
}

// setPart sets a new part, or replaces its pieces with the complete part.
func setPart(entries series, i int, step string, raw json.RawMessage) bool {
	part, ok := rawjson.ReadObject(raw)
	if !ok || step != "done" && entries[i] != nil {
		return false
	}
	entries[i] = newPartial(part)
	return true
}
