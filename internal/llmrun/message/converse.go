package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// converseBlocks are the members that identify the blocks of the Converse operation, which have no type.
var converseBlocks = []string{
	"text", "image", "document", "video", "audio", "toolUse", "toolResult", "reasoningContent", "guardContent", "cachePoint",
	"citationsContent", "searchResult",
}

// isConverse says whether a document is a request or an answer of the Converse operation.
func isConverse(src Source) bool {
	o := src.Object
	if src.Side == Outputs {
		output, _ := rawjson.ReadObject(o.Get("output"))
		return isConverseMessage(output.Get("message"))
	}
	list, ok := rawjson.ReadArray(o.Get("messages"))
	return ok && len(list) > 0 && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !isConverseMessage(raw) })
}

// isConverseMessage says whether all blocks of a message have a member for their type.
func isConverseMessage(raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	_, hasRole := o.Text("role")
	blocks, ok := rawjson.ReadArray(o.Get("content"))
	return hasRole && ok && len(blocks) > 0 && !slices.ContainsFunc(blocks, func(raw json.RawMessage) bool {
		block, isObject := rawjson.ReadObject(raw)
		return !isObject || block.Has("type") || !slices.ContainsFunc(converseBlocks, block.Has)
	})
}

// parseConverse reads the messages of a request, with the system prompt as the first one, and the message of an answer.
// Tool results become separate messages.
func parseConverse(src Source) (*Document, bool) {
	o, side := src.Object, src.Side
	d := &Document{Format: FormatConverse, Side: side, Shape: shapeMessages, Messages: []Message{}}
	if side == Outputs {
		d.Shape = shapeMessage
		output, _ := rawjson.ReadObject(o.Get("output"))
		addConverse(d, output.Get("message"))
		d.Extras = o.Rest("output")
		if rest := output.Rest("message"); rest != nil {
			d.Extras.Put("output", rawjson.Object(nil).WithAll(rest).Encode())
		}
		return d, true
	}
	taken := []string{"messages"}
	if system, ok := rawjson.ReadArray(o.Get("system")); ok && rawjson.AllObjects(system) {
		m := Message{Role: RoleSystem, Content: []Block{}}
		for _, raw := range system {
			m.Content = append(m.Content, parseConverseBlock(raw))
		}
		d.Messages, taken = append(d.Messages, m), append(taken, "system")
	}
	list, _ := rawjson.ReadArray(o.Get("messages"))
	for _, raw := range list {
		addConverse(d, raw)
	}
	d.Extras = o.Rest(taken...)
	return d, true
}

// addConverse reads a message into one or more.
func addConverse(d *Document, raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	role, _ := o.Text("role")
	start := len(d.Messages)
	blocks, _ := rawjson.ReadArray(o.Get("content"))
	between := false
	for _, raw := range blocks {
		block, _ := rawjson.ReadObject(raw)
		if result, ok := rawjson.ReadObject(block.Get("toolResult")); ok {
			m := parseConverseResult(result)
			addBeside(&m.Extras, block.Rest("toolResult").WithoutVoid())
			d.Messages, between = append(d.Messages, m), false
			continue
		}
		if !between {
			d.Messages, between = append(d.Messages, Message{Role: role, Content: []Block{}}), true
		}
		last := &d.Messages[len(d.Messages)-1]
		last.Content = append(last.Content, parseConverseBlock(raw))
	}
	addBeside(&d.Messages[start].Extras, o.Rest("role", "content"))
}

// parseConverseResult reads {"toolUseId","content":[{"text"} or {"json"}],"status"}.
func parseConverseResult(o rawjson.Object) Message {
	m := Message{Role: RoleTool, Content: []Block{}}
	taken := make([]string, 0, 2)
	if id, ok := o.Text("toolUseId"); ok {
		m.ToolCallID, taken = &id, append(taken, "toolUseId")
	}
	if list, ok := rawjson.ReadArray(o.Get("content")); ok && rawjson.AllObjects(list) {
		taken = append(taken, "content")
		for _, raw := range list {
			m.Content = append(m.Content, parseConverseBlock(raw))
		}
	}
	m.Extras = o.Rest(taken...)
	return m
}

