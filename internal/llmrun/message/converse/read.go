package converse

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// blockKinds are the members that identify the blocks of the Converse operation, which have no type.
var blockKinds = []string{
	"text", "image", "document", "video", "audio", "toolUse", "toolResult", "reasoningContent", "guardContent", "cachePoint",
	"citationsContent", "searchResult",
}

// Has says whether a document is a request or an answer of the Converse operation.
func Has(src document.Source) bool {
	o := src.Object
	if src.Side == document.Outputs {
		output, _ := rawjson.ReadObject(o.Get("output"))
		return isMessage(output.Get("message"))
	}
	list, ok := rawjson.ReadArray(o.Get("messages"))
	return ok && len(list) > 0 && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !isMessage(raw) })
}

// isMessage says whether all blocks of a message have a member for their type.
func isMessage(raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	_, hasRole := o.Text("role")
	blocks, ok := rawjson.ReadArray(o.Get("content"))
	return hasRole && ok && len(blocks) > 0 && !slices.ContainsFunc(blocks, func(raw json.RawMessage) bool {
		block, isObject := rawjson.ReadObject(raw)
		return !isObject || block.Has("type") || !slices.ContainsFunc(blockKinds, block.Has)
	})
}

// Read reads the messages of a request, with the system prompt as the first one, and the message of an answer.
// Tool results become separate messages.
func Read(src document.Source) (*document.Document, bool) {
	o, side := src.Object, src.Side
	d := &document.Document{Format: document.FormatConverse, Side: side, Shape: document.ShapeMessages, Messages: []document.Message{}}
	if side == document.Outputs {
		d.Shape = document.ShapeMessage
		output, _ := rawjson.ReadObject(o.Get("output"))
		addMessage(d, output.Get("message"))
		d.Extras = o.Rest("output")
		if rest := output.Rest("message"); rest != nil {
			d.Extras.Put("output", rawjson.Object(nil).WithAll(rest).Encode())
		}
		return d, true
	}
	taken := []string{"messages"}
	if system, ok := rawjson.ReadArray(o.Get("system")); ok && rawjson.AllObjects(system) {
		m := document.Message{Role: document.RoleSystem, Content: []document.Block{}}
		for _, raw := range system {
			m.Content = append(m.Content, readBlock(raw))
		}
		d.Messages, taken = append(d.Messages, m), append(taken, "system")
	}
	list, _ := rawjson.ReadArray(o.Get("messages"))
	for _, raw := range list {
		addMessage(d, raw)
	}
	d.Extras = o.Rest(taken...)
	return d, true
}

// addMessage reads a message into one or more.
func addMessage(d *document.Document, raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	role, _ := o.Text("role")
	start := len(d.Messages)
	blocks, _ := rawjson.ReadArray(o.Get("content"))
	between := false
	for _, raw := range blocks {
		block, _ := rawjson.ReadObject(raw)
		if result, ok := rawjson.ReadObject(block.Get("toolResult")); ok {
			m := readResult(result)
			document.AddBeside(&m.Extras, block.Rest("toolResult").WithoutVoid())
			d.Messages, between = append(d.Messages, m), false
			continue
		}
		if !between {
			d.Messages, between = append(d.Messages, document.Message{Role: role, Content: []document.Block{}}), true
		}
		last := &d.Messages[len(d.Messages)-1]
		last.Content = append(last.Content, readBlock(raw))
	}
	document.AddBeside(&d.Messages[start].Extras, o.Rest("role", "content"))
}

// readResult reads {"toolUseId","content":[{"text"} or {"json"}],"status"}.
func readResult(o rawjson.Object) document.Message {
	m := document.Message{Role: document.RoleTool, Content: []document.Block{}}
	taken := make([]string, 0, 2)
	if id, ok := o.Text("toolUseId"); ok {
		m.ToolCallID, taken = &id, append(taken, "toolUseId")
	}
	if list, ok := rawjson.ReadArray(o.Get("content")); ok && rawjson.AllObjects(list) {
		taken = append(taken, "content")
		for _, raw := range list {
			m.Content = append(m.Content, readBlock(raw))
		}
	}
	m.Extras = o.Rest(taken...)
	return m
}

