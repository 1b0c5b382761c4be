package part

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// memberReader reads a form of parts without a type, which a member identifies. What stands inside of the member and beside
// it becomes extras alike.
type memberReader struct {
	member string
	// outer says that the members are those of the part itself.
	outer bool
	reader
}

// memberReaders has the forms of parts without a type, and the first that fits counts. SDKs write some members in two
// spellings, and all of them, with null for absent ones.
var memberReaders = []memberReader{
	{"text", true, reader{is: isThought, to: document.BlockReasoning, members: textMembers[:2], read: takes("thought")}},
	{"text", true, reader{is: hasText("text"), to: document.BlockText, members: textMembers[:2]}},
	{"image", false, reader{to: document.BlockImage, read: takeFormat("image/")}},
	{"document", false, reader{to: document.BlockFile, read: takeFormat("application/")}},
	{"video", false, reader{to: document.BlockVideo, read: takeFormat("video/")}},
	{"audio", false, reader{to: document.BlockAudio, read: takeFormat(document.AudioMime)}},
	{"tool_use", false, reader{to: document.BlockToolCall, members: converseCallMembers, read: takeServer}},
	{"tool_result", false, reader{to: document.BlockServerToolResult, members: converseResultMembers, read: takeSuccess}},
	{"reasoningContent", false, reader{to: document.BlockReasoning, within: "reasoningText", members: textMembers[:2], read: takeNoText}},
	{"guardContent", false, reader{to: document.BlockText, within: "text", members: textMembers[:2]}},
	{"citationsContent", false, reader{to: document.BlockText, members: []string{"citations", "annotations"}, read: takeCited}},
	{"searchResult", false, reader{to: document.BlockText, read: takeCited, keep: "searchResult"}},
	{"function_call", false, reader{to: document.BlockToolCall, members: []string{"id", "id", "name", "name", "args", "args"}}},
	{"executable_code", false, reader{to: document.BlockServerToolCall, members: []string{"id", "id"}, read: takeCode}},
	{"code_execution_result", false, reader{to: document.BlockServerToolResult, members: codeResultMembers, read: takeOutcome}},
	{"tool_call", false, reader{to: document.BlockServerToolCall, members: []string{"id", "id", "tool_type", "name", "args", "args"}}},
	{"tool_response", false, reader{to: document.BlockServerToolResult, members: toolResponseMembers, read: takeSuccess}},
	{"inline_data", false, reader{members: inlineMembers}},
	{"file_data", false, reader{members: inlineMembers}},
	{"json", true, reader{is: hasValue("json"), to: document.BlockText, members: []string{"json", "value"}}},
}

var (
	converseCallMembers   = []string{"toolUseId", "id", "name", "name", "input", "args"}
	converseResultMembers = []string{"toolUseId", "tool_call_id", "content", "output", "status", "status"}
	toolResponseMembers   = []string{"id", "tool_call_id", "response", "output"}
	codeResultMembers     = []string{"output", "output", "id", "tool_call_id"}
	inlineMembers         = []string{"mime_type", "mime_type", "data", "base64", "file_uri", "url"}
)

// AppendUntyped reads a part of a format whose parts have no type. If no form fits, the name of its first member is the type.
func AppendUntyped(blocks []document.Block, raw json.RawMessage) []document.Block {
	o, _ := rawjson.ReadObject(raw)
	if r := findMember(o); r != nil {
		return append(blocks, r.block(o))
	}
	b := document.Block{Extras: o.Rest().WithoutVoid()}
	if said := rawjson.Object(nil).WithAll(b.Extras); len(said) > 0 {
		b.Type = said[0].Key // Such as videoMetadata.
	}
	return append(blocks, b)
}

// findMember returns the reader for a part without a type; nil if no form fits.
func findMember(o rawjson.Object) *memberReader {
	for i := range memberReaders {
		r := &memberReaders[i]
		if r.is != nil && r.is(o) || r.is == nil && hasObject(r.member)(o) {
			return r
		}
	}
	return nil
}

