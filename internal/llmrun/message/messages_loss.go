package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// loseMessages notes what the messages format can't express. The reason why an answer ended becomes its stop reason.
func loseMessages(p *prepared, lost *losses, rest *Extras) {
	shape := messagesShape(&p.Document)
	if shape == shapeBare {
		usage := p.Messages[0].UsageMetadata
		lost.addField(!rawjson.IsVoidOrAbsent(usage) && !rawjson.IsVoidOrAbsent((*rest)["usage_metadata"]), "an answer can have only one usage", []any{"extras", "usage_metadata"})
		if reason := stopReason(&p.Document); reason != "" {
			rest.Put("stop_reason", rawjson.Quote(reason))
		}
	}
	lost.addAlternatives()
	for i := range p.Messages {
		addMessagesMessage(lost, &p.Document, i, shape)
	}
}

// stopReason returns why the only message of an answer ended, if its choice contains nothing else.
func stopReason(d *Document) string {
	choice, ok := rawjson.ReadObject(d.Messages[0].Extras[choiceKey])
	if !ok || d.Extras["stop_reason"] != nil {
		return ""
	}
	for _, m := range choice {
		if m.Key != "finish_reason" && !rawjson.IsVoid(m.Value) && (m.Key != "index" || !isIndex(m.Value, 0)) {
			return ""
		}
	}
	finished, _ := choice.Text("finish_reason")
	for reason, finish := range stopReasons {
		if finish == finished {
			return reason
		}
	}
	return ""
}

// addMessagesMessage notes what the messages format can't express of a message from another format.
func addMessagesMessage(l *losses, d *Document, i int, shape string) {
	m, at := &d.Messages[i], []any{"messages", i}
	var written []string
	switch m.Role {
	case "", RoleUser, RoleAssistant:
	case RoleTool:
		written = []string{"is_error", "cache_control"}
		if first, ok := m.Extras["is_error"]; ok && !isBool(first) {
			written = written[1:]
		}
	case RoleSystem:
		l.addField(i > 0, "only the first message can be the system prompt", append(at[:2:2], "role"))
		l.addField(m.Content == nil, "the system prompt must have content", append(at[:2:2], "content"))
		l.addField(!rawjson.IsVoidOrAbsent(m.UsageMetadata), "the system prompt can't have usage", append(at[:2:2], "usage_metadata"))
	default:
		l.add("the format has no role "+m.Role, append(at[:2:2], "role")...)
	}
	l.addField(m.ToolCallID != nil && m.Role != RoleTool, "only the answer of a tool can refer to a call", append(at[:2:2], "tool_call_id"))
	if shape == shapeBare {
		if stopReason(d) != "" {
			written = append(written, choiceKey)
		}
		l.addField(!rawjson.IsVoidOrAbsent(m.UsageMetadata) && !rawjson.IsObject(m.UsageMetadata),
			"the usage of an answer must be an object", append(at[:2:2], "usage_metadata"))
	}
	l.addExtras(m.Extras, written, at...)
	calls := 0
	for j := range m.Content {
		b := &m.Content[j]
		addBlock(l, b, calls, append(at[:2:2], "content", j))
		if b.Type == BlockToolCall {
			calls++
		}
	}
}

func isBool(raw json.RawMessage) bool { return string(raw) == "true" || string(raw) == "false" }

// addBlock notes what a block of the messages format can't express.
func addBlock(l *losses, b *Block, calls int, at []any) {
	at = slices.Clip(at)
	written := []string{"cache_control"}
	switch b.Type {
	case BlockText:
		l.addField(b.Text == nil, "the block has no text", append(at, "text"))
		l.addField(!areCitations(b.Annotations), "a citation requires a location in a document, such as page_location", append(at, "annotations"))
	case BlockReasoning:
		written = []string{"signature"}
		if b.kind(kindThinking) == kindRedactedThinking && b.Text != nil {
			written = []string{keyType, "data"}
			l.addField(*b.Text != "", "redacted thinking can't have text", append(at, "text"))
		}
		l.addField(b.Text == nil, "the block has no text", append(at, "text"))
	case BlockImage, BlockFile:
		written = append(written, addSource(l, b, at)...)
	case BlockToolCall:
		written = append(written, inputExtras(b)...)
		if isIndex(b.Extras["index"], calls) {
			written = append(written, "index")
		}
	case BlockServerToolCall:
		written = append(append(written, inputExtras(b)...), "server_name")
		if strings.HasSuffix(b.kind(""), suffixToolUse) {
			written = append(written, keyType)
		}
	case BlockServerToolResult:
		written = append(written, "caller", "is_error")
		kind, status := b.kind(""), resultStatus(b.Output, b.Extras["is_error"])
		if strings.HasSuffix(kind, suffixToolResult) && kind != BlockServerToolResult {
			written = append(written, keyType)
		} else {
			l.add(`the type of the result is unknown; set extras.type, for example to "web_search_tool_result"`, at...)
		}
		l.addField(b.ID != nil, "a result can't have its own ID", append(at, "id"))
		l.addField(b.Status != nil && *b.Status != status, "the status of the output is "+status, append(at, "status"))
	case "search_result":
		l.addField(b.Extras[keyType] != nil, "the block already has a type", append(at, "extras", keyType))
		return
	default:
		l.add("the format has no such block", at...)
		return
	}
	l.addExtras(b.Extras, written, at...)
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
func inputExtras(b *Block) []string {
	if b.Args == nil && !rawjson.IsObject(b.Extras["input"]) {
		return []string{"caller", "input"}
	}
	return []string{"caller"}
}

// addSource notes what a source can't express, and returns the extras of a block with a source.
func addSource(l *losses, b *Block, at []any) []string {
	var written []string
	if b.Type == BlockFile {
		written = []string{"title", "context", "citations"}
		if b.kind("") == kindContainerUpload {
			l.addField(b.URL != nil, "an upload is referenced by ID", append(at, "url"))
			l.addField(b.Base64 != nil, "an upload is referenced by ID", append(at, "base64"))
			l.addField(b.MimeType != nil, "an upload is referenced by ID", append(at, "mime_type"))
			if b.ID == nil && !rawjson.IsString(b.Extras["file_id"]) {
				written = append(written, "file_id")
			}
			return append(written, keyType)
		}
	}
	var found bool
	for _, s := range sources {
		present := *b.text(s.field) != nil
		l.addField(present && found, "a source can be only one of data, a URL and an ID", append(at, s.field))
		found = found || present
	}
	l.addField(b.MimeType != nil && b.Base64 == nil, "only data can have a media type", append(at, "mime_type"))
	raw := b.Extras["source"]
	source, ok := rawjson.ReadObject(raw)
	var again Block
	takeSource(&again, rawjson.Of("source", raw))
	switch {
	case found && ok && !slices.ContainsFunc(source, isSourceMember),
		!found && raw != nil && again.Base64 == nil && again.URL == nil && again.ID == nil:
		written = append(written, "source")
	case !found && rawjson.IsVoidOrAbsent(raw):
		l.add("a source requires data, a URL or an ID", at...)
	}
	return written
}

// isSourceMember says whether a member of a source belongs to a field.
func isSourceMember(m rawjson.Member) bool {
	return slices.Contains([]string{"type", "media_type", "data", "url", "file_id"}, m.Key)
}
