package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of parts for which the SDK has its own names.
const (
	kindSDKCall   = "tool-call"
	kindSDKResult = "tool-result"
)

// isSDK says whether a document is a call or a result of the SDK whose parts have names such as tool-call.
func isSDK(src Source) bool {
	if src.Side == Outputs && isSDKResult(src.Object) {
		return true
	}
	list, ok := sdkMessages(src)
	return ok && (slices.ContainsFunc(list, isSDKMessage) || src.Side == Inputs && rawjson.IsArray(src.Object.Get("prompt")))
}

// isSDKResult says whether an answer is a result: it contains the SDK's names for why it ended.
func isSDKResult(o rawjson.Object) bool {
	if !o.Has("finishReason") && !rawjson.IsArray(o.Get("toolCalls")) || o.Has("candidates") || o.Has("choices") {
		return false
	}
	return o.Has("text") || rawjson.IsArray(o.Get("content")) && !o.Has("messages")
}

// sdkMessages are the messages of a call or an answer.
func sdkMessages(src Source) ([]json.RawMessage, bool) {
	o, side := src.Object, src.Side
	if prompt, ok := rawjson.ReadArray(o.Get("prompt")); ok && side == Inputs {
		return prompt, len(prompt) > 0 && !slices.ContainsFunc(prompt, func(raw json.RawMessage) bool { return !isMessage(raw) })
	}
	if list, ok := rawjson.ReadArray(o.Get("messages")); ok {
		return list, rawjson.AllObjects(list)
	}
	if list, ok := rawjson.ReadArray(src.Raw); ok {
		return list, rawjson.AllObjects(list)
	}
	return []json.RawMessage{src.Raw}, side == Outputs && rawjson.IsArray(o.Get("content"))
}

// isSDKMessage says whether a message has a part that only the SDK has.
func isSDKMessage(raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	parts, _ := rawjson.ReadArray(o.Get("content"))
	return slices.ContainsFunc(parts, func(raw json.RawMessage) bool {
		part, _ := rawjson.ReadObject(raw)
		kind, _ := part.Text("type")
		switch kind {
		case kindSDKCall, kindSDKResult, "tool-approval-request", "tool-approval-response":
			return true
		case BlockImage:
			return part.Has("image")
		case BlockFile:
			return part.Has("data") && (part.Has("mediaType") || part.Has("mimeType"))
		default:
			return false
		}
	})
}

// parseSDK reads messages and results. Tool results become separate messages.
func parseSDK(src Source) (*Document, bool) {
	o, side := src.Object, src.Side
	d := &Document{Format: FormatSDK, Side: side, Shape: shapeMessages, Messages: []Message{}}
	if side == Outputs && isSDKResult(o) {
		d.Shape = shapeResult
		addSDKResult(d, o)
		return d, true
	}
	list, _ := sdkMessages(src)
	taken := []string{"messages"}
	switch {
	case side == Inputs && rawjson.IsArray(o.Get("prompt")):
		d.Shape, taken = shapePrompt, []string{"prompt"}
	case o == nil:
		d.Shape = shapeList
	case !o.Has("messages"):
		message, rest := splitBare(o)
		d.Shape, d.Extras = shapeBare, rest
		addSDKMessage(d, message)
		return d, true
	}
	if text, ok := o.Text("system"); ok && side == Inputs {
		d.Messages, taken = append(d.Messages, Message{Role: RoleSystem, Content: []Block{{Type: BlockText, Text: &text}}}), append(taken, "system")
	}
	for _, raw := range list {
		addSDKMessage(d, raw)
	}
	d.Extras = o.Rest(taken...)
	return d, true
}

// addSDKMessage reads a message into one or more.
func addSDKMessage(d *Document, raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	role, _ := o.Text("role")
	start := len(d.Messages)
	d.Messages = append(d.Messages, Message{Role: role, Content: []Block{}})
	taken := []string{"role"}
	if text, ok := o.Text("content"); ok {
		d.Messages[start].Content, taken = []Block{{Type: BlockText, Text: &text}}, append(taken, "content")
	}
	if parts, ok := rawjson.ReadArray(o.Get("content")); ok && rawjson.AllObjects(parts) {
		addSDKParts(d, parts, role, start)
		taken = append(taken, "content")
	}
	m := &d.Messages[start]
	if addCalls(m, o.Get("tool_calls")) {
		taken = append(taken, "tool_calls")
	}
	addBeside(&m.Extras, o.Rest(taken...))
}

