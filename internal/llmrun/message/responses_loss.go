package message

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// loseResponses notes what the responses format can't express. The usage of an answer belongs to its last message.
func loseResponses(p *prepared, lost *losses, rest *Extras) {
	if name, _ := rawjson.ReadString(p.Extras["object"]); len(p.Messages) == 0 && (p.Side == Inputs || name != "response") {
		lost.add("without an item, the format can't be recognized", "messages")
	}
	if n := len(p.Messages); n > 0 && !rawjson.IsVoidOrAbsent(p.Messages[n-1].UsageMetadata) {
		lost.addField(!rawjson.IsVoidOrAbsent((*rest)["usage_metadata"]), "an answer can have only one usage", []any{"extras", "usage_metadata"})
		*rest = rest.Without("usage_metadata")
	}
	lost.addAlternatives()
	for i := range p.Messages {
		addResponsesMessage(lost, &p.Document, i)
	}
}

// addResponsesMessage notes what the responses format can't express of a message from another format.
func addResponsesMessage(l *losses, d *Document, i int) {
	m, at := &d.Messages[i], []any{"messages", i}
	l.addField(m.ToolCallID != nil && m.Role != RoleTool, "only the answer of a tool can refer to a call", append(at[:2:2], "tool_call_id"))
	l.addField(!rawjson.IsVoidOrAbsent(m.UsageMetadata) && (d.Side == Inputs || i != len(d.Messages)-1 || !rawjson.IsObject(m.UsageMetadata)),
		"only a whole answer can have usage, which must be an object", append(at[:2:2], "usage_metadata"))
	if m.Role == RoleReasoning {
		addReasoningItem(l, m, at)
		return
	}
	items := addItems(l, m, at)
	alone := items > 0 && items == len(m.Content)
	switch m.Role {
	case RoleTool:
		written := []string{"id", "status"}
		if kind, ok := rawjson.ReadString(m.Extras[keyType]); ok && strings.HasSuffix(kind, suffixCallOutput) && kind != functionCallOutput {
			written = append(written, keyType)
		}
		l.addExtras(m.Extras, written, at...)
		return
	case "", RoleSystem, RoleUser, RoleAssistant:
	default:
		l.add("the format has no role "+m.Role, append(at[:2:2], "role")...)
	}
	var written []string
	if !alone {
		written = []string{"id", "status", "phase"}
	}
	l.addExtras(m.Extras, written, at...)
	l.addField(alone && m.Role == RoleAssistant && i > 0 && joinsCalls(&d.Messages[i-1]), "its calls would become part of the previous message", at)
}

// addItems notes what the content of a message loses, and returns how many of its blocks become items of their own.
func addItems(l *losses, m *Message, at []any) (items int) {
	for j := range m.Content {
		b, at := &m.Content[j], append(at[:2:2], "content", j)
		switch {
		case isCall(b) || isVerbatimItem(b):
			addItemBlock(l, m, j, items, at)
			items++
		case items > 0:
			l.add("content can't follow a call", at...)
		default:
			addItemPart(l, m, b, at)
		}
	}
	return items
}

// addReasoningItem notes what a reasoning item can't express: it contains texts, those of the summary first.
func addReasoningItem(l *losses, m *Message, at []any) {
	l.addExtras(m.Extras, []string{"id", "status", "encrypted_content"}, at...)
	content := false
	for j := range m.Content {
		b, at := &m.Content[j], append(at[:2:2], "content", j)
		if b.Type != BlockReasoning || b.Text == nil {
			l.add("a reasoning item can contain only reasoning texts", at...)
			continue
		}
		if b.kind(summaryText) == reasoningText {
			content = true
			l.addExtras(b.Extras, []string{keyType}, at...)
			continue
		}
		l.addField(content, "the summary must come first", at)
		l.addExtras(b.Extras, nil, at...)
	}
}

