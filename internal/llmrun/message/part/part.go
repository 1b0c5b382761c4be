package part

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of parts that streams create, or that other packages read and write.
const (
	KindThinking = "thinking"
	KindToolUse  = "tool_use"
	// KindSearchResult and KindCompaction are texts with something beside them.
	KindSearchResult = "search_result"
	KindCompaction   = "compaction"
	KindContent      = "content" // the type of a source with content, which is kept whole beside its text

	// SummaryText and ReasoningText are the types of the entries of a reasoning item's summary and content. That of the content is
	// kept as the extra "type".
	SummaryText   = "summary_text"
	ReasoningText = "reasoning_text"
)

// BlockFields are the members of each type of block beside its type and extras.
var BlockFields = map[string][]string{
	document.BlockText:             {"text", "annotations"},
	document.BlockReasoning:        {"text"},
	document.BlockImage:            mediaFields,
	document.BlockFile:             mediaFields,
	document.BlockAudio:            mediaFields,
	document.BlockVideo:            mediaFields,
	document.BlockToolCall:         {"name", "args", "id"},
	document.BlockServerToolCall:   {"name", "args", "id"},
	document.BlockServerToolResult: {"tool_call_id", "id", "status", "output"},
}

// mediaFields include the text of a file that has no other data.
var mediaFields = []string{"url", "base64", "id", "mime_type", "text"}

// Content reads content that is a string or a list of parts, some of which may be strings.
func Content(raw json.RawMessage) ([]document.Block, bool) { return ContentBy(raw, Append) }

// ContentBy is Content for parts that add reads.
func ContentBy(raw json.RawMessage, add func([]document.Block, rawjson.Object) []document.Block) ([]document.Block, bool) {
	if text, ok := rawjson.ReadString(raw); ok {
		return []document.Block{{Type: document.BlockText, Text: &text}}, true
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok || !AreParts(list) {
		return nil, false
	}
	blocks := make([]document.Block, 0, len(list))
	for i, o := range rawjson.Objects(list) {
		blocks = AppendElement(blocks, list[i], o, add)
	}
	return blocks, true
}

// AppendElement adds an element of a list of parts, which is a string or an object.
func AppendElement(
	blocks []document.Block, raw json.RawMessage, o rawjson.Object, add func([]document.Block, rawjson.Object) []document.Block,
) []document.Block {
	if text, ok := rawjson.ReadString(raw); ok {
		return append(blocks, document.Block{Type: document.BlockText, Text: &text})
	}
	return add(blocks, o)
}

// AreParts reports whether the elements of a list can be parts, some of which may be strings.
func AreParts(list []json.RawMessage) bool {
	return !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !rawjson.IsObject(raw) && !rawjson.IsString(raw) })
}

// Append reads a part of any format into a block, or into two if it contains both a call and its result.
func Append(blocks []document.Block, o rawjson.Object) []document.Block {
	kind, key := kindOf(o)
	if len(o) == 2 && rawjson.IsObject(o.Get("extras")) {
		return append(blocks, readOwn(o, kind, key)) // A part that the normal form keeps under its own type.
	}
	if f := findForm(o, kind); f != nil {
		blocks = extend(blocks)
		f.block(&blocks[len(blocks)-1], o, kind, key)
		refer(blocks)
		return f.appendResult(blocks)
	}
	if key == "" && fitting(untyped, o) != nil {
		return AppendUntyped(blocks, o)
	}
	return append(blocks, readOwn(o, kind, key))
}

// refer makes the last block, if it is the result of a server's tool that doesn't name its call, refer to the call before it.
func refer(blocks []document.Block) {
	if last := len(blocks) - 1; last > 0 && blocks[last].Type == document.BlockServerToolResult && blocks[last].ToolCallID == nil {
		if call := &blocks[last-1]; call.Type == document.BlockServerToolCall {
			blocks[last].ToolCallID = call.ID
		}
	}
}

// AppendUntyped reads a part of a format whose parts have no type. If no form fits, the name of its first member is the type.
func AppendUntyped(blocks []document.Block, o rawjson.Object) []document.Block {
	if f := fitting(untyped, o); f != nil {
		blocks = extend(blocks)
		f.blockUntyped(&blocks[len(blocks)-1], o)
		return blocks
	}
	b := document.Block{Extras: o.Rest().RemoveVoid()}
	if said := rawjson.Object(nil).WithAll(b.Extras); len(said) > 0 {
		b.Type = said[0].Key // Such as videoMetadata.
	}
	return append(blocks, b)
}

// extend adds an empty block. A long list doubles: append would grow it by a quarter each time, and so allocate it five times.
func extend(blocks []document.Block) []document.Block {
	if len(blocks) == cap(blocks) {
		blocks = slices.Grow(blocks, max(1, len(blocks)))
	}
	return append(blocks, document.Block{})
}

// Known reports whether a part has a form that a provider, a gateway or a framework uses.
func Known(o rawjson.Object, kind string) bool {
	return kind != document.BlockText && findForm(o, kind) != nil
}

// readOwn reads a block of the normal form. Any other part is kept under its own type.
func readOwn(o rawjson.Object, kind, key string) document.Block {
	b := document.Block{Type: kind}
	taken := make([]string, 0, 6)
	if kind != "" {
		taken = append(taken, key)
	}
	for _, field := range BlockFields[kind] {
		if b.Take(field, o.Get(field)) {
			taken = append(taken, field)
		}
	}
	b.Extras = Extras(o.Rest(taken...))
	return b
}

// Extras makes extras of the remaining members of a message or a block: the members of the object "extras" if there is
// nothing else, and otherwise the members themselves.
func Extras(rest document.Extras) document.Extras {
	if extras, ok := rawjson.ReadObject(rest["extras"]); ok && len(rest) == 1 {
		return extras.Rest()
	}
	return rest
}

// Reasoning reads an item of reasoning into a message of that role: a block for each text in its lists, which are given as pairs of a
// member and the usual type of texts in it.
func Reasoning(o rawjson.Object, lists ...string) document.Message {
	m := document.Message{Role: document.RoleReasoning, Content: []document.Block{}}
	taken := append(make([]string, 0, 3), "type")
	for list := range slices.Chunk(lists, 2) {
		if blocks, ok := texts(o.Get(list[0]), list[1]); ok {
			m.Content, taken = append(m.Content, blocks...), append(taken, list[0])
		}
	}
	m.Extras = o.Rest(taken...)
	return m
}

// texts reads a list of texts. Those of another type than the usual one keep it.
func texts(raw json.RawMessage, usual string) ([]document.Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		return nil, false
	}
	blocks := make([]document.Block, len(list))
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		b := document.Block{Type: document.BlockReasoning}
		kind, typed := o.Text("type")
		if !typed || !b.Take("text", o.Get("text")) {
			return nil, false
		}
		b.Extras = o.Rest("type", "text")
		if kind != usual {
			b.Extras.Put(document.KeyType, rawjson.Quote(kind))
		}
		blocks[i] = b
	}
	return blocks, true
}
