package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// callStyle is how an entry of tool_calls is written.
type callStyle string

const (
	// callFunction is {"id","type":"function","function":{"name","arguments"}}, with the arguments as a JSON text.
	callFunction callStyle = "function"
	// callFlat is {"id","type":"tool_call","name","args"}, with the arguments as an object.
	callFlat callStyle = "tool_call"
)

// Layout keys of a call.
const (
	// layoutCall is the style of an entry when that isn't the usual one where it stands.
	layoutCall = "call"
	// layoutType is noteAbsent when an entry has no type.
	layoutType = "type"
)

// parseCalls reads a non-empty list of tool calls. The usual style is the one that needs no note.
func parseCalls(raw json.RawMessage, usual callStyle) ([]Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 || !allObjects(list) {
		return nil, false
	}
	calls := make([]Block, len(list))
	for i, raw := range list {
		calls[i] = parseCall(raw, usual)
		calls[i].Layout.put(layoutPlace, noteToolCalls)
	}
	return calls, true
}

var noteToolCalls = json.RawMessage(`"tool_calls"`)

func parseCall(raw json.RawMessage, usual callStyle) Block {
	o, _ := rawjson.ReadObject(raw)
	b := Block{Type: BlockToolCall}
	style, taken := callFlat, []string{"id"}
	if rawjson.IsObject(o.Get("function")) {
		style = callFunction
	}
	if style != usual {
		b.Layout.put(layoutCall, rawjson.Quote(string(style)))
	}
	if !b.take("id", o.Get("id")) {
		taken = nil
	}
	if style == callFunction {
		taken = append(taken, "function")
		if rest := b.takeFunction(o.Get("function")); rest != nil {
			b.Extras.Put("function", rawjson.Object(nil).WithAll(rest).Encode())
		}
	} else {
		for _, field := range []string{"name", "args"} {
			if b.take(field, o.Get(field)) {
				taken = append(taken, field)
			}
		}
	}
	switch kind, ok := o.Text("type"); {
	case !o.Has("type"):
		b.Layout.put(layoutType, noteAbsent)
	case ok && kind == string(style):
		taken = append(taken, "type")
	}
	for key, value := range o.Rest(taken...) {
		b.Extras.Put(key, value)
	}
	return b
}

// takeFunction reads {"name","arguments"} and returns what is left: arguments stay as they are unless they are the text
// of an object, and then they keep every byte.
func (b *Block) takeFunction(raw json.RawMessage) Extras {
	o, _ := rawjson.ReadObject(raw)
	var taken []string
	if b.take("name", o.Get("name")) {
		taken = append(taken, "name")
	}
	if text, ok := o.Text("arguments"); ok && json.Valid([]byte(text)) && rawjson.IsObject([]byte(text)) {
		b.Args, taken = json.RawMessage(text), append(taken, "arguments")
	}
	return o.Rest(taken...)
}

// buildCall writes an entry of tool_calls.
func buildCall(b *Block, usual callStyle) json.RawMessage {
	style := usual
	if note, ok := rawjson.ReadString(b.Layout[layoutCall]); ok {
		style = callStyle(note)
	}
	o := make(rawjson.Object, 0, 4)
	o = o.WithText("id", b.ID)
	if _, ok := b.Extras["type"]; !ok && !b.Layout.is(layoutType, "absent") {
		o = o.With("type", rawjson.Quote(string(style)))
	}
	extras := b.Extras
	if style == callFunction {
		o = o.With("function", buildFunction(b))
		extras = extras.Without("function")
	} else {
		o = o.WithText("name", b.Name).WithRaw("args", b.Args)
	}
	return o.WithAll(extras).Encode()
}

// buildFunction writes {"name","arguments"}.
func buildFunction(b *Block) json.RawMessage {
	o := rawjson.Object(nil).WithText("name", b.Name)
	if b.Args != nil {
		o = o.With("arguments", rawjson.Quote(string(b.Args)))
	}
	rest, _ := rawjson.ReadObject(b.Extras["function"])
	return append(o, rest...).Encode()
}
