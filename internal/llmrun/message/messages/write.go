package messages

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Target converts to a request's messages, an answer or, if an answer has several messages, a list of them.
var Target = &convert.Target{
	Format:  document.FormatMessages,
	Written: convert.WrittenKeys(document.FormatMessages),
	Shape:   writeSetting,
	Roles:   []string{"", document.RoleSystem, document.RoleUser, document.RoleAssistant, document.RoleTool},
	First:   document.RoleSystem,
	Extras:  extrasOf,
	Form:    forms.Of,
	Prepare: func(p *convert.Prepared) {
		completeChoice(p.Extras)
		if shapeOf(&p.Document) == document.ShapeBare && p.Extras["stop_reason"] == nil {
			p.TakeReason()
		}
	},
	Reasoning: (*convert.Prepared).MergeReasoning,
	Write: func(p *convert.Prepared, rest document.Extras) []byte {
		return write(p.Messages, shapeOf(&p.Document), rest)
	},
	Read: Read,
}

// forms are those of blocks. Servers often get new tools, whose calls and results keep their types.
var forms = convert.Forms{
	document.BlockText: {
		{Kind: part.KindSearchResult, Kept: true, Inner: searchResult, Extras: searchExtras},
		{Kind: part.KindCompaction, Kept: true, Members: []string{part.KindContent, "text"}, Extras: compactionExtras},
		{Kind: document.BlockText, Members: []string{"text", "text"}, Inner: citations, Extras: []string{"cache_control"}},
	},
	document.BlockReasoning: {
		{Kind: "redacted_thinking", Kept: true, Extras: []string{"data"}},
		{Kind: part.KindThinking, Members: []string{"thinking", "text"}, Extras: []string{"signature"}},
	},
	document.BlockImage: {{Kind: document.BlockImage, Within: "source", Inner: source, Extras: []string{"cache_control"}}},
	document.BlockFile: {
		{Kind: "container_upload", Kept: true, Members: []string{"file_id", "id"}, Extras: append(fileExtras, "file_id")},
		{Kind: "document", Within: "source", Inner: source, Extras: fileExtras},
	},
	document.BlockToolCall:       {{Kind: part.KindToolUse, Members: useMembers, Extras: useExtras}},
	document.BlockServerToolCall: {{Kind: "server_tool_use", Suffix: part.SuffixToolUse, Members: useMembers, Extras: serverExtras}},
	document.BlockServerToolResult: {{
		Suffix: part.SuffixToolResult, Members: resultMembers, Extras: []string{"cache_control", "caller", "is_error"},
	}},
}

var (
	useMembers       = []string{"id", "id", "name", "name", "input", "args"}
	resultMembers    = []string{"tool_use_id", "tool_call_id", "content", "output"}
	searchExtras     = []string{"cache_control", "source", "title", "citations", part.KindContent}
	compactionExtras = []string{"cache_control", "encrypted_content", "tool_changes"}
	fileExtras       = []string{"cache_control", "title", "context", "citations"}
	useExtras        = []string{"cache_control", "caller", "input"}
	serverExtras     = append(useExtras, "server_name")
)

// extrasOf returns the extras of a message: a tool's answer has those of a block.
func extrasOf(_ *convert.Prepared, m *document.Message) []string {
	isError := string(m.Extras["is_error"])
	switch {
	case m.Role != document.RoleTool:
		return nil
	case isError == "true" || isError == "false":
		return []string{"is_error", "cache_control"}
	default:
		return []string{"cache_control"}
	}
}

// write writes messages: a single plain text as a string, but as a list in an answer, and consecutive answers of
// tools as one message, which the service requires.
func write(messages []document.Message, shape string, rest document.Extras) []byte {
	if len(messages) > 0 && messages[0].Role == document.RoleSystem {
		if content := writeContent(&messages[0], true); content != nil {
			rest.Put("system", content)
		}
		messages = messages[1:]
	}
	wires := []json.RawMessage{}
	for len(messages) > 0 {
		n := 1
		for n < len(messages) && messages[0].Role == document.RoleTool && messages[n].Role == document.RoleTool && messages[n].UsageMetadata == nil {
			n++
		}
		o := writeMessage(messages[:n], shape != document.ShapeBare)
		if shape == document.ShapeBare {
			if usage := messages[0].UsageMetadata; usage != nil {
				rest.Put("usage_metadata", usage)
			}
			return o.WithAll(rest).Encode()
		}
		wires = append(wires, o.WithRaw("usage_metadata", messages[0].UsageMetadata).Encode())
		messages = messages[n:]
	}
	return rawjson.Of("messages", rawjson.EncodeArray(wires)).WithAll(rest).Encode()
}

// writeMessage writes a message, or several answers of tools.
func writeMessage(messages []document.Message, short bool) rawjson.Object {
	o := make(rawjson.Object, 0, 6)
	m := &messages[0]
	if m.Role != document.RoleTool {
		return o.WithName("role", m.Role).WithRaw("content", writeContent(m, short))
	}
	results := make([]json.RawMessage, len(messages))
	for i := range messages {
		m := &messages[i]
		results[i] = rawjson.Typed("tool_result").WithText("tool_use_id", m.ToolCallID).WithRaw("content", writeContent(m, short)).
			WithAll(m.Extras).Encode()
	}
	return o.With("role", rawjson.Quote(document.RoleUser)).With("content", rawjson.EncodeArray(results))
}

