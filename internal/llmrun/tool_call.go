package llmrun

import (
	"encoding/json"
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
	list, ok := readArray(raw)
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
	o, _ := readObject(raw)
	b := Block{Type: BlockToolCall}
	style, taken := callFlat, []string{"id"}
	if isObject(o.get("function")) {
		style = callFunction
	}
	if style != usual {
		b.Layout.put(layoutCall, quote(string(style)))
	}
	if !b.take("id", o.get("id")) {
		taken = nil
	}
	if style == callFunction {
		taken = append(taken, "function")
		if rest := b.takeFunction(o.get("function")); rest != nil {
			b.Extras.put("function", object(nil).withAll(rest).encode())
		}
	} else {
		for _, field := range []string{"name", "args"} {
			if b.take(field, o.get(field)) {
				taken = append(taken, field)
			}
		}
	}
	switch kind, ok := o.text("type"); {
	case !o.has("type"):
		b.Layout.put(layoutType, noteAbsent)
	case ok && kind == string(style):
		taken = append(taken, "type")
	}
	for key, value := range o.rest(taken...) {
		b.Extras.put(key, value)
	}
	return b
}

// takeFunction reads {"name","arguments"} and returns what is left: arguments stay as they are unless they are the text
// of an object, and then they keep every byte.
func (b *Block) takeFunction(raw json.RawMessage) Extras {
	o, _ := readObject(raw)
	var taken []string
	if b.take("name", o.get("name")) {
		taken = append(taken, "name")
	}
	if text, ok := o.text("arguments"); ok && json.Valid([]byte(text)) && isObject([]byte(text)) {
		b.Args, taken = json.RawMessage(text), append(taken, "arguments")
	}
	return o.rest(taken...)
}

// buildCall writes an entry of tool_calls.
func buildCall(b *Block, usual callStyle) json.RawMessage {
	style := usual
	if note, ok := readString(b.Layout[layoutCall]); ok {
		style = callStyle(note)
	}
	o := make(object, 0, 4)
	o = o.withText("id", b.ID)
	if _, ok := b.Extras["type"]; !ok && !b.Layout.is(layoutType, "absent") {
		o = o.with("type", quote(string(style)))
	}
	extras := b.Extras
	if style == callFunction {
		o = o.with("function", buildFunction(b))
		extras = extras.without("function")
	} else {
		o = o.withText("name", b.Name).withRaw("args", b.Args)
	}
	return o.withAll(extras).encode()
}

// buildFunction writes {"name","arguments"}.
func buildFunction(b *Block) json.RawMessage {
	o := object(nil).withText("name", b.Name)
	if b.Args != nil {
		o = o.with("arguments", quote(string(b.Args)))
	}
	rest, _ := readObject(b.Extras["function"])
	return append(o, rest...).encode()
}