func (r *memberReader) block(o rawjson.Object) document.Block {
	inner := o
	member, value := o.Find(r.member)
	if !r.outer {
		inner, _ = rawjson.ReadObject(value)
	}
	b := document.Block{Type: r.to}
	var taken []string
	if value, ok := rawjson.ReadObject(inner.Get(r.within)); ok {
		document.AddBeside(&b.Extras, value.Rest(b.TakeMembers(value, r.members...)...))
		taken = append(taken, r.within)
	} else if r.within == "" {
		taken = b.TakeMembers(inner, r.members...)
	}
	if r.read != nil {
		taken = append(taken, r.read(&b, inner)...)
	}
	rest := inner.Rest(taken...)
	if r.outer || r.to == "" {
		rest = rest.WithoutVoid()
	}
	if b.Type == "" {
		b.Type = MediaOf(b.MimeType)
	}
	if r.keep != "" {
		b.Extras.Put(document.KeyType, rawjson.Quote(r.keep))
	}
	document.AddBeside(&b.Extras, rest)
	if !r.outer {
		document.AddBeside(&b.Extras, o.Rest(member, r.member).WithoutVoid())
	}
	return b
}

func isThought(o rawjson.Object) bool {
	return rawjson.IsString(o.Get("text")) && string(o.Get("thought")) == "true"
}

func hasValue(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return !rawjson.IsNullOrAbsent(o.Get(key)) }
}

// takeSuccess is the status of a result that has none.
func takeSuccess(b *document.Block, _ rawjson.Object) []string {
	b.Take("status", rawjson.Quote("success"))
	return nil
}

// takeServer tells apart the calls of a server's tools.
func takeServer(b *document.Block, o rawjson.Object) []string {
	if kind, _ := o.Text("type"); kind == "server_tool_use" {
		b.Type = document.BlockServerToolCall
	}
	return nil
}

func takeNoText(b *document.Block, o rawjson.Object) []string {
	if b.Text == nil {
		return withoutText(b, o)
	}
	return nil
}

// takeCode reads code that the provider runs.
func takeCode(b *document.Block, o rawjson.Object) []string {
	name := "code_execution"
	b.Name, b.Args = &name, o.Encode()
	taken := make([]string, len(o))
	for i := range o {
		taken[i] = o[i].Key
	}
	return taken
}

func takeOutcome(b *document.Block, o rawjson.Object) []string {
	status := "error"
	if outcome, _ := o.Text("outcome"); outcome == "OUTCOME_OK" {
		status = "success"
	}
	b.Status = &status
	return nil
}

// takeFormat reads {"format","source":{"bytes"} or {"s3Location":{"uri"}}}.
func takeFormat(family string) func(*document.Block, rawjson.Object) []string {
	return func(b *document.Block, o rawjson.Object) []string {
		taken := make([]string, 0, 2)
		if format, ok := o.Text("format"); ok {
			mime := family + format
			b.MimeType, taken = &mime, append(taken, "format")
		}
		source, _ := rawjson.ReadObject(o.Get("source"))
		location, _ := rawjson.ReadObject(source.Get("s3Location"))
		if len(source) == 1 && (b.Take("base64", source.Get("bytes")) || len(location) == 1 && b.Take("url", location.Get("uri"))) {
			taken = append(taken, "source")
		}
		return taken
	}
}

// takeCited reads {"content":[{"text"}]}, the pieces of a text with citations, and of a search result.
func takeCited(b *document.Block, o rawjson.Object) []string {
	list, _ := rawjson.ReadArray(o.Get("content"))
	var text strings.Builder
	whole := len(list) > 0
	for _, raw := range list {
		piece, _ := rawjson.ReadObject(raw)
		said, ok := piece.Text("text")
		whole = whole && ok && len(piece) == 1
		text.WriteString(said)
	}
	if !whole {
		return nil
	}
	all := text.String()
	b.Text = &all
	return []string{"content"}
}