// readBlock reads a block, whose type is the name of its only member. Everything else becomes extras.
func readBlock(raw json.RawMessage) document.Block {
	o, _ := rawjson.ReadObject(raw)
	said := rawjson.Object(nil).WithAll(o.Rest().WithoutVoid())
	if len(said) == 0 {
		return document.Block{}
	}
	kind := said[0].Key
	known := append([]string{"json"}, blockKinds...)
	if i := slices.IndexFunc(known, func(name string) bool { return !rawjson.IsNullOrAbsent(o.Get(name)) }); i >= 0 {
		kind = known[i]
	}
	b := document.Block{Type: kind}
	value := o.Get(kind)
	inner, isObject := rawjson.ReadObject(value)
	switch {
	case kind == "text" && rawjson.IsString(value):
		b.Take("text", value)
	case kind == "json":
		text := rawjson.Compact(value)
		b = document.Block{Type: document.BlockText, Text: &text}
	case slices.Contains(mediaKinds, kind) && isObject:
		b = readMedia(inner, kind)
	case kind == "toolUse" && isObject:
		b = document.Block{Type: document.BlockToolCall}
		b.Extras = inner.Rest(b.TakeMembers(inner, "toolUseId", "id", "name", "name", "input", "args")...)
	case kind == "reasoningContent" && isObject:
		b = readReasoning(inner)
	case kind == "guardContent" && isObject:
		b = readGuard(inner)
	case kind == "citationsContent" && isObject:
		b = readCitations(inner)
	default:
		b.Extras.Put(kind, value)
	}
	document.AddBeside(&b.Extras, o.Rest(kind).WithoutVoid())
	return b
}

// readGuard reads {"text": {"text"}}, a text that is checked.
func readGuard(o rawjson.Object) document.Block {
	text, ok := rawjson.ReadObject(o.Get("text"))
	b := document.Block{Type: document.BlockText, Extras: o.Rest("text")}
	if !ok {
		b.Extras = o.Rest()
	}
	document.AddBeside(&b.Extras, text.Rest(b.TakeMembers(text, "text", "text")...))
	return b
}

// mediaKinds are the types of blocks with media.
var mediaKinds = []string{document.BlockImage, "document", document.BlockVideo, document.BlockAudio}

// readMedia reads {"format","source":{"bytes"} or {"s3Location":{"uri"}}}.
func readMedia(o rawjson.Object, kind string) document.Block {
	b, family := document.Block{Type: kind}, kind
	if kind == "document" {
		b.Type, family = document.BlockFile, "application"
	}
	taken := make([]string, 0, 2)
	if format, ok := o.Text("format"); ok {
		mime := family + "/" + format
		b.MimeType, taken = &mime, append(taken, "format")
	}
	source, _ := rawjson.ReadObject(o.Get("source"))
	location, _ := rawjson.ReadObject(source.Get("s3Location"))
	switch {
	case len(source) == 1 && b.Take("base64", source.Get("bytes")), len(source) == 1 && len(location) == 1 && b.Take("url", location.Get("uri")):
		taken = append(taken, "source")
	}
	b.Extras = o.Rest(taken...)
	return b
}

// readReasoning reads {"reasoningText":{"text","signature"}} and {"redactedContent"}.
func readReasoning(o rawjson.Object) document.Block {
	b := document.Block{Type: document.BlockReasoning, Extras: o.Rest("reasoningText")}
	said, ok := rawjson.ReadObject(o.Get("reasoningText"))
	if !ok {
		b.Extras = o.Rest()
	}
	document.AddBeside(&b.Extras, said.Rest(b.TakeMembers(said, "text", "text")...))
	if b.Text == nil {
		none := ""
		b.Text = &none
	}
	return b
}

// readCitations reads {"content":[{"text"}],"citations":[…]}.
func readCitations(o rawjson.Object) document.Block {
	b := document.Block{Type: document.BlockText}
	taken := make([]string, 0, 2)
	list, _ := rawjson.ReadArray(o.Get("content"))
	var text strings.Builder
	whole := len(list) > 0
	for _, raw := range list {
		part, _ := rawjson.ReadObject(raw)
		said, ok := part.Text("text")
		whole = whole && ok && len(part) == 1
		text.WriteString(said)
	}
	if whole {
		all := text.String()
		b.Text, taken = &all, append(taken, "content")
	}
	if b.Take("annotations", o.Get("citations")) {
		taken = append(taken, "citations")
	}
	b.Extras = o.Rest(taken...)
	return b
}
