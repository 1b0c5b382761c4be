package responses

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// lose notes what the responses format can't express. The usage of an answer belongs to its last message.
func lose(p *convert.Prepared, lost *convert.Losses, rest *document.Extras) {
	if name, _ := rawjson.ReadString(p.Extras["object"]); len(p.Messages) == 0 && (p.Side == document.Inputs || name != "response") {
		lost.Add("without an item, the format can't be recognized", "messages")
	}
	if n := len(p.Messages); n > 0 && !rawjson.IsVoidOrAbsent(p.Messages[n-1].UsageMetadata) {
		lost.AddField(!rawjson.IsVoidOrAbsent((*rest)["usage_metadata"]), "an answer can have only one usage", []any{"extras", "usage_metadata"})
		*rest = rest.Without("usage_metadata")
	}
	lost.AddAlternatives()
	for i := range p.Messages {
		loseMessage(lost, &p.Document, i)
	}
}

// loseMessage notes what the responses format can't express of a message from another format.
func loseMessage(l *convert.Losses, d *document.Document, i int) {
	m, at := &d.Messages[i], []any{"messages", i}
	l.AddField(m.ToolCallID != nil && m.Role != document.RoleTool, "only the answer of a tool can refer to a call", append(at[:2:2], "tool_call_id"))
	l.AddField(!rawjson.IsVoidOrAbsent(m.UsageMetadata) && (d.Side == document.Inputs || i != len(d.Messages)-1 || !rawjson.IsObject(m.UsageMetadata)),
		"only a whole answer can have usage, which must be an object", append(at[:2:2], "usage_metadata"))
	if m.Role == document.RoleReasoning {
		loseReasoning(l, m, at)
		return
	}
	items := loseItems(l, m, at)
	alone := items > 0 && items == len(m.Content)
	switch m.Role {
	case document.RoleTool:
		written := []string{"id", "status"}
		if kind, ok := rawjson.ReadString(m.Extras[document.KeyType]); ok && strings.HasSuffix(kind, suffixCallOutput) && kind != functionCallOutput {
			written = append(written, document.KeyType)
		}
		l.AddExtras(m.Extras, written, at...)
		return
	case "", document.RoleSystem, document.RoleUser, document.RoleAssistant:
	default:
		l.Add("the format has no role "+m.Role, append(at[:2:2], "role")...)
	}
	var written []string
	if !alone {
		written = []string{"id", "status", "phase"}
	}
	l.AddExtras(m.Extras, written, at...)
	l.AddField(alone && m.Role == document.RoleAssistant && i > 0 && joinsCalls(&d.Messages[i-1]), "its calls would become part of the previous message", at)
}

// loseItems notes what the content of a message loses, and returns how many of its blocks become items of their own.
func loseItems(l *convert.Losses, m *document.Message, at []any) (items int) {
	for j := range m.Content {
		b, at := &m.Content[j], append(at[:2:2], "content", j)
		switch {
		case document.IsCall(b) || isVerbatimItem(b):
			loseItem(l, m, j, items, at)
			items++
		case items > 0:
			l.Add("content can't follow a call", at...)
		default:
			losePart(l, m, b, at)
		}
	}
	return items
}

// loseReasoning notes what a reasoning item can't express: it contains texts, those of the summary first.
func loseReasoning(l *convert.Losses, m *document.Message, at []any) {
	l.AddExtras(m.Extras, []string{"id", "status", "encrypted_content"}, at...)
	content := false
	for j := range m.Content {
		b, at := &m.Content[j], append(at[:2:2], "content", j)
		if b.Type != document.BlockReasoning || b.Text == nil {
			l.Add("a reasoning item can contain only reasoning texts", at...)
			continue
		}
		if b.Kind(part.SummaryText) == part.ReasoningText {
			content = true
			l.AddExtras(b.Extras, []string{document.KeyType}, at...)
			continue
		}
		l.AddField(content, "the summary must come first", at)
		l.AddExtras(b.Extras, nil, at...)
	}
}

