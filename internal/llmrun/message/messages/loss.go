package messages

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// lose notes what the messages format can't express. The reason why an answer ended becomes its stop reason.
func lose(p *convert.Prepared, lost *convert.Losses, rest *document.Extras) {
	shape := shapeOf(&p.Document)
	if shape == document.ShapeBare {
		usage := p.Messages[0].UsageMetadata
		lost.AddField(!rawjson.IsVoidOrAbsent(usage) && !rawjson.IsVoidOrAbsent((*rest)["usage_metadata"]),
			"an answer can have only one usage", []any{"extras", "usage_metadata"})
		if reason := StopReason(&p.Document); reason != "" {
			rest.Put("stop_reason", rawjson.Quote(reason))
		}
	}
	lost.AddAlternatives()
	for i := range p.Messages {
		loseMessage(lost, &p.Document, i, shape)
	}
}

// StopReason returns why the only message of an answer ended, if its choice contains nothing else.
func StopReason(d *document.Document) string {
	choice, ok := rawjson.ReadObject(d.Messages[0].Extras[envelope.ChoiceKey])
	if !ok || d.Extras["stop_reason"] != nil {
		return ""
	}
	for _, m := range choice {
		if m.Key != "finish_reason" && !rawjson.IsVoid(m.Value) && (m.Key != "index" || !convert.IsIndex(m.Value, 0)) {
			return ""
		}
	}
	finished, _ := choice.Text("finish_reason")
	for reason, finish := range convert.StopReasons {
		if finish == finished {
			return reason
		}
	}
	return ""
}

// loseMessage notes what the messages format can't express of a message from another format.
func loseMessage(l *convert.Losses, d *document.Document, i int, shape string) {
	m, at := &d.Messages[i], []any{"messages", i}
	var written []string
	switch m.Role {
	case "", document.RoleUser, document.RoleAssistant:
	case document.RoleTool:
		written = []string{"is_error", "cache_control"}
		if first, ok := m.Extras["is_error"]; ok && !isBool(first) {
			written = written[1:]
		}
	case document.RoleSystem:
		l.AddField(i > 0, "only the first message can be the system prompt", append(at[:2:2], "role"))
		l.AddField(m.Content == nil, "the system prompt must have content", append(at[:2:2], "content"))
		l.AddField(!rawjson.IsVoidOrAbsent(m.UsageMetadata), "the system prompt can't have usage", append(at[:2:2], "usage_metadata"))
	default:
		l.Add("the format has no role "+m.Role, append(at[:2:2], "role")...)
	}
	l.AddField(m.ToolCallID != nil && m.Role != document.RoleTool, "only the answer of a tool can refer to a call", append(at[:2:2], "tool_call_id"))
	if shape == document.ShapeBare {
		if StopReason(d) != "" {
			written = append(written, envelope.ChoiceKey)
		}
		l.AddField(!rawjson.IsVoidOrAbsent(m.UsageMetadata) && !rawjson.IsObject(m.UsageMetadata),
			"the usage of an answer must be an object", append(at[:2:2], "usage_metadata"))
	}
	l.AddExtras(m.Extras, written, at...)
	calls := 0
	for j := range m.Content {
		b := &m.Content[j]
		loseBlock(l, b, calls, append(at[:2:2], "content", j))
		if b.Type == document.BlockToolCall {
			calls++
		}
	}
}

func isBool(raw json.RawMessage) bool { return string(raw) == "true" || string(raw) == "false" }

