package otlp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// newToken is the event for the start of a streamed answer.
const newToken = "new_token"

// tokenEvents are other names for it.
var tokenEvents = []string{"First Token Stream Event", "ai.stream.firstChunk", "llm.content.completion.chunk"}

// said is what the events of a span contain.
type said struct {
	inputs, outputs []json.RawMessage // Messages.
	// prompt and completion are whole inputs and outputs.
	prompt, completion json.RawMessage
	// details are attributes that are in an event because they are too large for the span.
	details   attributes
	other     attributes // Of events that aren't known.
	exception string
	kept      []json.RawMessage
}

// readEvents separates events about the content of a call from all others, which are kept.
func readEvents(events []*trace.Span_Event) said {
	s := said{other: attributes{}}
	answered := false
	for _, event := range events {
		a := newAttributes(event.GetAttributes())
		name := event.GetName()
		switch {
		case name == "gen_ai.client.inference.operation.details":
			s.details = a
		case name == "gen_ai.content.prompt":
			if prompt := a.payload("gen_ai.prompt"); prompt != nil {
				s.prompt = prompt
			}
		case name == "gen_ai.content.completion":
			if completion := a.payload("gen_ai.completion"); completion != nil {
				s.completion = completion
			}
		case name == "gen_ai.choice":
			answered = true
			s.outputs = append(s.outputs, a.choice())
		case isMessageEvent(name):
			m := a.eventMessage(roleOf(name))
			if answered {
				s.outputs = append(s.outputs, m)
			} else {
				s.inputs = append(s.inputs, m)
			}
		default:
			if name == "exception" {
				s.exception = a.exception()
			} else {
				for key, value := range a {
					s.other[name+"."+key] = value
				}
			}
			s.kept = append(s.kept, keptEvent(event))
		}
	}
	return s
}

// list reads the events that one program writes into an attribute, each with its name among its fields.
func (s *said) list(events json.RawMessage) {
	list, _ := rawjson.ReadArray(events)
	for _, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		name, _ := o.Text("event.name")
		fields := rawjson.Object(nil).WithAll(o.Rest("event.name", "gen_ai.message.index", "gen_ai.system"))
		a := attributes{"gen_ai.event.content": textValue(string(fields.Encode()))}
		switch {
		case name == "gen_ai.choice":
			s.outputs = append(s.outputs, a.choice())
		case isMessageEvent(name):
			s.inputs = append(s.inputs, a.eventMessage(roleOf(name)))
		}
	}
}

// roleOf returns the role in the name of a message's event.
func roleOf(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "gen_ai."), ".message")
}

func isMessageEvent(name string) bool {
	return slices.Contains([]string{
		"gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message",
	}, name)
}

// eventMessage returns the message of an event. Its role defaults to that in the event's name.
func (a attributes) eventMessage(role string) json.RawMessage {
	if whole := a.payload("gen_ai.event.content"); rawjson.IsObject(whole) {
		o, _ := rawjson.ReadObject(whole)
		if !o.Has("role") {
			o = append(rawjson.Of("role", rawjson.Quote(role)), o...)
		}
		return renamed(o, "id", "tool_call_id").Encode()
	}
	a.drop("gen_ai.system", "gen_ai.provider.name")
	if !a.has("role") {
		a["role"] = textValue(role)
	}
	if id := a["id"]; id != nil && !a.has("tool_call_id") {
		a["tool_call_id"] = id
		delete(a, "id")
	}
	return a.object(pathLevels)
}

// choice returns the answer of a model.
func (a attributes) choice() json.RawMessage {
	a.drop("gen_ai.system", "gen_ai.provider.name", "index")
	whole := a.payload("gen_ai.event.content", "message")
	if o, is := rawjson.ReadObject(whole); is {
		if inner := o.Get("message"); rawjson.IsObject(inner) {
			whole = inner
			o, _ = rawjson.ReadObject(inner)
		}
		if o.Has("role") {
			return whole
		}
		return append(rawjson.Of("role", rawjson.Quote(document.RoleAssistant)), o...).Encode()
	}
	maps.Copy(a, a.below("message."))
	if whole != nil {
		a["content"] = textValue(textOfJSON(whole))
		if areBlocks(whole) {
			a["content"] = textValue(string(whole))
		}
	}
	if !a.has("role") {
		a["role"] = textValue(document.RoleAssistant)
	}
	return a.object(pathLevels)
}

func textValue(text string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: text}}
}

// renamed renames a member of an object, unless the object has one with the new name.
func renamed(o rawjson.Object, from, to string) rawjson.Object {
	if o.Has(to) {
		return o
	}
	o = slices.Clone(o)
	for i := range o {
		if o[i].Key == from {
			o[i].Key = to
		}
	}
	return o
}

// exception returns the message of an exception, followed by its stack.
func (a attributes) exception() string {
	text := a.peek("exception.message", "exception.type")
	stack := a.peek("exception.stacktrace")
	switch {
	case text == "" || strings.HasPrefix(stack, text):
		return stack
	case stack == "":
		return text
	default:
		return text + "\n\n" + stack
	}
}

func keptEvent(event *trace.Span_Event) json.RawMessage {
	name := event.GetName()
	if slices.Contains(tokenEvents, name) {
		name = newToken
	}
	o := rawjson.Of("name", rawjson.Quote(name))
	if at, valid := timeOf(event.GetTimeUnixNano()); valid {
		o = o.With("time", jsonOfTime(at))
	}
	if len(event.GetAttributes()) > 0 {
		o = o.With("kwargs", appendAttributes(nil, event.GetAttributes()))
	}
	return o.Encode()
}

// firstToken returns the event for an attribute with the seconds from the start to the first streamed token.
func firstToken(start time.Time, seconds float64) (json.RawMessage, bool) {
	if !(seconds >= 0 && seconds < float64(24*time.Hour/time.Second)) {
		return nil, false
	}
	return tokenEvent(start.Add(time.Duration(seconds * float64(time.Second)))), true
}

func tokenEvent(at time.Time) json.RawMessage {
	return rawjson.Of("name", rawjson.Quote(newToken)).With("time", jsonOfTime(at)).Encode()
}