// loseItem notes what the item of a call can't express.
func loseItem(l *convert.Losses, m *document.Message, j, items int, at []any) {
	b := &m.Content[j]
	at = slices.Clip(at)
	if isVerbatimItem(b) {
		loseVerbatim(l, m, b, at)
		return
	}
	if m.Role != document.RoleAssistant {
		l.Add("only messages with role assistant can call tools", at...)
		return
	}
	if b.Type == document.BlockServerToolResult {
		loseResult(l, m, j, at)
		return
	}
	kind := b.Kind("")
	written := []string{"id", "status", document.KeyType}
	name := strings.TrimSuffix(kind, part.SuffixCall)
	call, server := part.ServerCalls[kind]
	switch {
	case call.Foreign, server != (b.Type == document.BlockServerToolCall),
		kind != "" && kind != part.KindCustomCall && part.ClientCalls[kind] == "" && !server:
		l.Add(`the format has no such call; set extras.type, for example to "web_search_call"`, at...)
		return
	case kind == "":
		written = []string{"id", "status"}
		if b.Args == nil && argumentsFree(b.Extras) {
			written = append(written, "arguments")
		}
		if convert.IsIndex(b.Extras["index"], items) {
			written = append(written, "index")
		}
	case kind == part.KindCustomCall:
		_, free := b.FreeInput()
		l.AddField(b.Args != nil && !free, "the input of a custom tool is a string", append(at, "args"))
		if b.Args == nil && !rawjson.IsString(b.Extras["input"]) {
			written = append(written, "input")
		}
	case call.Named:
		written = []string{"status", document.KeyType, "server_label", "approval_request_id"}
	default:
		l.AddField(b.Name == nil || *b.Name != name, "the name must match the item's type: "+name, append(at, "name"))
		if server {
			written = []string{"status", document.KeyType, "container_id"}
			if call.ID != "id" {
				written = append(written, "id", "execution", "fingerprint")
			}
			l.AddField(!call.Holds(b), "the item has different arguments", append(at, "args"))
		}
	}
	l.AddExtras(b.Extras, written, at...)
}

func loseVerbatim(l *convert.Losses, m *document.Message, b *document.Block, at []any) {
	role, user := document.RoleAssistant, slices.Contains(userItems, b.Type)
	if user {
		role = document.RoleUser
	}
	l.AddField(b.Extras[document.KeyType] != nil, "the item already has a type", append(slices.Clip(at), "extras", document.KeyType))
	l.AddField(m.Role != role || user && len(m.Content) > 1, "such a message can't contain the item", at)
}

// argumentsFree says whether arguments in the extras aren't an object's text, which would be read as the call's arguments.
func argumentsFree(extras document.Extras) bool {
	arguments := extras["arguments"]
	var read document.Block
	return arguments != nil && !read.Take("input", arguments)
}

// loseResult notes what the item of a server call can't express of its result.
func loseResult(l *convert.Losses, m *document.Message, j int, at []any) {
	b := &m.Content[j]
	if !isResultOf(b) {
		l.AddField(b.Status != nil && *b.Status != part.ResultStatus(b.Output, nil), "the item has no status of the result", append(at, "status"))
		l.AddField(b.ID != nil, "a result can't have its own ID", append(at, "id"))
		l.AddField(b.Output == nil, "the item requires a result", append(at, "output"))
		l.AddExtras(b.Extras, []string{document.KeyType, "id", "status", "execution"}, at...)
		return
	}
	if j == 0 || m.Content[j-1].Type != document.BlockServerToolCall {
		l.Add("a result must directly follow its call", at...)
		return
	}
	call := &m.Content[j-1]
	known := part.ServerCalls[call.Kind("")].Result
	if known == "" || rawjson.IsNullOrAbsent(b.Output) || b.ToolCallID == nil || call.ID == nil || *b.ToolCallID != *call.ID {
		l.Add("a result must directly follow its call", at...)
		return
	}
	var written []string
	if part.IsError(b) && known == "output" {
		written = []string{part.KeyError}
	}
	status := "success"
	if part.CallFailed(call, b) {
		status = "error"
	}
	l.AddField(b.Status != nil && *b.Status != status, "the status of the call is "+status, append(at, "status"))
	l.AddField(b.ID != nil, "a result can't have its own ID", append(at, "id"))
	l.AddExtras(b.Extras, written, at...)
}

// losePart notes what a part can't express.
func losePart(l *convert.Losses, m *document.Message, b *document.Block, at []any) {
	at = slices.Clip(at)
	var written []string
	l.AddField(b.Text != nil && b.Type != document.BlockText, "such a part can't have text", append(at, "text"))
	switch b.Type {
	case document.BlockText:
		l.AddField(b.Text == nil, "the part has no text", append(at, "text"))
		if m.Role == document.RoleAssistant {
			written = []string{"logprobs"}
		}
		if convert.IsRefusal(b) {
			written = []string{"refusal"}
			l.AddField(b.Annotations != nil, "a refusal can't have annotations", append(at, "annotations"))
		}
	case document.BlockImage:
		written = []string{"detail"}
		if b.Kind("") == kindScreenshot && m.Role == document.RoleTool && len(m.Content) == 1 {
			written = append(written, document.KeyType)
		}
		l.AddImage(b, at)
	case document.BlockFile:
		written = []string{"filename"}
		l.AddFile(b, at)
	case document.BlockAudio:
		l.AddAudio(b, at)
		return
	default:
		l.Add("the format has no such part", at...)
		return
	}
	l.AddExtras(b.Extras, written, at...)
}