// loseBlock notes what a block of the messages format can't express.
func loseBlock(l *convert.Losses, b *document.Block, calls int, at []any) {
	at = slices.Clip(at)
	written := []string{"cache_control"}
	switch b.Type {
	case document.BlockText:
		switch b.Kind("") {
		case part.KindSearchResult:
			written = append(written, document.KeyType, "source", "title", "citations", part.KindContent)
		case part.KindCompaction:
			written = append(written, document.KeyType, "encrypted_content", "tool_changes")
		}
		l.AddField(b.Text == nil, "the block has no text", append(at, "text"))
		l.AddField(!areCitations(b.Annotations), "a citation requires a location in a document, such as page_location", append(at, "annotations"))
	case document.BlockReasoning:
		written = []string{"signature"}
		if b.Kind(part.KindThinking) == kindRedactedThinking && b.Text != nil {
			written = []string{document.KeyType, "data"}
			l.AddField(*b.Text != "", "redacted thinking can't have text", append(at, "text"))
		}
		l.AddField(b.Text == nil, "the block has no text", append(at, "text"))
	case document.BlockImage, document.BlockFile:
		written = append(written, loseSource(l, b, at)...)
	case document.BlockToolCall:
		written = append(written, inputExtras(b)...)
		if convert.IsIndex(b.Extras["index"], calls) {
			written = append(written, "index")
		}
	case document.BlockServerToolCall:
		written = append(append(written, inputExtras(b)...), "server_name")
		if strings.HasSuffix(b.Kind(""), part.SuffixToolUse) {
			written = append(written, document.KeyType)
		}
	case document.BlockServerToolResult:
		written = append(written, "caller", "is_error")
		kind, status := b.Kind(""), part.ResultStatus(b.Output, b.Extras["is_error"])
		if strings.HasSuffix(kind, part.SuffixToolResult) && kind != document.BlockServerToolResult {
			written = append(written, document.KeyType)
		} else {
			l.Add(`the type of the result is unknown; set extras.type, for example to "web_search_tool_result"`, at...)
		}
		l.AddField(b.ID != nil, "a result can't have its own ID", append(at, "id"))
		l.AddField(b.Status != nil && *b.Status != status, "the status of the output is "+status, append(at, "status"))
	default:
		l.Add("the format has no such block", at...)
		return
	}
	l.AddExtras(b.Extras, written, at...)
}

// areCitations says whether annotations are citations of the messages format.
func areCitations(raw json.RawMessage) bool {
	list, _ := rawjson.ReadArray(raw)
	return !slices.ContainsFunc(list, func(raw json.RawMessage) bool {
		o, _ := rawjson.ReadObject(raw)
		kind, _ := o.Text("type")
		return !strings.HasSuffix(kind, "_location")
	})
}

// inputExtras are the extras of a call. They include an input that isn't an object.
func inputExtras(b *document.Block) []string {
	if b.Args == nil && !rawjson.IsObject(b.Extras["input"]) {
		return []string{"caller", "input"}
	}
	return []string{"caller"}
}

// loseSource notes what a source can't express, and returns the extras of a block with a source.
func loseSource(l *convert.Losses, b *document.Block, at []any) []string {
	var written []string
	if b.Type == document.BlockFile {
		written = []string{"title", "context", "citations"}
		if b.Kind("") == kindContainerUpload {
			for _, field := range []string{"url", "base64", "mime_type", "text"} {
				l.AddField(*b.Field(field) != nil, "an upload is referenced by ID", append(at, field))
			}
			if b.ID == nil && !rawjson.IsString(b.Extras["file_id"]) {
				written = append(written, "file_id")
			}
			return append(written, document.KeyType)
		}
	}
	var found bool
	for _, s := range part.Sources {
		present := *b.Field(s.Field) != nil
		l.AddField(present && found, "a source can be only one of data, a URL and an ID", append(at, s.Field))
		found = found || present
	}
	l.AddField(b.MimeType != nil && b.Base64 == nil && b.Text == nil, "only data can have a media type", append(at, "mime_type"))
	switch raw := b.Extras["source"]; {
	case keepsSource(b, raw, found):
		written = append(written, "source")
	case !found && rawjson.IsVoidOrAbsent(raw):
		l.Add("a source requires data, a URL or an ID", at...)
	}
	return written
}

// keepsSource says whether what the extras have of a source can be written: content whose text is that of the block, the rest of a
// source, or a source of which nothing is in a field.
func keepsSource(b *document.Block, raw json.RawMessage, found bool) bool {
	source, ok := rawjson.ReadObject(raw)
	var again document.Block
	part.TakeSource(&again, rawjson.Of("source", raw))
	switch {
	case !found:
		return raw != nil && again.Base64 == nil && again.URL == nil && again.ID == nil && again.Text == nil
	case isContent(source):
		return again.Text != nil && b.Text != nil && *again.Text == *b.Text
	default:
		return ok && !slices.ContainsFunc(source, isSourceMember)
	}
}

// isContent says whether a source has content, which is written as it is.
func isContent(source rawjson.Object) bool {
	kind, _ := source.Text("type")
	return kind == part.KindContent
}

// isSourceMember says whether a member of a source belongs to a field.
func isSourceMember(m rawjson.Member) bool {
	return slices.Contains([]string{"type", "media_type", "data", "url", "file_id"}, m.Key)
}
