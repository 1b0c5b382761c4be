package message

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// blockFields are the members of each type of block beside its type and extras.
var blockFields = map[string][]string{
	BlockText:             {"text", "annotations"},
	BlockReasoning:        {"text"},
	BlockImage:            mediaFields,
	BlockFile:             mediaFields,
	BlockAudio:            mediaFields,
	BlockVideo:            mediaFields,
	BlockToolCall:         {"name", "args", "id"},
	BlockServerToolCall:   {"name", "args", "id"},
	BlockServerToolResult: {"tool_call_id", "id", "status", "output"},
}

var mediaFields = []string{"url", "base64", "id", "mime_type"}

// takeContent reads content that is a string or a list of objects.
func takeContent(raw json.RawMessage) ([]Block, bool) {
	if text, ok := rawjson.ReadString(raw); ok {
		return []Block{{Type: BlockText, Text: &text}}, true
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok || !rawjson.AllObjects(list) {
		return nil, false
	}
	blocks := make([]Block, 0, len(list))
	for _, raw := range list {
		blocks = appendPart(blocks, raw)
	}
	return blocks, true
}

// appendPart reads a part of any format into a block, or into two if it contains both a call and its result.
func appendPart(blocks []Block, raw json.RawMessage) []Block {
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	if call, ok := serverCalls[kind]; ok {
		return append(blocks, call.parse(o, kind)...)
	}
	if r := findReader(o, kind); r != nil {
		return append(blocks, r.block(o, kind))
	}
	return append(blocks, parseOwnPart(o, kind))
}

// isKnownPart says whether a part has a form that a provider, a gateway or a framework uses.
func isKnownPart(o rawjson.Object, kind string) bool {
	_, ok := serverCalls[kind]
	return ok || kind != BlockText && findReader(o, kind) != nil
}

// parseOwnPart reads a block of the normal form. Any other part is kept under its own type.
func parseOwnPart(o rawjson.Object, kind string) Block {
	b := Block{Type: kind}
	taken := make([]string, 0, 6)
	if kind != "" {
		taken = append(taken, "type")
	}
	for _, field := range blockFields[kind] {
		if b.take(field, o.Get(field)) {
			taken = append(taken, field)
		}
	}
	b.Extras = takeExtras(o.Rest(taken...))
	return b
}

// takeExtras makes extras of the remaining members of a message or a block: the members of the object "extras" if there is
// nothing else, and otherwise the members themselves.
func takeExtras(rest Extras) Extras {
	if extras, ok := rawjson.ReadObject(rest["extras"]); ok && len(rest) == 1 {
		return extras.Rest()
	}
	return rest
}

// block reads a part. Members that the reader doesn't read become extras.
func (r *reader) block(o rawjson.Object, kind string) Block {
	b := Block{Type: r.to}
	taken := append(make([]string, 0, 6), "type")
	if r.within != "" {
		b.takeWithin(o, r.within, r.members)
		taken = append(taken, r.within)
	} else {
		taken = append(taken, b.takeMembers(o, r.members...)...)
	}
	if r.read != nil {
		taken = append(taken, r.read(&b, o)...)
	}
	switch {
	case r.keep == keepType:
		b.Extras.Put(keyType, rawjson.Quote(kind))
	case r.keep != "":
		b.Extras.Put(r.keep, json.RawMessage("true"))
	}
	if b.Type == "" {
		b.Type = mediaOf(b.MimeType)
	}
	rest := o.Rest(taken...)
	switch {
	case kind == BlockText: // The normal form has such a part, too.
		b.Extras = takeExtras(rest)
	case b.Extras == nil:
		b.Extras = rest
	default:
		maps.Copy(b.Extras, rest)
	}
	return b
}

// findReader returns the reader for a part; nil if it has no form but that of the normal form.
func findReader(o rawjson.Object, kind string) *reader {
	candidates := readers[kind]
	if candidates == nil {
		candidates = suffixReaders(kind)
	}
	if i := slices.IndexFunc(candidates, func(r reader) bool { return r.is == nil || r.is(o) }); i >= 0 {
		return &candidates[i]
	}
	return nil
}
