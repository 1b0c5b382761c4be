package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// shapeResult is {"text","toolCalls","finishReason"}: what a call of the SDK returns.
const shapeResult = "result"

// Types of parts for which the SDK has its own names.
const (
	kindSDKCall   = "tool-call"
	kindSDKResult = "tool-result"
)

// isSDK says whether a document is a call or a result of the SDK whose parts have names such as tool-call.
func isSDK(raw json.RawMessage, side Side) bool {
	o, _ := rawjson.ReadObject(raw)
	if side == Outputs && isSDKResult(o) {
		return true
	}
	list, ok := sdkMessages(raw, side)
	return ok && slices.ContainsFunc(list, isSDKMessage) || ok && side == Inputs && rawjson.IsArray(o.Get("prompt"))
}

// isSDKResult says whether an answer is a result: it contains the SDK's names for why it ended.
func isSDKResult(o rawjson.Object) bool {
	if !o.Has("finishReason") && !rawjson.IsArray(o.Get("toolCalls")) || o.Has("candidates") || o.Has("choices") {
		return false
	}
	return o.Has("text") || rawjson.IsArray(o.Get("content")) && !o.Has("messages")
}

// sdkMessages are the messages of a call or an answer.
func sdkMessages(raw json.RawMessage, side Side) ([]json.RawMessage, bool) {
	o, isObject := rawjson.ReadObject(raw)
	if prompt, ok := rawjson.ReadArray(o.Get("prompt")); ok && side == Inputs {
		return prompt, len(prompt) > 0 && !slices.ContainsFunc(prompt, func(raw json.RawMessage) bool { return !isMessage(raw) })
	}
	if list, ok := rawjson.ReadArray(o.Get("messages")); ok {
		return list, allObjects(list)
	}
	if list, ok := rawjson.ReadArray(raw); ok {
		return list, allObjects(list)
	}
	return []json.RawMessage{raw}, isObject && side == Outputs && rawjson.IsArray(o.Get("content"))
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
func parseSDK(raw json.RawMessage, side Side) (*Document, bool) {
	if !isSDK(raw, side) {
		return nil, false
	}
	o, _ := rawjson.ReadObject(raw)
	d := &Document{Format: FormatSDK, Side: side, Shape: shapeMessages, Messages: []Message{}, source: raw}
	if side == Outputs && isSDKResult(o) {
		d.Shape = shapeResult
		d.addSDKResult(o)
		return d, true
	}
	list, _ := sdkMessages(raw, side)
	taken := []string{"messages"}
	switch {
	case side == Inputs && rawjson.IsArray(o.Get("prompt")):
		d.Shape, taken = shapePrompt, []string{"prompt"}
	case o == nil:
		d.Shape = shapeList
	case !o.Has("messages"):
		message, rest := splitBare(o)
		d.Shape, d.Extras = shapeBare, rest
		d.addSDKMessage(message)
		return d, true
	}
	if text, ok := o.Text("system"); ok && side == Inputs {
		d.Messages, taken = append(d.Messages, Message{Role: RoleSystem, Content: []Block{{Type: BlockText, Text: &text}}}), append(taken, "system")
	}
	for _, raw := range list {
		d.addSDKMessage(raw)
	}
	d.Extras = o.Rest(taken...)
	return d, true
}

// addSDKMessage reads a message into one or more.
func (d *Document) addSDKMessage(raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	role, _ := o.Text("role")
	start := len(d.Messages)
	d.Messages = append(d.Messages, Message{Role: role, Content: []Block{}})
	taken := []string{"role"}
	if text, ok := o.Text("content"); ok {
		d.Messages[start].Content, taken = []Block{{Type: BlockText, Text: &text}}, append(taken, "content")
	}
	if parts, ok := rawjson.ReadArray(o.Get("content")); ok && allObjects(parts) {
		d.addSDKParts(parts, role, start)
		taken = append(taken, "content")
	}
	m := &d.Messages[start]
	if m.addCalls(o.Get("tool_calls"), callFunction) {
		taken = append(taken, "tool_calls")
	}
	addBeside(&m.Extras, o.Rest(taken...))
	m.Layout = nil
}

// addSDKParts reads parts into the message at start, and tool results into messages after it, or instead of it if it has
// nothing else.
func (d *Document) addSDKParts(parts []json.RawMessage, role string, start int) {
	for _, raw := range parts {
		part, _ := rawjson.ReadObject(raw)
		if kind, _ := part.Text("type"); kind != kindSDKResult || role == RoleAssistant {
			d.Messages[start].Content = append(d.Messages[start].Content, parseSDKPart(raw, part))
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
			text = compact(value)
		}
		if kind != "text" {
			b.Extras.Put(keyType, rawjson.Quote(kind))
		}
		isText = true
	}
	if !isText {
		text = compact(raw)
	}
	b.Text = &text
	return b
}

// parseSDKPart reads a part. A call's input may be the text of an object.
func parseSDKPart(raw json.RawMessage, o rawjson.Object) Block {
	kind, _ := o.Text("type")
	var b Block
	taken := []string{"type"}
	switch {
	case kind == BlockText || kind == BlockReasoning:
		b.Type = kind
		taken = append(taken, b.takeMembers(o, "text", "text")...)
	case kind == kindSDKCall:
		b = Block{Type: BlockToolCall}
		taken = append(taken, b.takeMembers(o, "toolCallId", "id", "toolName", "name")...)
		taken = append(taken, b.takeInput(o, "input", "args")...)
	case kind == kindSDKResult:
		b = Block{Type: BlockServerToolResult}
		taken = append(taken, b.takeMembers(o, "toolCallId", "tool_call_id", "output", "output", "result", "output")...)
		status := "success"
		if string(o.Get("isError")) == "true" {
			status = "error"
		}
		b.Status = &status
	case kind == BlockImage && rawjson.IsString(o.Get("image")), kind == BlockFile && rawjson.IsString(o.Get("data")):
		b, taken = parseSDKMedia(o, kind)
	default:
		b = parsePart(raw)
		b.Layout = nil
		return b
	}
	b.Extras = o.Rest(taken...)
	return b
}

// takeInput reads the arguments of a call from the first member that is an object, or the text of one.
func (b *Block) takeInput(o rawjson.Object, keys ...string) []string {
	for _, key := range keys {
		value := o.Get(key)
		if text, ok := rawjson.ReadString(value); ok && json.Valid([]byte(text)) && rawjson.IsObject([]byte(text)) {
			b.Args = json.RawMessage(text)
			return []string{key}
		}
		if rawjson.IsObject(value) {
			b.Args = value
			return []string{key}
		}
	}
	return nil
}

// parseSDKMedia reads {"type":"image","image"} and {"type":"file","data"}, with their media type: data, or any kind of URL.
func parseSDKMedia(o rawjson.Object, kind string) (Block, []string) {
	b := Block{Type: kind}
	key := map[string]string{BlockImage: "image", BlockFile: "data"}[kind]
	taken := append([]string{"type", key}, b.takeMembers(o, "mediaType", "mime_type", "mimeType", "mime_type")...)
	data, _ := o.Text(key)
	b.takeData(data)
	if kind == BlockFile && b.MimeType != nil {
		b.Type = mediaOf(*b.MimeType)
	}
	return b, taken
}

// addSDKResult reads {"text","reasoning","toolCalls"} or {"content":[…]} with the other members.
func (d *Document) addSDKResult(o rawjson.Object) {
	m := Message{Role: RoleAssistant, Content: []Block{}}
	var taken []string
	if parts, ok := rawjson.ReadArray(o.Get("content")); ok && allObjects(parts) {
		for _, raw := range parts {
			part, _ := rawjson.ReadObject(raw)
			m.Content = append(m.Content, parseSDKPart(raw, part))
		}
		taken = append(taken, "content")
	} else {
		taken = m.takeSDKTexts(o)
	}
	if role, ok := o.Text("role"); ok && role == RoleAssistant {
		taken = append(taken, "role")
	}
	if m.addCalls(o.Get("tool_calls"), callFunction) {
		taken = append(taken, "tool_calls")
	}
	m.Layout = nil
	d.Messages, d.Extras = []Message{m}, o.Rest(taken...)
}

// takeSDKTexts reads a result without content.
func (m *Message) takeSDKTexts(o rawjson.Object) []string {
	var taken []string
	for _, key := range []string{BlockReasoning, BlockText} {
		if text, ok := o.Text(key); ok {
			m.Content, taken = append(m.Content, Block{Type: key, Text: &text}), append(taken, key)
		}
	}
	if calls, ok := rawjson.ReadArray(o.Get("toolCalls")); ok && allObjects(calls) {
		taken = append(taken, "toolCalls")
		for _, raw := range calls {
			call, _ := rawjson.ReadObject(raw)
			b := Block{Type: BlockToolCall}
			read := append(b.takeMembers(call, "toolCallId", "id", "toolName", "name"), b.takeInput(call, "input", "args")...)
			if kind, _ := call.Text("type"); kind == kindSDKCall {
				read = append(read, "type")
			}
			b.Extras = call.Rest(read...)
			m.Content = append(m.Content, b)
		}
	}
	return taken
}
