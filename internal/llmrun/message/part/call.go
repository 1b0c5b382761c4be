package part

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Forms of an entry in tool_calls, by the member that contains the call.
const (
	// KeyFunction is the member of {"id","type":"function","function":{"name","arguments"}}.
	KeyFunction = "function"
	// KeyCustom is the member of {"id","type":"custom","custom":{"name","input"}}, whose input is a string.
	KeyCustom = "custom"
	// kindFlat is the type of {"id","type":"tool_call","name","args"}.
	kindFlat = document.BlockToolCall
	// kindCall is the type of {"type":"tool-call","toolCallId","toolName","input"}.
	kindCall = "tool-call"
)

// flatMembers are the members of calls that aren't in an object of their own.
var flatMembers = []string{
	"name", "name", "tool_call_id", "id", "tool_name", "name", "input", "input", "args", "input", "parameters", "input",
	"arguments", "input",
}

// AddCalls reads the calls beside the content, and returns the members that it has read.
//
// Some clients log each call twice: as the provider's block, and in a form common to all providers. Such a call becomes one
// block, with the arguments of the latter if the block has none yet.
func AddCalls(m *document.Message, o rawjson.Object) []string {
	key, raw := o.Find("tool_calls")
	calls, ok := Calls(raw)
	if !ok {
		return nil
	}
	known := map[string]int{}
	for i := range m.Content {
		if b := &m.Content[i]; b.Type == document.BlockToolCall && b.ID != nil {
			known[*b.ID] = i
		}
	}
	for i := range calls {
		call := &calls[i]
		if call.ID != nil {
			if j, twice := known[*call.ID]; twice && repeats(&m.Content[j], call) {
				continue
			}
		}
		m.Content = append(m.Content, *call)
	}
	return []string{key}
}

// repeats says whether another block is the same call, and copies from it what this one lacks.
func repeats(b, call *document.Block) bool {
	sameName := b.Name != nil && call.Name != nil && *b.Name == *call.Name
	if !sameName || len(call.Extras) > 0 {
		return false
	}
	if call.Args == nil || SameJSON(b.Args, call.Args) {
		return true
	}
	if b.Args != nil && !rawjson.IsVoid(b.Args) {
		return false
	}
	b.Args = call.Args
	return true
}

// SameJSON says whether two values differ only in white space and the order of keys.
func SameJSON(a, b json.RawMessage) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// Calls reads a non-empty list of tool calls.
func Calls(raw json.RawMessage) ([]document.Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 || !rawjson.AllObjects(list) {
		return nil, false
	}
	calls := make([]document.Block, len(list))
	for i, raw := range list {
		calls[i] = readCall(raw)
	}
	return calls, true
}

// readCall reads an entry of tool_calls. The type of a custom tool stays, because it distinguishes it from a function.
func readCall(raw json.RawMessage) document.Block {
	o, _ := rawjson.ReadObject(raw)
	if inner, ok := rawjson.ReadObject(o.Get(kindFlat)); ok && len(o) == 1 { // OpenInference.
		o = inner
	}
	kind, _ := o.Text("type")
	var b document.Block
	switch {
	case rawjson.IsObject(o.Get(KeyFunction)):
		b = Function(o.Get(KeyFunction))
		addCallRest(&b, o, KeyFunction, kind == KeyFunction)
	case kind == KeyCustom && rawjson.IsObject(o.Get(KeyCustom)):
		b = document.Block{Type: document.BlockToolCall}
		b.TakeWithin(o, KeyCustom, CustomMembers)
		addCallRest(&b, o, KeyCustom, false)
	default:
		b = document.Block{Type: document.BlockToolCall}
		if string(o.Get("providerExecuted")) == "true" {
			b.Type = document.BlockServerToolCall
		}
		taken := b.TakeMembers(o, flatMembers...)
		addCallRest(&b, o, kindFlat, slices.Contains([]string{kindFlat, kindCall, KeyFunction}, kind), taken...)
	}
	return b
}

// addCallRest reads the ID of an entry, and adds the members that haven't been read to the extras.
func addCallRest(b *document.Block, o rawjson.Object, key string, typed bool, taken ...string) {
	taken = append(taken, b.TakeMembers(o, "id", "id")...)
	if key != kindFlat {
		taken = append(taken, key)
	}
	if typed {
		taken = append(taken, "type")
	}
	for key, value := range o.Rest(taken...) {
		b.Extras.Put(key, value)
	}
}

// FunctionMembers are the members of a function. Arguments that aren't an object, or the text of one, stay in the extras; if
// they are, they keep every byte.
var FunctionMembers = []string{"name", "name", "arguments", "input"}

// CustomMembers are the members of a custom tool's call, whose input is a text.
var CustomMembers = []string{"name", "name", "input", "free_input"}

// Function reads {"name","arguments"}.
func Function(raw json.RawMessage) document.Block {
	b := document.Block{Type: document.BlockToolCall}
	b.TakeWithin(rawjson.Of(KeyFunction, raw), KeyFunction, FunctionMembers)
	return b
}