// parseConverseBlock reads a block, whose type is the name of its only member. Everything else becomes extras.
func parseConverseBlock(raw json.RawMessage) Block {
	o, _ := rawjson.ReadObject(raw)
	said := rawjson.Object(nil).WithAll(o.Rest().WithoutVoid())
	if len(said) == 0 {
		return Block{}
	}
	kind := said[0].Key
	known := append([]string{"json"}, converseBlocks...)
	if i := slices.IndexFunc(known, func(name string) bool { return !rawjson.IsNullOrAbsent(o.Get(name)) }); i >= 0 {
		kind = known[i]
	}
	b := Block{Type: kind}
	value := o.Get(kind)
	inner, isObject := rawjson.ReadObject(value)
	switch {
	case kind == "text" && rawjson.IsString(value):
		b.take("text", value)
	case kind == "json":
		text := rawjson.Compact(value)
		b = Block{Type: BlockText, Text: &text}
	case slices.Contains(converseMedia, kind) && isObject:
		b = parseConverseMedia(inner, kind)
	case kind == "toolUse" && isObject:
		b = Block{Type: BlockToolCall}
		b.Extras = inner.Rest(b.takeMembers(inner, "toolUseId", "id", "name", "name", "input", "args")...)
	case kind == "reasoningContent" && isObject:
		b = parseConverseReasoning(inner)
	case kind == "guardContent" && isObject:
		b = parseConverseGuard(inner)
	case kind == "citationsContent" && isObject:
		b = parseConverseCitations(inner)
	default:
		b.Extras.Put(kind, value)
	}
	addBeside(&b.Extras, o.Rest(kind).WithoutVoid())
	return b
}

// parseConverseGuard reads {"text": {"text"}}, a text that is checked.
func parseConverseGuard(o rawjson.Object) Block {
	text, ok := rawjson.ReadObject(o.Get("text"))
	b := Block{Type: BlockText, Extras: o.Rest("text")}
	if !ok {
		b.Extras = o.Rest()
	}
	addBeside(&b.Extras, text.Rest(b.takeMembers(text, "text", "text")...))
	return b
}

// converseMedia are the types of blocks with media.
var converseMedia = []string{BlockImage, "document", BlockVideo, BlockAudio}

// parseConverseMedia reads {"format","source":{"bytes"} or {"s3Location":{"uri"}}}.
func parseConverseMedia(o rawjson.Object, kind string) Block {
	b, family := Block{Type: kind}, kind
	if kind == "document" {
		b.Type, family = BlockFile, "application"
	}
	taken := make([]string, 0, 2)
	if format, ok := o.Text("format"); ok {
		mime := family + "/" + format
		b.MimeType, taken = &mime, append(taken, "format")
	}
	source, _ := rawjson.ReadObject(o.Get("source"))
	location, _ := rawjson.ReadObject(source.Get("s3Location"))
	switch {
	case len(source) == 1 && b.take("base64", source.Get("bytes")), len(source) == 1 && len(location) == 1 && b.take("url", location.Get("uri")):
		taken = append(taken, "source")
	}
	b.Extras = o.Rest(taken...)
	return b
}

// parseConverseReasoning reads {"reasoningText":{"text","signature"}} and {"redactedContent"}.
func parseConverseReasoning(o rawjson.Object) Block {
	b := Block{Type: BlockReasoning, Extras: o.Rest("reasoningText")}
	said, ok := rawjson.ReadObject(o.Get("reasoningText"))
	if !ok {
		b.Extras = o.Rest()
	}
	addBeside(&b.Extras, said.Rest(b.takeMembers(said, "text", "text")...))
	if b.Text == nil {
		none := ""
		b.Text = &none
	}
	return b
}

// parseConverseCitations reads {"content":[{"text"}],"citations":[…]}.
func parseConverseCitations(o rawjson.Object) Block {
	b := Block{Type: BlockText}
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
	if b.take("annotations", o.Get("citations")) {
		taken = append(taken, "citations")
	}
	b.Extras = o.Rest(taken...)
	return b
}
