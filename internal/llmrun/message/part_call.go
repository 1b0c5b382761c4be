package message

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Forms of an entry in tool_calls, by the member that contains the call.
const (
	// keyFunction is the member of {"id","type":"function","function":{"name","arguments"}}.
	keyFunction = "function"
	// keyCustom is the member of {"id","type":"custom","custom":{"name","input"}}, whose input is a string.
	keyCustom = "custom"
	// kindFlat is the type of {"id","type":"tool_call","name","args"}.
	kindFlat = BlockToolCall
)

// addCalls reads the calls beside the content. Some clients log each call twice: as the provider's block, and in a form
// common to all providers. Such a call becomes one block, with the arguments of the latter if the block has none yet.
func addCalls(m *Message, raw json.RawMessage) bool {
	calls, ok := parseCalls(raw)
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
			if j, twice := known[*call.ID]; twice && repeats(&m.Content[j], call) {
				continue
			}
		}
		m.Content = append(m.Content, *call)
	}
	return true
}

// repeats says whether another block is the same call, and copies from it what this one lacks.
func repeats(b, call *Block) bool {
	sameName := b.Name != nil && call.Name != nil && *b.Name == *call.Name
	if !sameName || len(call.Extras) > 0 {
		return false
	}
	if call.Args == nil || sameJSON(b.Args, call.Args) {
		return true
	}
	if b.Args != nil && !rawjson.IsVoid(b.Args) {
		return false
	}
	b.Args = call.Args
	return true
}

// sameJSON says whether two values differ only in white space and the order of keys.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// parseCalls reads a non-empty list of tool calls.
func parseCalls(raw json.RawMessage) ([]Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 || !rawjson.AllObjects(list) {
		return nil, false
	}
	calls := make([]Block, len(list))
	for i, raw := range list {
		calls[i] = parseCall(raw)
	}
	return calls, true
}

// parseCall reads an entry of tool_calls. The type of a custom tool stays, because it distinguishes it from a function.
func parseCall(raw json.RawMessage) Block {
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	var b Block
	switch {
	case rawjson.IsObject(o.Get(keyFunction)):
		b = parseFunction(o.Get(keyFunction))
		addCallRest(&b, o, keyFunction, kind == keyFunction)
	case kind == keyCustom && rawjson.IsObject(o.Get(keyCustom)):
		b = Block{Type: BlockToolCall}
		b.takeWithin(o, keyCustom, functionMembers)
		addCallRest(&b, o, keyCustom, false)
	default:
		b = Block{Type: BlockToolCall}
		taken := b.takeMembers(o, "name", "name", "args", "args")
		addCallRest(&b, o, kindFlat, kind == kindFlat, taken...)
	}
	return b
}

// addCallRest reads the ID of an entry, and adds the members that haven't been read to the extras.
func addCallRest(b *Block, o rawjson.Object, key string, typed bool, taken ...string) {
	taken = append(taken, b.takeMembers(o, "id", "id")...)
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

// functionMembers are the members of a function. Arguments that aren't an object, or the text of one, stay in the extras; if
// they are, they keep every byte.
var functionMembers = []string{"name", "name", "arguments", "input"}

// parseFunction reads {"name","arguments"}.
func parseFunction(raw json.RawMessage) Block {
	b := Block{Type: BlockToolCall}
	b.takeWithin(rawjson.Of(keyFunction, raw), keyFunction, functionMembers)
	return b
}
