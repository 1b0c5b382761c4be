package aisdk

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of parts for which the SDK has its own names.
const (
	kindCall   = "tool-call"
	kindResult = "tool-result"
)

// Has says whether a document is a call or a result of the SDK whose parts have names such as tool-call.
func Has(src document.Source) bool {
	if src.Side == document.Outputs && isResult(src.Object) {
		return true
	}
	list, ok := messagesOf(src)
	return ok && (slices.ContainsFunc(list, isMessage) || src.Side == document.Inputs && rawjson.IsArray(src.Object.Get("prompt")))
}

// isResult says whether an answer is a result: it contains the SDK's names for why it ended.
func isResult(o rawjson.Object) bool {
	if !o.Has("finishReason") && !rawjson.IsArray(o.Get("toolCalls")) || o.Has("candidates") || o.Has("choices") {
		return false
	}
	return o.Has("text") || rawjson.IsArray(o.Get("content")) && !o.Has("messages")
}

// messagesOf are the messages of a call or an answer.
func messagesOf(src document.Source) ([]json.RawMessage, bool) {
	o, side := src.Object, src.Side
	if prompt, ok := rawjson.ReadArray(o.Get("prompt")); ok && side == document.Inputs {
		return prompt, len(prompt) > 0 && !slices.ContainsFunc(prompt, func(raw json.RawMessage) bool { return !envelope.IsMessage(raw) })
	}
	if list, ok := rawjson.ReadArray(o.Get("messages")); ok {
		return list, rawjson.AllObjects(list)
	}
	if list, ok := rawjson.ReadArray(src.Raw); ok {
		return list, rawjson.AllObjects(list)
	}
	return []json.RawMessage{src.Raw}, side == document.Outputs && rawjson.IsArray(o.Get("content"))
}

// isMessage says whether a message has a part that only the SDK has.
func isMessage(raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	parts, _ := rawjson.ReadArray(o.Get("content"))
	return slices.ContainsFunc(parts, func(raw json.RawMessage) bool {
		part, _ := rawjson.ReadObject(raw)
		kind, _ := part.Text("type")
		switch kind {
		case kindCall, kindResult, "tool-approval-request", "tool-approval-response":
			return true
		case document.BlockImage:
			return part.Has("image")
		case document.BlockFile:
			return part.Has("data") && (part.Has("mediaType") || part.Has("mimeType"))
		default:
			return false
		}
	})
}

// Read reads messages and results. Tool results become separate messages.
func Read(src document.Source) (*document.Document, bool) {
	o, side := src.Object, src.Side
	d := &document.Document{Format: document.FormatAISDK, Side: side, Shape: document.ShapeMessages, Messages: []document.Message{}}
	if side == document.Outputs && isResult(o) {
		d.Shape = document.ShapeResult
		addResult(d, o)
		return d, true
	}
	list, _ := messagesOf(src)
	taken := []string{"messages"}
	switch {
	case side == document.Inputs && rawjson.IsArray(o.Get("prompt")):
		d.Shape, taken = document.ShapePrompt, []string{"prompt"}
	case o == nil:
		d.Shape = document.ShapeList
	case !o.Has("messages"):
		message, rest := envelope.SplitBare(o)
		d.Shape, d.Extras = document.ShapeBare, rest
		addMessage(d, message)
		return d, true
	}
	if text, ok := o.Text("system"); ok && side == document.Inputs {
		d.Messages, taken = append(d.Messages, document.Text(document.RoleSystem, text)), append(taken, "system")
	}
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
	d.Messages = append(d.Messages, document.Message{Role: role, Content: []document.Block{}})
	taken := []string{"role"}
	if text, ok := o.Text("content"); ok {
		d.Messages[start].Content, taken = []document.Block{{Type: document.BlockText, Text: &text}}, append(taken, "content")
	}
	if parts, ok := rawjson.ReadArray(o.Get("content")); ok && rawjson.AllObjects(parts) {
		addParts(d, parts, role, start)
		taken = append(taken, "content")
	}
	m := &d.Messages[start]
	if part.AddCalls(m, o.Get("tool_calls")) {
		taken = append(taken, "tool_calls")
	}
	document.AddBeside(&m.Extras, o.Rest(taken...))
}

// addParts reads parts into the message at start, and tool results into messages after it, or instead of it if it has
// nothing else.
func addParts(d *document.Document, parts []json.RawMessage, role string, start int) {
	for _, raw := range parts {
		o, _ := rawjson.ReadObject(raw)
		if kind, _ := o.Text("type"); kind != kindResult || role == document.RoleAssistant {
			d.Messages[start].Content = part.Append(d.Messages[start].Content, raw)
			continue
		}
		output := "output"
		if !o.Has(output) {
			output = "result" // Its name in version 4.
		}
		result := part.Answer(o, "toolCallId", output, readOutput, "type")
		if len(d.Messages) == start+1 && len(d.Messages[start].Content) == 0 && d.Messages[start].ToolCallID == nil {
			d.Messages[start] = result
			continue
		}
		d.Messages = append(d.Messages, result)
	}
}

// readOutput reads the output of a tool: a string, {"type":"text","value"}, or any value as JSON.
func readOutput(raw json.RawMessage) ([]document.Block, bool) {
	b := document.Block{Type: document.BlockText}
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	if value := o.Get("value"); len(o) == 2 && value != nil && (kind == "text" || kind == "json" || strings.HasPrefix(kind, "error-")) {
		if raw = value; kind != "text" {
			b.Extras.Put(document.KeyType, rawjson.Quote(kind))
		}
	}
	text, ok := rawjson.ReadString(raw)
	if !ok {
		text = rawjson.Compact(raw)
	}
	b.Text = &text
	return []document.Block{b}, raw != nil
}

// addResult reads {"text","reasoning","toolCalls"} or {"content":[…]} with the other members.
func addResult(d *document.Document, o rawjson.Object) {
	m := document.Message{Role: document.RoleAssistant, Content: []document.Block{}}
	var taken []string
	content, ok := part.Content(o.Get("content"))
	if ok && rawjson.IsArray(o.Get("content")) {
		m.Content, taken = append(m.Content, content...), append(taken, "content")
	} else {
		taken = takeTexts(&m, o)
	}
	if role, ok := o.Text("role"); ok && role == document.RoleAssistant {
		taken = append(taken, "role")
	}
	if part.AddCalls(&m, o.Get("tool_calls")) {
		taken = append(taken, "tool_calls")
	}
	d.Messages, d.Extras = []document.Message{m}, o.Rest(taken...)
}

// takeTexts reads a result without content.
func takeTexts(m *document.Message, o rawjson.Object) []string {
	var taken []string
	for _, key := range []string{document.BlockReasoning, document.BlockText} {
		if text, ok := o.Text(key); ok {
			m.Content, taken = append(m.Content, document.Block{Type: key, Text: &text}), append(taken, key)
		}
	}
	if calls, ok := rawjson.ReadArray(o.Get("toolCalls")); ok && rawjson.AllObjects(calls) {
		taken = append(taken, "toolCalls")
		for _, raw := range calls {
			call, _ := rawjson.ReadObject(raw)
			b := document.Block{Type: document.BlockToolCall}
			read := b.TakeMembers(call, part.CallMembers...)
			if kind, _ := call.Text("type"); kind == kindCall {
				read = append(read, "type")
			}
			b.Extras = call.Rest(read...)
			m.Content = append(m.Content, b)
		}
	}
	return taken
}
