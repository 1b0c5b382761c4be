package part

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// The members of an entry in tool_calls that contain the call.
const (
	KeyFunction = "function" // the member of {"id","type":"function","function":{"name","arguments"}}
	KeyCustom   = "custom"   // the member of {"id","type":"custom","custom":{"name","input"}}, whose input is a string

	// kindEntry stands for the type of entries in the table of forms, and keyEntry is where OpenInference has one.
	kindEntry = "tool_calls[]"
	keyEntry  = "tool_call"
)

// AddCalls reads the calls beside the content, and returns the members that it has read.
//
// Some clients log each call twice: as the provider's block, and in a form common to all providers. Such a call becomes one
// block, with the arguments of the latter if the block has none yet.
func AddCalls(m *document.Message, o rawjson.Object) []string {
	var calls []document.Block
	var taken []string
	for _, name := range [...]string{"tool_calls", "invalid_tool_calls"} { // A framework keeps calls that it can't parse apart.
		key, raw := o.Find(name)
		if more, ok := Calls(raw); ok {
			calls, taken = append(calls, more...), append(taken, key)
		}
	}
	if calls == nil {
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
	return taken
}

// repeats reports whether another block is the same call, and copies from it what this one lacks.
func repeats(b, call *document.Block) bool {
	sameName := b.Name != nil && call.Name != nil && *b.Name == *call.Name
	if !sameName || len(call.Extras) > 0 {
		return false
	}
	if call.Args == nil || rawjson.IsSame(b.Args, call.Args) {
		return true
	}
	if b.Args != nil && !rawjson.IsVoid(b.Args) {
		return false
	}
	b.Args = call.Args
	return true
}

// Calls reads a non-empty list of tool calls.
func Calls(raw json.RawMessage) ([]document.Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 || !rawjson.AllObjects(list) {
		return nil, false
	}
	calls := make([]document.Block, len(list))
	for i, o := range rawjson.Objects(list) {
		if inner, ok := rawjson.ReadObject(o.Get(keyEntry)); ok && len(o) == 1 {
			o = inner
		}
		fitting(forms[kindEntry], o).block(&calls[i], o, kindEntry, "")
	}
	return calls, true
}

// Function reads {"name","arguments"}.
func Function(raw json.RawMessage) document.Block {
	b := document.Block{Type: document.BlockToolCall}
	b.TakeWithin(rawjson.Of(KeyFunction, raw), KeyFunction, FunctionMembers)
	return b
}

// Answer reads a tool's answer into a message: the ID of the call that it answers, and the output, by the given reader. The
// members in taken are known.
func Answer(o rawjson.Object, id, output string, read func(json.RawMessage) ([]document.Block, bool), taken ...string) document.Message {
	m := document.Message{Role: document.RoleTool, Content: []document.Block{}}
	key, value := o.Find(id)
	if text, ok := rawjson.ReadString(value); ok {
		m.ToolCallID, taken = &text, append(taken, key)
	}
	if content, ok := read(o.Get(output)); ok {
		m.Content, taken = content, append(taken, output)
	}
	m.Extras = o.Rest(taken...)
	return m
}

// AgentAnswer reads a part or an item with the result of a tool that the client has executed.
func AgentAnswer(o rawjson.Object) (document.Message, bool) { return answer(o, Output) }

// ReturnedAnswer is AgentAnswer for a part of a message with parts.
func ReturnedAnswer(o rawjson.Object) (document.Message, bool) { return answer(o, Returned) }

func answer(o rawjson.Object, read func(json.RawMessage) ([]document.Block, bool)) (document.Message, bool) {
	kind, key := kindOf(o)
	a, ok := answers[kind]
	if !ok || kind == "retry-prompt" && rawjson.IsNullOrAbsent(o.Get("tool_name")) {
		return document.Message{}, false
	}
	id, outputs := a[0], a[1:]
	if inner, ok := rawjson.ReadObject(o.Get(kind)); ok { // Its members are in an object under the type.
		m := Answer(inner, id, outputs[max(0, slices.IndexFunc(outputs, inner.Has))], read)
		document.AddBeside(&m.Extras, o.Rest(key, kind))
		return m, true
	}
	return Answer(o, id, outputs[max(0, slices.IndexFunc(outputs, o.Has))], read, key), true
}

// HasAnswers reports whether content has answers of tools among its parts.
func HasAnswers(content json.RawMessage) bool {
	for raw := range rawjson.Elements(content) {
		o, _ := rawjson.ReadObject(raw)
		if kind, _ := kindOf(o); answers[kind] != nil {
			return true
		}
	}
	return false
}

// Returned reads what a tool returned: texts and parts, or else an object or a list, which becomes its JSON.
func Returned(raw json.RawMessage) ([]document.Block, bool) {
	if IsData(raw) {
		return AnyText(raw)
	}
	return Content(raw)
}

// IsData reports whether a value is an object, or a list of other things than texts and parts.
func IsData(raw json.RawMessage) bool {
	list, isList := rawjson.ReadArray(raw)
	return rawjson.IsObject(raw) || isList && slices.ContainsFunc(list, func(raw json.RawMessage) bool {
		o, isObject := rawjson.ReadObject(raw)
		kind, _ := kindOf(o)
		isPart := kind != "" || len(o) == 0 || o.Has("extras") || fitting(untyped, o) != nil
		return isObject && !isPart || !isObject && !rawjson.IsString(raw)
	})
}

// Output reads the output of a tool: a string, parts, or any other value, which becomes its JSON.
func Output(raw json.RawMessage) ([]document.Block, bool) {
	list, isList := rawjson.ReadArray(raw)
	if !isList && rawjson.IsObject(raw) {
		list = []json.RawMessage{raw}
	}
	isPart := func(raw json.RawMessage) bool {
		o, _ := rawjson.ReadObject(raw)
		kind, _ := kindOf(o)
		return kind == document.BlockText && o.Has("text") || Known(o, kind)
	}
	switch {
	case rawjson.IsNullOrAbsent(raw):
		return []document.Block{}, raw != nil
	case (isList || len(list) > 0) && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !isPart(raw) }):
		return Content(rawjson.EncodeArray(list))
	}
	if text, ok := rawjson.ReadString(raw); ok {
		return []document.Block{{Type: document.BlockText, Text: &text}}, true
	}
	return AnyText(raw)
}

