package part

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

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
func AgentAnswer(o rawjson.Object) (document.Message, bool) {
	kind, key := kindOf(o)
	a, ok := answers[kind]
	if !ok || kind == "retry-prompt" && rawjson.IsNullOrAbsent(o.Get("tool_name")) {
		return document.Message{}, false
	}
	id, outputs := a[0], a[1:]
	return Answer(o, id, outputs[max(0, slices.IndexFunc(outputs, o.Has))], Output, key), true
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

// Splitter reads the parts of messages in which answers of tools are parts.
type Splitter struct {
	// Answer reads the answer of a tool, Append any other part.
	Answer func(rawjson.Object) (document.Message, bool)
	Append func([]document.Block, rawjson.Object) []document.Block
}

// Split reads the parts of a message with a role, and adds it to the others. The answers of tools become messages of their
// own, and so do the parts before, between and after them.
func (s Splitter) Split(messages []document.Message, list []json.RawMessage, role string) []document.Message {
	between := false
	var blocks []document.Block // Of all messages, one after the other.
	start := 0
	o := rawjson.Borrow()
	defer o.Return()
	for i, raw := range list {
		o.Reuse(raw)
		if m, ok := s.Answer(*o); ok {
			messages, between = append(messages, m), false
			continue
		}
		if !between {
			messages, between, start = append(messages, document.Message{Role: role}), true, len(blocks)
		}
		if blocks == nil {
			blocks = make([]document.Block, 0, len(list)-i)
		}
		blocks = s.Append(blocks, *o)
		messages[len(messages)-1].Content = blocks[start:len(blocks):len(blocks)]
	}
	return messages
}
