package llmrun

import (
	"encoding/json"
	"slices"
	"strings"
)

// Types of blocks in the messages format. A type that the block of the normal form doesn't tell is the extra "type".
const (
	kindThinking         = "thinking"
	kindRedactedThinking = "redacted_thinking"
	kindToolUse          = "tool_use"
	kindServerToolUse    = "server_tool_use"
	kindDocument         = "document"
	kindContainerUpload  = "container_upload"

	suffixToolUse    = "_tool_use"
	suffixToolResult = "_tool_result"

	// keyType is the extra that holds such a type.
	keyType = "type"
)

func parseBlock(raw json.RawMessage) Block {
	o, _ := readObject(raw)
	return parseBlockObject(raw, o)
}

// parseBlockObject reads a block. Servers get new tools all the time, so the types of their calls and results are told
// by how they end. A block of the normal form is accepted as it is, any other one is kept under its own type.
func parseBlockObject(raw json.RawMessage, o object) Block {
	kind, _ := o.text("type")
	switch {
	case kind == BlockText:
		b := Block{Type: BlockText}
		b.Extras = o.rest(b.takeAs(o, "text", "text", "citations", "annotations")...)
		return b
	case kind == kindThinking:
		b := Block{Type: BlockReasoning}
		b.Extras = o.rest(b.takeAs(o, "thinking", "text")...)
		return b
	case kind == kindRedactedThinking:
		none := ""
		b := Block{Type: BlockReasoning, Text: &none, Extras: o.rest("type")}
		return b.ofKind(kind)
	case kind == BlockImage && o.has("source"):
		return parseSource(o, BlockImage)
	case kind == kindDocument:
		return parseSource(o, BlockFile)
	case kind == kindContainerUpload:
		b := Block{Type: BlockFile}
		b.Extras = o.rest(b.takeAs(o, "file_id", "id")...)
		return b.ofKind(kind)
	case kind == kindToolUse:
		return parseToolUse(o, BlockToolCall)
	case kind == kindServerToolUse:
		return parseToolUse(o, BlockServerToolCall)
	case blockFields[kind] != nil:
		b := parseNativeBlock(raw)
		b.Layout.put(layoutPart, notePartNative)
		return b
	case strings.HasSuffix(kind, suffixToolUse):
		b := parseToolUse(o, BlockServerToolCall)
		return b.ofKind(kind)
	case strings.HasSuffix(kind, suffixToolResult):
		b := Block{Type: BlockServerToolResult}
		b.Extras = o.rest(b.takeAs(o, "tool_use_id", "tool_call_id", "content", "output")...)
		status := resultStatus(&b)
		b.Status = &status
		return b.ofKind(kind)
	default:
		return verbatimBlock(o, kind)
	}
}

// verbatimBlock keeps a block that has no counterpart.
func verbatimBlock(o object, kind string) Block {
	b := Block{Extras: o.rest(), Layout: Layout{layoutPart: notePartVerbatim, layoutExtras: noteInline}}
	if kind != "" {
		b.Type, b.Extras = kind, o.rest("type")
	}
	return b
}

// takeAs reads members into fields, given as pairs of names, and returns the members that it has read and the type.
func (b *Block) takeAs(o object, pairs ...string) []string {
	taken := append(make([]string, 0, 4), "type")
	for pair := range slices.Chunk(pairs, 2) {
		if key, field := pair[0], pair[1]; b.take(field, o.get(key)) {
			taken = append(taken, key)
		}
	}
	return taken
}

// ofKind keeps the type that the format has for a block.
func (b Block) ofKind(kind string) Block {
	b.Extras.put(keyType, quote(kind))
	return b
}

// kind is the type that was kept, or else the usual one.
func (b *Block) kind(usual string) string {
	if kind, ok := readString(b.Extras[keyType]); ok {
		return kind
	}
	return usual
}

func parseToolUse(o object, block string) Block {
	b := Block{Type: block}
	b.Extras = o.rest(b.takeAs(o, "id", "id", "name", "name", "input", "args")...)
	return b
}

// resultStatus is what the result of a server's tool says of its success: an error is a content of such a type, or a
// flag.
func resultStatus(b *Block) string {
	content, _ := readObject(b.Output)
	kind, _ := content.text("type")
	if strings.HasSuffix(kind, "_error") || string(b.Extras["is_error"]) == "true" {
		return "error"
	}
	return "success"
}

// sources are the types of a source: the member with the data, and the field for it. A source of another type, such as
// plain text or blocks, has no field, and stays whole among the extras.
var sources = []struct{ kind, key, field string }{
	{"base64", "data", "base64"},
	{"url", "url", "url"},
	{"file", "file_id", "id"},
}

func parseSource(o object, block string) Block {
	b := Block{Type: block, Extras: o.rest("type", "source")}
	raw := o.get("source")
	source, _ := readObject(raw)
	kind, _ := source.text("type")
	for _, s := range sources {
		if s.kind != kind || !b.take(s.field, source.get(s.key)) {
			continue
		}
		taken := []string{"type", s.key}
		if s.field == "base64" && b.take("mime_type", source.get("media_type")) {
			taken = append(taken, "media_type")
		}
		if rest := source.rest(taken...); rest != nil {
			b.Extras.put("source", object(nil).withAll(rest).encode())
		}
		return b
	}
	if raw != nil {
		b.Extras.put("source", raw)
	}
	return b
}

// buildBlock writes a block of the messages format.
func buildBlock(b *Block) json.RawMessage {
	if b.Layout.is(layoutPart, "native") || b.Layout.is(layoutPart, "verbatim") {
		return buildNativeBlock(b)
	}
	switch b.Type {
	case BlockText:
		return ofType(BlockText).withText("text", b.Text).withRaw("citations", b.Annotations).withAll(b.Extras).encode()
	case BlockReasoning:
		kind := b.kind(kindThinking)
		o := ofType(kind)
		if kind == kindThinking {
			o = o.withText("thinking", b.Text)
		}
		return o.withAll(b.Extras.without(keyType)).encode()
	case BlockImage:
		return ofType(BlockImage).withRaw("source", buildSource(b)).withAll(b.Extras.without("source")).encode()
	case BlockFile:
		if b.kind(kindDocument) == kindContainerUpload {
			return ofType(kindContainerUpload).withText("file_id", b.ID).withAll(b.Extras.without(keyType)).encode()
		}
		return ofType(kindDocument).withRaw("source", buildSource(b)).withAll(b.Extras.without("source")).encode()
	case BlockToolCall:
		return buildToolUse(b, kindToolUse)
	case BlockServerToolCall:
		return buildToolUse(b, kindServerToolUse)
	case BlockServerToolResult:
		return ofType(b.kind("server"+suffixToolResult)).withText("tool_use_id", b.ToolCallID).withRaw("content", b.Output).
			withAll(b.Extras.without(keyType)).encode()
	default:
		return buildNativeBlock(b)
	}
}

func ofType(kind string) object { return append(make(object, 0, 6), member{"type", quote(kind)}) }

func buildToolUse(b *Block, usual string) json.RawMessage {
	return ofType(b.kind(usual)).withText("id", b.ID).withText("name", b.Name).withRaw("input", b.Args).
		withAll(b.Extras.without(keyType)).encode()
}

func buildSource(b *Block) json.RawMessage {
	rest, _ := readObject(b.Extras["source"])
	for _, s := range sources {
		if data := *b.text(s.field); data != nil {
			o := ofType(s.kind).with(s.key, quote(*data))
			if s.field == "base64" {
				o = o.withText("media_type", b.MimeType)
			}
			return append(o, rest...).encode()
		}
	}
	return b.Extras["source"]
}
