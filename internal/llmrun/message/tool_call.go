package message

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// callStyle is the form of an entry in tool_calls.
type callStyle string

const (
	// callFunction is {"id","type":"function","function":{"name","arguments"}}, with the arguments as a JSON string.
	callFunction callStyle = "function"
	// callFlat is {"id","type":"tool_call","name","args"}, with the arguments as an object.
	callFlat callStyle = "tool_call"
	// callCustom is {"id","type":"custom","custom":{"name","input"}}, with a string as the input.
	callCustom callStyle = kindCustom
)

// Layout keys of a call.
const (
	// layoutCall is the style of an entry if it isn't the usual one there.
	layoutCall = "call"
	// layoutType is noteAbsent if an entry has no type.
	layoutType = "type"
	// layoutArguments is noteObject if the arguments are an object and not a JSON string.
	layoutArguments = "arguments"
	// layoutCalls is the whole list of calls of a message that also has some of them in its content.
	layoutCalls = "calls"
)

var noteObject = json.RawMessage(`"object"`)

// kindCustom is the type of a call of a tool with a string as its input, under keyCustom with its name.
const (
	kindCustom = "custom"
	keyCustom  = "custom"
)

// addCalls reads the calls beside the content. Some clients log each call twice: as the provider's block, and in a form
// common to all providers. Such a call becomes one block, with the arguments of the latter if the block has none yet.
func (m *Message) addCalls(raw json.RawMessage, usual callStyle) bool {
	calls, ok := parseCalls(raw, usual)
	if !ok {
		return false
	}
	known := map[string]int{}
	for i := range m.Content {
		if b := &m.Content[i]; b.Type == BlockToolCall && b.ID != nil {
			known[*b.ID] = i
		}
	}
	for i := range calls {
		call := &calls[i]
		if call.ID != nil {
			if j, twice := known[*call.ID]; twice && m.Content[j].repeats(call) {
				m.Layout.put(layoutCalls, raw)
				continue
			}
		}
		m.Content = append(m.Content, *call)
	}
	return true
}

// repeats says whether another block is the same call, and copies from it what this one lacks.
func (b *Block) repeats(call *Block) bool {
	sameName := b.Name != nil && call.Name != nil && *b.Name == *call.Name
	said := b.Args != nil && !rawjson.IsVoid(b.Args)
	if !sameName || len(call.Extras) > 0 || said && call.Args != nil && !sameJSON(b.Args, call.Args) {
		return false
	}
	if said || call.Args == nil || sameJSON(b.Args, call.Args) {
		return true
	}
	if b.Layout[layoutRaw] == nil {
		return false // The block would be written back with them.
	}
	b.Args = call.Args
	return true
}

// sameJSON says whether two values differ only in white space and the order of keys.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// parseCalls reads a non-empty list of tool calls. The usual style needs no note.
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
	kind, typed := o.Text("type")
	switch {
	case rawjson.IsObject(o.Get("function")):
		style = callFunction
	case kind == kindCustom && rawjson.IsObject(o.Get(keyCustom)):
		style = callCustom
	}
	if style != usual {
		b.Layout.put(layoutCall, rawjson.Quote(string(style)))
	}
	if !b.take("id", o.Get("id")) {
		taken = nil
	}
	switch style {
	case callFunction, callCustom:
		key := string(style)
		taken = append(taken, key)
		if rest := b.takeFunction(o.Get(key)); rest != nil {
			b.Extras.Put(key, rawjson.Object(nil).WithAll(rest).Encode())
		}
	case callFlat:
		for _, field := range []string{"name", "args"} {
			if b.take(field, o.Get(field)) {
				taken = append(taken, field)
			}
		}
	}
	switch {
	case !o.Has("type"):
		b.Layout.put(layoutType, noteAbsent)
	case typed && kind == string(style) && style != callCustom: // The type of a custom tool distinguishes it from a function.
		taken = append(taken, "type")
	}
	for key, value := range o.Rest(taken...) {
		b.Extras.Put(key, value)
	}
	return b
}

// takeFunction reads {"name","arguments"} and returns the rest: arguments stay there unless they are an object or the text
// of one; if they are, they keep every byte.
func (b *Block) takeFunction(raw json.RawMessage) Extras {
	o, _ := rawjson.ReadObject(raw)
	var taken []string
	if b.take("name", o.Get("name")) {
		taken = append(taken, "name")
	}
	arguments := o.Get("arguments")
	if text, ok := rawjson.ReadString(arguments); ok && json.Valid([]byte(text)) && rawjson.IsObject([]byte(text)) {
		b.Args, taken = json.RawMessage(text), append(taken, "arguments")
	} else if rawjson.IsObject(arguments) {
		b.Args, taken = arguments, append(taken, "arguments")
		b.Layout.put(layoutArguments, noteObject)
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
	switch style {
	case callFunction, callCustom:
		key := string(style)
		o = o.With(key, buildFunction(b, key))
		extras = extras.Without(key)
	case callFlat:
		o = o.WithText("name", b.Name).WithRaw("args", b.Args)
	}
	return o.WithAll(extras).Encode()
}

// buildFunction writes {"name","arguments"}, with the other members in the extra of a key.
func buildFunction(b *Block, key string) json.RawMessage {
	o := rawjson.Object(nil).WithText("name", b.Name).WithRaw("arguments", argumentsText(b))
	rest, _ := rawjson.ReadObject(b.Extras[key])
	return append(o, rest...).Encode()
}

// argumentsText returns the arguments as a JSON string, unless they were an object.
func argumentsText(b *Block) json.RawMessage {
	switch {
	case b.Args == nil, b.Layout.is(layoutArguments, "object"):
		return b.Args
	default:
		return rawjson.Quote(string(b.Args))
	}
}