// AnyText reads any value as the text of its JSON.
func AnyText(raw json.RawMessage) ([]document.Block, bool) {
	text := rawjson.Compact(raw)
	return []document.Block{{Type: document.BlockText, Text: &text}}, raw != nil
}

// Split reads the parts of a message with a role, some of which may be strings, and adds it to the others. The answers of tools, which
// answer reads, become messages of their own, and so do the parts before, between and after them, which add reads.
func Split(
	messages []document.Message, list []json.RawMessage, role string,
	answer func(rawjson.Object) (document.Message, bool), add func([]document.Block, rawjson.Object) []document.Block,
) []document.Message {
	between := false
	var blocks []document.Block // Of all messages, one after the other.
	start := 0
	if len(list) == 0 {
		return append(messages, document.Message{Role: role, Content: []document.Block{}})
	}
	for i, o := range rawjson.Objects(list) {
		if m, ok := answer(o); ok {
			messages, between = append(messages, m), false
			continue
		}
		if !between {
			messages, between, start = append(messages, document.Message{Role: role}), true, len(blocks)
		}
		if blocks == nil {
			blocks = make([]document.Block, 0, len(list)-i)
		}
		blocks = AppendElement(blocks, list[i], o, add)
		messages[len(messages)-1].Content = blocks[start:len(blocks):len(blocks)]
	}
	return messages
}

// KindFunctionCall is the type of the item for a call of the client's function.
const KindFunctionCall = "function_call"

// KeyError is the member of an item that replaces its result, and the extra that marks such a result.
const KeyError = "error"

// arguments reads members of which each is an argument.
func arguments(keys []string) func(*document.Block, rawjson.Object) []string {
	return func(b *document.Block, o rawjson.Object) (taken []string) {
		var args rawjson.Object
		for _, m := range o {
			if slices.Contains(keys, m.Key) {
				args, taken = append(args, m), append(taken, m.Key)
			}
		}
		b.Args = args.Encode()
		return taken
	}
}

// appendResult moves the result in the item of a call into a block after it.
func (f *form) appendResult(blocks []document.Block) []document.Block {
	call, key := &blocks[len(blocks)-1], f.result
	if key != "" && rawjson.IsNullOrAbsent(call.Extras[key]) {
		key = KeyError
	}
	if key == "" || rawjson.IsNullOrAbsent(call.Extras[key]) {
		return blocks
	}
	state, _ := rawjson.ReadString(call.Extras["status"])
	status := "success"
	if state == "failed" || !rawjson.IsNullOrAbsent(call.Extras[KeyError]) {
		status = "error"
	}
	result := document.Block{Type: document.BlockServerToolResult, ToolCallID: call.ID, Status: &status, Output: call.Extras[key]}
	if key == KeyError {
		result.Extras.Put(KeyError, json.RawMessage("true"))
	}
	media := document.Block{Type: f.resultType}
	if f.resultType != "" && media.Take("media", result.Output) {
		if format, ok := rawjson.ReadString(call.Extras["output_format"]); ok {
			mime := f.resultType + "/" + format
			media.MimeType = &mime
		}
		result = media
	}
	delete(call.Extras, key)
	return append(blocks, result)
}

// Item is how an item has what is in a block.
type Item struct {
	Members []string // pairs of a member and a field, each field once
	// Spread says that each argument is a member; Result is the member with the result, empty if there is none, and ResultType the type
	// of the block for it if that is media.
	Spread             bool
	Result, ResultType string
}

// ItemOf returns how the item of a type is written: in the form that has the arguments as its members, or else in the last one.
func ItemOf(kind string, args json.RawMessage) Item {
	known := forms[kind]
	if known == nil {
		return Item{}
	}
	f := known[len(known)-1]
	given, _ := rawjson.ReadObject(args)
	for i := range known {
		if known[i].spread != nil && len(given) > 0 && len(given.Without(known[i].spread...)) == 0 {
			f = known[i]
		}
	}
	item := Item{Spread: f.spread != nil, Result: f.result, ResultType: f.resultType}
	for pair := range slices.Chunk(f.members, 2) {
		if !slices.Contains(item.Members, pair[1]) {
			item.Members = append(item.Members, pair...)
		}
	}
	return item
}
