package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of blocks in the messages format. A type that the normal form's block doesn't determine becomes the extra "type".
const (
	kindThinking         = "thinking"
	kindRedactedThinking = "redacted_thinking"
	kindToolUse          = "tool_use"
	kindServerToolUse    = "server_tool_use"
	kindDocument         = "document"
	kindContainerUpload  = "container_upload"

	suffixToolUse    = "_tool_use"
	suffixToolResult = "_tool_result"

	// keyType is the extra for such a type.
	keyType = "type"
)

func parseBlock(raw json.RawMessage) Block {
	o, _ := rawjson.ReadObject(raw)
	return parseBlockObject(raw, o)
}

// parseBlockObject reads a block. Servers often get new tools, so the types of their calls and results are recognized by
// suffix. A block of the normal form is accepted, and any other one is kept under its own type.
func parseBlockObject(raw json.RawMessage, o rawjson.Object) Block {
	kind, _ := o.Text("type")
	switch {
	case kind == BlockText:
		b := Block{Type: BlockText}
		b.Extras = o.Rest(b.takeAs(o, "text", "text", "citations", "annotations")...)
		return b
	case kind == kindThinking:
		b := Block{Type: BlockReasoning}
		b.Extras = o.Rest(b.takeAs(o, "thinking", "text")...)
		return b
	case kind == kindRedactedThinking:
		none := ""
		b := Block{Type: BlockReasoning, Text: &none, Extras: o.Rest("type")}
		return b.ofKind(kind)
	case kind == BlockImage && o.Has("source"):
		return parseSource(o, BlockImage)
	case kind == kindDocument:
		return parseSource(o, BlockFile)
	case kind == kindContainerUpload:
		b := Block{Type: BlockFile}
		b.Extras = o.Rest(b.takeAs(o, "file_id", "id")...)
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
		b.Extras = o.Rest(b.takeAs(o, "tool_use_id", "tool_call_id", "content", "output")...)
		status := resultStatus(&b)
		b.Status = &status
		return b.ofKind(kind)
	default:
		return verbatimBlock(o, kind)
	}
}

// verbatimBlock keeps a block without a counterpart.
func verbatimBlock(o rawjson.Object, kind string) Block {
	b := Block{Extras: o.Rest(), Layout: Layout{layoutPart: notePartVerbatim, layoutExtras: noteInline}}
	if kind != "" {
		b.Type, b.Extras = kind, o.Rest("type")
	}
	return b
}

// takeAs reads members into fields, given as pairs of names, and returns the members that it has read and the type.
func (b *Block) takeAs(o rawjson.Object, pairs ...string) []string {
	taken := append(make([]string, 0, 4), "type")
	for pair := range slices.Chunk(pairs, 2) {
		if key, field := pair[0], pair[1]; b.take(field, o.Get(key)) {
			taken = append(taken, key)
		}
	}
	return taken
}

// ofKind keeps the format's type of a block.
func (b Block) ofKind(kind string) Block {
	b.Extras.Put(keyType, rawjson.Quote(kind))
	return b
}

// kind returns the type that was kept, or else the usual one.
func (b *Block) kind(usual string) string {
	if kind, ok := rawjson.ReadString(b.Extras[keyType]); ok {
		return kind
	}
	return usual
}

func parseToolUse(o rawjson.Object, block string) Block {
	b := Block{Type: block}
	b.Extras = o.Rest(b.takeAs(o, "id", "id", "name", "name", "input", "args")...)
	return b
}

// resultStatus returns the status in a server tool's result: error if its content has an error type, or a flag is set.
func resultStatus(b *Block) string {
	content, _ := rawjson.ReadObject(b.Output)
	kind, _ := content.Text("type")
	if strings.HasSuffix(kind, "_error") || string(b.Extras["is_error"]) == "true" {
		return "error"
	}
	return "success"
}

// sources are the types of a source: the member with the data, and its field. A source of another type, such as plain text
// or blocks, has no field, and is kept whole in the extras.
var sources = []struct{ kind, key, field string }{
	{"base64", "data", "base64"},
	{"url", "url", "url"},
	{"file", "file_id", "id"},
}

func parseSource(o rawjson.Object, block string) Block {
	b := Block{Type: block, Extras: o.Rest("type", "source")}
	raw := o.Get("source")
	source, _ := rawjson.ReadObject(raw)
	kind, _ := source.Text("type")
	for _, s := range sources {
		if s.kind != kind || !b.take(s.field, source.Get(s.key)) {
			continue
		}
		taken := []string{"type", s.key}
		if s.field == "base64" && b.take("mime_type", source.Get("media_type")) {
			taken = append(taken, "media_type")
		}
		if rest := source.Rest(taken...); rest != nil {
			b.Extras.Put("source", rawjson.Object(nil).WithAll(rest).Encode())
		}
		return b
	}
	if raw != nil {
		b.Extras.Put("source", raw)
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
		return ofType(BlockText).WithText("text", b.Text).WithRaw("citations", b.Annotations).WithAll(b.Extras).Encode()
	case BlockReasoning:
		kind := b.kind(kindThinking)
		o := ofType(kind)
		if kind == kindThinking {
			o = o.WithText("thinking", b.Text)
		}
		return o.WithAll(b.Extras.Without(keyType)).Encode()
	case BlockImage:
		return ofType(BlockImage).WithRaw("source", buildSource(b)).WithAll(b.Extras.Without("source")).Encode()
	case BlockFile:
		if b.kind(kindDocument) == kindContainerUpload {
			return ofType(kindContainerUpload).WithText("file_id", b.ID).WithAll(b.Extras.Without(keyType)).Encode()
		}
		return ofType(kindDocument).WithRaw("source", buildSource(b)).WithAll(b.Extras.Without("source")).Encode()
	case BlockToolCall:
		return buildToolUse(b, kindToolUse)
	case BlockServerToolCall:
		return buildToolUse(b, kindServerToolUse)
	case BlockServerToolResult:
		return ofType(b.kind("server"+suffixToolResult)).WithText("tool_use_id", b.ToolCallID).WithRaw("content", b.Output).
			WithAll(b.Extras.Without(keyType)).Encode()
	default:
		return buildNativeBlock(b)
	}
}

func ofType(kind string) rawjson.Object {
	return append(make(rawjson.Object, 0, 6), rawjson.Member{Key: "type", Value: rawjson.Quote(kind)})
}

func buildToolUse(b *Block, usual string) json.RawMessage {
	return ofType(b.kind(usual)).WithText("id", b.ID).WithText("name", b.Name).WithRaw("input", b.Args).
		WithAll(b.Extras.Without(keyType)).Encode()
}

func buildSource(b *Block) json.RawMessage {
	rest, _ := rawjson.ReadObject(b.Extras["source"])
	for _, s := range sources {
		if data := *b.text(s.field); data != nil {
			o := ofType(s.kind).With(s.key, rawjson.Quote(*data))
			if s.field == "base64" {
				o = o.WithText("media_type", b.MimeType)
			}
			return append(o, rest...).Encode()
		}
	}
	return b.Extras["source"]
}