// addSDKParts reads parts into the message at start, and tool results into messages after it, or instead of it if it has
// nothing else.
func addSDKParts(d *Document, parts []json.RawMessage, role string, start int) {
	for _, raw := range parts {
		part, _ := rawjson.ReadObject(raw)
		if kind, _ := part.Text("type"); kind != kindSDKResult || role == RoleAssistant {
			d.Messages[start].Content = appendPart(d.Messages[start].Content, raw)
			continue
		}
		result := parseSDKResultPart(part)
		if len(d.Messages) == start+1 && len(d.Messages[start].Content) == 0 && d.Messages[start].ToolCallID == nil {
			d.Messages[start] = result
			continue
		}
		d.Messages = append(d.Messages, result)
	}
}

// parseSDKResultPart reads {"type":"tool-result","toolCallId","toolName","output" or "result"}.
func parseSDKResultPart(o rawjson.Object) Message {
	m := Message{Role: RoleTool, Content: []Block{}}
	taken := []string{"type"}
	if id, ok := o.Text("toolCallId"); ok {
		m.ToolCallID, taken = &id, append(taken, "toolCallId")
	}
	for _, key := range []string{"output", "result"} {
		if value := o.Get(key); value != nil {
			m.Content, taken = append(m.Content, sdkOutput(value)), append(taken, key)
		}
	}
	m.Extras = o.Rest(taken...)
	return m
}

// sdkOutput returns the output of a tool: a string, {"type":"text","value"}, or any value as JSON.
func sdkOutput(raw json.RawMessage) Block {
	b := Block{Type: BlockText}
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	text, isText := rawjson.ReadString(raw)
	if value := o.Get("value"); !isText && len(o) == 2 && value != nil && (kind == "text" || kind == "json" || strings.HasPrefix(kind, "error-")) {
		if text, isText = rawjson.ReadString(value); !isText {
			text = rawjson.Compact(value)
		}
		if kind != "text" {
			b.Extras.Put(keyType, rawjson.Quote(kind))
		}
		isText = true
	}
	if !isText {
		text = rawjson.Compact(raw)
	}
	b.Text = &text
	return b
}

// addSDKResult reads {"text","reasoning","toolCalls"} or {"content":[…]} with the other members.
func addSDKResult(d *Document, o rawjson.Object) {
	m := Message{Role: RoleAssistant, Content: []Block{}}
	var taken []string
	content, ok := takeContent(o.Get("content"))
	if ok && rawjson.IsArray(o.Get("content")) {
		m.Content, taken = append(m.Content, content...), append(taken, "content")
	} else {
		taken = takeSDKTexts(&m, o)
	}
	if role, ok := o.Text("role"); ok && role == RoleAssistant {
		taken = append(taken, "role")
	}
	if addCalls(&m, o.Get("tool_calls")) {
		taken = append(taken, "tool_calls")
	}
	d.Messages, d.Extras = []Message{m}, o.Rest(taken...)
}

// takeSDKTexts reads a result without content.
func takeSDKTexts(m *Message, o rawjson.Object) []string {
	var taken []string
	for _, key := range []string{BlockReasoning, BlockText} {
		if text, ok := o.Text(key); ok {
			m.Content, taken = append(m.Content, Block{Type: key, Text: &text}), append(taken, key)
		}
	}
	if calls, ok := rawjson.ReadArray(o.Get("toolCalls")); ok && rawjson.AllObjects(calls) {
		taken = append(taken, "toolCalls")
		for _, raw := range calls {
			call, _ := rawjson.ReadObject(raw)
			b := Block{Type: BlockToolCall}
			read := b.takeMembers(call, sdkCallMembers...)
			if kind, _ := call.Text("type"); kind == kindSDKCall {
				read = append(read, "type")
			}
			b.Extras = call.Rest(read...)
			m.Content = append(m.Content, b)
		}
	}
	return taken
}
