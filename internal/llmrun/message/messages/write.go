package messages

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of blocks that stand for one of the normal form with the extra "type".
const (
	kindRedactedThinking = "redacted_thinking"
	kindContainerUpload  = "container_upload"
)

// ownKeys are the members of requests and answers beside the messages.
var ownKeys = []string{
	"anthropic_version", "betas", "container", "context_management", "inference_geo", "max_tokens", "mcp_servers", "metadata", "model_name",
	"output_config", "output_format", "service_tier", "stop_reason", "stop_sequence", "stop_sequences", "thinking",
	"tool_choice", "tools", "top_k", "type", "usage",
}

// Target converts to a request's messages, an answer or, if an answer has several messages, a list of them.
var Target = &convert.Target{
	Format:  document.FormatMessages,
	Written: func(d *document.Document) []string { return convert.WrittenKeys(d, ownKeys) },
	Request: request,
	Roles:   []string{"", document.RoleSystem, document.RoleUser, document.RoleAssistant, document.RoleTool},
	First:   document.RoleSystem,
	Extras:  extrasOf,
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

// kindExtras are the extras of blocks that stand for one of the normal form with the extra "type".
var kindExtras = map[string][]string{
	part.KindSearchResult: {document.KeyType, "cache_control", "source", "title", "citations", part.KindContent},
	part.KindCompaction:   {document.KeyType, "cache_control", "encrypted_content", "tool_changes"},
	kindRedactedThinking:  {document.KeyType, "data"},
	kindContainerUpload:   {document.KeyType, "cache_control", "title", "context", "citations", "file_id"},
}

// blockExtras are the extras of the other blocks.
var blockExtras = map[string][]string{
	document.BlockText:             {"cache_control"},
	document.BlockReasoning:        {"signature"},
	document.BlockImage:            {"cache_control", "source"},
	document.BlockFile:             {"cache_control", "source", "title", "context", "citations"},
	document.BlockToolCall:         {"cache_control", "caller", "input"},
	document.BlockServerToolCall:   {"cache_control", "caller", "input", "server_name"},
	document.BlockServerToolResult: {"cache_control", "caller", "is_error", document.KeyType},
}

// extrasOf returns the extras of a message or a block.
func extrasOf(_ *convert.Prepared, m *document.Message, b *document.Block) ([]string, bool) {
	if b == nil {
		isError := string(m.Extras["is_error"])
		switch {
		case m.Role != document.RoleTool:
			return nil, true
		case isError == "true" || isError == "false":
			return []string{"is_error", "cache_control"}, true
		default:
			return []string{"cache_control"}, true
		}
	}
	known, ok := blockExtras[b.Type]
	if of := kindExtras[b.Kind("")]; of != nil && usualTypes[b.Kind("")] == b.Type {
		known = of
	}
	if b.Type == document.BlockServerToolCall && strings.HasSuffix(b.Kind(""), part.SuffixToolUse) {
		known = append(slices.Clip(known), document.KeyType)
	}
	return known, ok
}

// usualTypes are the types in the normal form of the blocks of kindExtras.
var usualTypes = map[string]string{
	part.KindSearchResult: document.BlockText, part.KindCompaction: document.BlockText,
	kindRedactedThinking: document.BlockReasoning, kindContainerUpload: document.BlockFile,
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
		if m.Role != "" {
			o = o.With("role", rawjson.Quote(m.Role))
		}
		return o.WithRaw("content", writeContent(m, short))
	}
	results := make([]json.RawMessage, len(messages))
	for i := range messages {
		m := &messages[i]
		results[i] = convert.OfType("tool_result").WithText("tool_use_id", m.ToolCallID).WithRaw("content", writeContent(m, short)).
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
		blocks[i] = writeBlock(&m.Content[i])
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

// writeBlock writes a block of the messages format.
func writeBlock(b *document.Block) json.RawMessage {
	var o rawjson.Object
	extras := b.Extras.Without(document.KeyType)
	switch b.Type {
	case document.BlockText:
		switch kind := b.Kind(document.BlockText); {
		case kind == part.KindSearchResult && extras[part.KindContent] == nil:
			text := convert.OfType(document.BlockText).WithText("text", b.Text).Encode()
			o = convert.OfType(kind).With(part.KindContent, rawjson.EncodeArray([]json.RawMessage{text}))
		case kind == part.KindSearchResult:
			o = convert.OfType(kind)
		case kind == part.KindCompaction:
			o = convert.OfType(kind).WithText(part.KindContent, b.Text)
		case areCitations(b.Annotations):
			o = convert.OfType(document.BlockText).WithText("text", b.Text).WithRaw("citations", b.Annotations)
		default:
			o = convert.OfType(document.BlockText).WithText("text", b.Text)
		}
	case document.BlockReasoning:
		if o = convert.OfType(b.Kind(part.KindThinking)); b.Kind(part.KindThinking) == part.KindThinking {
			o = o.WithText("thinking", b.Text)
		}
	case document.BlockImage, document.BlockFile:
		if b.Kind("") == kindContainerUpload {
			o = convert.OfType(kindContainerUpload).WithText("file_id", b.ID)
			break
		}
		kind := map[string]string{document.BlockImage: document.BlockImage, document.BlockFile: "document"}[b.Type]
		o, extras = convert.OfType(kind).WithRaw("source", writeSource(b)), extras.Without("source")
	case document.BlockToolCall, document.BlockServerToolCall:
		usual := map[string]string{document.BlockToolCall: part.KindToolUse, document.BlockServerToolCall: "server_tool_use"}[b.Type]
		o = convert.OfType(b.Kind(usual)).WithText("id", b.ID).WithText("name", b.Name).WithRaw("input", b.Args)
	default:
		o = convert.OfType(b.Kind("")).WithText("tool_use_id", b.ToolCallID).WithRaw("content", b.Output)
	}
	return o.WithAll(extras).Encode()
}

// areCitations says whether annotations are citations of the messages format, which have a location in a document.
func areCitations(raw json.RawMessage) bool {
	list, _ := rawjson.ReadArray(raw)
	return !slices.ContainsFunc(list, func(raw json.RawMessage) bool {
		o, _ := rawjson.ReadObject(raw)
		kind, _ := o.Text("type")
		return !strings.HasSuffix(kind, "_location")
	})
}

func writeSource(b *document.Block) json.RawMessage {
	rest, _ := rawjson.ReadObject(b.Extras["source"])
	if kind, _ := rest.Text("type"); kind == part.KindContent { // It is kept whole beside its text.
		return b.Extras["source"]
	}
	for _, s := range part.Sources {
		if data := *b.Field(s.Field); data != nil {
			o := convert.OfType(s.Kind).With(s.Key, rawjson.Quote(*data))
			if s.Field == "base64" || s.Field == "text" {
				o = o.WithText("media_type", b.MimeType)
			}
			return convert.WithRest(o, b.Extras["source"])
		}
	}
	return b.Extras["source"]
}