// addItemBlock notes what the item of a call can't express.
func addItemBlock(l *losses, m *Message, j, items int, at []any) {
	b := &m.Content[j]
	at = slices.Clip(at)
	if isVerbatimItem(b) {
		role, user := RoleAssistant, slices.Contains(userItems, b.Type)
		if user {
			role = RoleUser
		}
		l.addField(b.Extras[keyType] != nil, "the item already has a type", append(at, "extras", keyType))
		l.addField(m.Role != role || user && len(m.Content) > 1, "such a message can't contain the item", at)
		return
	}
	if m.Role != RoleAssistant {
		l.add("only messages with role assistant can call tools", at...)
		return
	}
	if b.Type == BlockServerToolResult {
		addItemResult(l, m, j, at)
		return
	}
	kind := b.kind("")
	written := []string{"id", "status", keyType}
	name := strings.TrimSuffix(kind, suffixCall)
	call, server := serverCalls[kind]
	switch {
	case server != (b.Type == BlockServerToolCall), kind != "" && kind != kindCustomCall && clientCalls[kind] == "" && !server:
		l.add(`the format has no such call; set extras.type, for example to "web_search_call"`, at...)
		return
	case kind == "":
		written = []string{"id", "status"}
		if b.Args == nil && argumentsFree(b.Extras) {
			written = append(written, "arguments")
		}
		if isIndex(b.Extras["index"], items) {
			written = append(written, "index")
		}
	case kind == kindCustomCall:
		l.addField(b.Args != nil, "the input of a custom tool is a string", append(at, "args"))
		written = append(written, "input")
	case kind == kindMCPCall:
		written = []string{"status", keyType, "server_label", "approval_request_id"}
	default:
		l.addField(b.Name == nil || *b.Name != name, "the name must match the item's type: "+name, append(at, "name"))
		if server {
			written = []string{"status", keyType, "container_id"}
			l.addField(!call.holds(b), "the item has different arguments", append(at, "args"))
		}
	}
	l.addExtras(b.Extras, written, at...)
}

// argumentsFree says whether arguments in the extras aren't an object's text, which would be read as the call's arguments.
func argumentsFree(extras Extras) bool {
	arguments := extras["arguments"]
	var read Block
	return arguments != nil && !read.take("input", arguments)
}

// addItemResult notes what the item of a server call can't express of its result.
func addItemResult(l *losses, m *Message, j int, at []any) {
	b := &m.Content[j]
	if j == 0 || m.Content[j-1].Type != BlockServerToolCall {
		l.add("a result must directly follow its call", at...)
		return
	}
	call := &m.Content[j-1]
	known := serverCalls[call.kind("")].result
	if known == "" || rawjson.IsNullOrAbsent(b.Output) || b.ToolCallID == nil || call.ID == nil || *b.ToolCallID != *call.ID {
		l.add("a result must directly follow its call", at...)
		return
	}
	var written []string
	if isError(b) && known == "output" {
		written = []string{keyError}
	}
	status := "success"
	if callFailed(call, b) {
		status = "error"
	}
	l.addField(b.Status != nil && *b.Status != status, "the status of the call is "+status, append(at, "status"))
	l.addField(b.ID != nil, "a result can't have its own ID", append(at, "id"))
	l.addExtras(b.Extras, written, at...)
}

// addItemPart notes what a part can't express.
func addItemPart(l *losses, m *Message, b *Block, at []any) {
	at = slices.Clip(at)
	var written []string
	switch b.Type {
	case BlockText:
		l.addField(b.Text == nil, "the part has no text", append(at, "text"))
		if m.Role == RoleAssistant {
			written = []string{"logprobs"}
		}
		if isRefusal(b) {
			written = []string{"refusal"}
			l.addField(b.Annotations != nil, "a refusal can't have annotations", append(at, "annotations"))
		}
	case BlockImage:
		written = []string{"detail"}
		l.addField(b.URL != nil && b.Base64 != nil, "the part can have either a URL or data", append(at, "url"))
		l.addField(b.MimeType != nil && b.Base64 == nil, "a URL can't have a media type", append(at, "mime_type"))
		l.addField(b.Base64 != nil && (b.MimeType == nil || !plainMime(*b.MimeType)), "data requires a mime_type without parameters", append(at, "base64"))
	case BlockFile:
		written = []string{"filename"}
		l.addField(b.Base64 != nil && strings.HasPrefix(*b.Base64, "data:"), "the data must not be a data URL", append(at, "base64"))
		l.addField(b.MimeType != nil && (b.Base64 == nil || !plainMime(*b.MimeType)), "mime_type requires data, and no parameters", append(at, "mime_type"))
	case BlockAudio:
		l.addAudio(b, at)
		return
	default:
		l.add("the format has no such part", at...)
		return
	}
	l.addExtras(b.Extras, written, at...)
}