// writeContent writes content as a list of blocks, or as a string if that is short enough.
func writeContent(m *document.Message, short bool) json.RawMessage {
	if m.Content == nil {
		return nil
	}
	if short && len(m.Content) == 1 && document.IsPlainText(&m.Content[0]) && m.Content[0].Annotations == nil {
		return rawjson.Quote(*m.Content[0].Text)
	}
	blocks := make([]json.RawMessage, len(m.Content))
	for i := range m.Content {
		blocks[i] = forms.Of(m, &m.Content[i]).Write(&m.Content[i]).Encode()
	}
	return rawjson.EncodeArray(blocks)
}

// shapeOf returns how messages of another format are wrapped.
func shapeOf(d *document.Document) string {
	if d.Side == document.Inputs || len(d.Messages) != 1 {
		return document.ShapeMessages
	}
	switch m := &d.Messages[0]; {
	case m.Role == "" || m.Role == document.RoleSystem || m.Content == nil && m.Role != document.RoleTool:
		return document.ShapeMessages
	default:
		return document.ShapeBare
	}
}

// searchResult returns the text of a search result, unless the result is kept.
func searchResult(b *document.Block) rawjson.Object {
	if b.Extras[part.KindContent] != nil {
		return nil
	}
	text := rawjson.Typed(document.BlockText).WithText("text", b.Text).Encode()
	return rawjson.Of(part.KindContent, rawjson.EncodeArray([]json.RawMessage{text}))
}

// citations returns annotations that are citations of the messages format, which have a location in a document.
func citations(b *document.Block) rawjson.Object {
	list, _ := rawjson.ReadArray(b.Annotations)
	if rawjson.AnyObject(list, func(o rawjson.Object) bool {
		kind, _ := o.Text("type")
		return !strings.HasSuffix(kind, "_location")
	}) {
		return nil
	}
	return rawjson.Object(nil).WithRaw("citations", b.Annotations)
}

// source returns the data of a block. Content is kept whole beside its text.
func source(b *document.Block) rawjson.Object {
	rest, _ := rawjson.ReadObject(b.Extras["source"])
	if kind, _ := rest.Text("type"); kind == part.KindContent {
		return nil
	}
	for _, s := range part.Sources {
		if data := *b.Field(s.Field); data != nil {
			o := rawjson.Typed(s.Kind).With(s.Key, rawjson.Quote(*data))
			if s.Field == "base64" || s.Field == "text" {
				o = o.WithText("media_type", b.MimeType)
			}
			return o
		}
	}
	return nil
}

// writeSetting writes a setting. An input_schema is required, and answers always have the schema.
func writeSetting(setting string, value json.RawMessage) (shaped json.RawMessage, dropped []string, reason string) {
	o, _ := rawjson.ReadObject(value)
	switch kind, _ := o.Text("type"); {
	case setting == convert.Tools && kind == part.KeyFunction:
		schema := o.Get("parameters")
		if schema == nil {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		return rawjson.Object(nil).WithRaw("name", o.Get("name")).WithRaw("description", o.Get("description")).
			With("input_schema", schema).WithRaw("strict", o.Get("strict")).Encode(), nil, ""
	case setting == convert.ToolChoice && kind == part.KeyFunction:
		return rawjson.Typed("tool").WithRaw("name", o.Get("name")).Encode(), nil, ""
	case setting == convert.ToolChoice && rawjson.IsString(value):
		word, _ := rawjson.ReadString(value)
		if word == "required" {
			word = "any"
		}
		return rawjson.Typed(word).Encode(), nil, ""
	case setting == convert.Tools, setting == convert.ToolChoice:
		return nil, nil, "the format has no such tool or choice"
	case setting == convert.Parallel:
		value = convert.Not(value)
	case setting == convert.Stop && rawjson.IsString(value):
		value = rawjson.EncodeArray([]json.RawMessage{value})
	case setting == convert.ResponseFormat:
		return shapeFormat(o, kind)
	}
	return value, nil, ""
}

// shapeFormat writes the format of an answer. Without it, an answer is text.
func shapeFormat(o rawjson.Object, kind string) (shaped json.RawMessage, dropped []string, reason string) {
	switch kind {
	case document.BlockText:
		return nil, nil, ""
	case "json_schema":
		for _, m := range o {
			if m.Key != "type" && m.Key != "schema" {
				dropped = append(dropped, m.Key)
			}
		}
		return rawjson.Typed(kind).WithRaw("schema", o.Get("schema")).Encode(), dropped, ""
	default:
		return nil, nil, "the format of an answer must be json_schema"
	}
}

// completeChoice completes a choice of tools that says only whether there may be several calls at once. If no tool may be called,
// that has no meaning, and the service refuses it.
func completeChoice(rest document.Extras) {
	o, ok := rawjson.ReadObject(rest["tool_choice"])
	switch kind, hasType := o.Text("type"); {
	case ok && kind == "none":
		rest.Put("tool_choice", rawjson.Typed(kind).Encode())
	case ok && !hasType:
		rest.Put("tool_choice", rawjson.Typed("auto").WithAll(o.Rest()).Encode())
	}
}
