package part

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
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

// Content reads content that is a string or a list of objects.
func Content(raw json.RawMessage) ([]document.Block, bool) {
	if text, ok := rawjson.ReadString(raw); ok {
		return []document.Block{{Type: document.BlockText, Text: &text}}, true
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok || !rawjson.AllObjects(list) {
		return nil, false
	}
	blocks := make([]document.Block, 0, len(list))
	for _, raw := range list {
		blocks = Append(blocks, raw)
	}
	return blocks, true
}

// Append reads a part of any format into a block, or into two if it contains both a call and its result.
func Append(blocks []document.Block, raw json.RawMessage) []document.Block {
	o, _ := rawjson.ReadObject(raw)
	kind, key := kindOf(o)
	if len(o) == 2 && rawjson.IsObject(o.Get("extras")) {
		return append(blocks, readOwn(o, kind, key)) // A part that the normal form keeps under its own type.
	}
	if call, ok := ServerCalls[kind]; ok {
		return append(blocks, call.parse(o, kind)...)
	}
	if r := findReader(o, kind); r != nil {
		return append(blocks, r.block(o, kind, key))
	}
	if r := findMember(o); r != nil && key == "" {
		return append(blocks, r.block(o))
	}
	return append(blocks, readOwn(o, kind, key))
}

// Known says whether a part has a form that a provider, a gateway or a framework uses.
func Known(o rawjson.Object, kind string) bool {
	_, ok := ServerCalls[kind]
	return ok || kind != document.BlockText && findReader(o, kind) != nil
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

// block reads a part. Members that the reader doesn't read become extras.
func (r *reader) block(o rawjson.Object, kind, key string) document.Block {
	b := document.Block{Type: r.to}
	taken := append(make([]string, 0, 6), key)
	if r.within != "" {
		taken = append(taken, b.TakeWithin(o, r.within, r.members))
	} else {
		taken = append(taken, b.TakeMembers(o, r.members...)...)
	}
	if r.read != nil {
		taken = append(taken, r.read(&b, o)...)
	}
	switch {
	case r.keep == keepType:
		b.Extras.Put(document.KeyType, rawjson.Quote(kind))
	case r.keep != "":
		b.Extras.Put(r.keep, json.RawMessage("true"))
	}
	if b.Type == "" {
		b.Type = MediaOf(b.MimeType)
	}
	rest := o.Rest(taken...)
	switch {
	case kind == document.BlockText: // The normal form has such a part, too.
		b.Extras = Extras(rest)
	case b.Extras == nil:
		b.Extras = rest
	default:
		maps.Copy(b.Extras, rest)
	}
	return b
}

// unknownText reads a text of a type that providers may add.
var unknownText = reader{to: document.BlockText, members: textMembers, keep: keepType}

// findReader returns the reader for a part; nil if it has no form but that of the normal form.
func findReader(o rawjson.Object, kind string) *reader {
	fits := func(r reader) bool { return r.is == nil || r.is(o) }
	for _, table := range []map[string][]reader{agentReaders, readers} {
		if i := slices.IndexFunc(table[kind], fits); i >= 0 {
			return &table[kind][i]
		}
	}
	candidates := suffixReaders(kind)
	if i := slices.IndexFunc(candidates, fits); i >= 0 {
		return &candidates[i]
	}
	if candidates == nil && BlockFields[kind] == nil && kind != "" && rawjson.IsString(o.Get("text")) {
		return &unknownText
	}
	return nil
}
