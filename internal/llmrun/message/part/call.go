package part

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// The members of an entry in tool_calls that contain the call.
const (
	// KeyFunction is the member of {"id","type":"function","function":{"name","arguments"}}.
	KeyFunction = "function"
	// KeyCustom is the member of {"id","type":"custom","custom":{"name","input"}}, whose input is a string.
	KeyCustom = "custom"

	// kindEntry stands for the type of entries in the table of forms, and keyEntry is where OpenInference has one.
	kindEntry = "tool_calls[]"
	keyEntry  = "tool_call"
)

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
	m.Content = slices.Grow(m.Content, len(calls))
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
		readCall(&calls[i], raw)
	}
	return calls, true
}

// readCall reads an entry of tool_calls.
func readCall(b *document.Block, raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	if inner, ok := rawjson.ReadObject(o.Get(keyEntry)); ok && len(o) == 1 {
		o = inner
	}
	fitting(forms[kindEntry], o).block(b, o, kindEntry, "")
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
