package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// detect finds the format of a document: that for which there is most evidence. It reads only what distinguishes the formats.
func detect(src document.Source) document.Format {
	if o := src.Object; len(o) == 2 && rawjson.IsArray(o.Get("messages")) && rawjson.IsObject(o.Get("extras")) {
		return document.FormatNative // The normal form.
	}
	if f := detectShape(src); f != document.FormatUnrecognized {
		return f
	}
	best, most := document.FormatUnrecognized, 0
	found, ok := findHints(src)
	for i := range weights {
		if w := &weights[i]; ok && w.weight > most && found&w.hint != 0 && found&w.unless == 0 {
			best, most = w.format, w.weight
		}
	}
	return best
}

// detectShape finds the formats that have their own shapes.
func detectShape(src document.Source) document.Format {
	i := slices.IndexFunc(formats, func(f format) bool { return f.has != nil && f.has(src) })
	if i < 0 {
		return document.FormatUnrecognized
	}
	return formats[i].name
}

// hints are what the messages of a document, and the members beside them, say about its format.
type hints uint16

const (
	// textHint is content that is a string.
	textHint hints = 1 << iota
	chatHint
	nativeHint
	messagesHint
	// callHint is a call, or an answer to one, as in chat completions, whatever blocks the content has: gateways pass
	// on those of the provider behind them.
	callHint
	// cacheHint is a cache marker of the messages format, which gateways also use in chat completions.
	cacheHint
	// roleHint is a role that the messages format doesn't have.
	roleHint
	// thoughtHint is a thought without a signature, which one provider of chat completions also has.
	thoughtHint
	// answerHint is a tool's answer as a separate message; the messages format has it in the content.
	answerHint
	// requestHint are members beside the messages that only the messages format has.
	requestHint
	// bareHint are any members, but no message.
	bareHint
	// envelopeHint is a shape that several formats share.
	envelopeHint
)

// weights say how much hints count as evidence for a format, unless there is a hint that contradicts them. A list of
// messages alone doesn't determine the format: the form of its messages does. String content means chat completions; a list
// of texts without further hints is native.
var weights = []struct {
	weight       int
	format       document.Format
	hint, unless hints
}{
	{10, document.FormatChatCompletions, callHint, nativeHint},
	{9, document.FormatMessages, messagesHint, 0},
	{9, document.FormatMessages, thoughtHint, answerHint},
	{8, document.FormatNative, nativeHint, 0},
	{7, document.FormatChatCompletions, chatHint | thoughtHint, 0},
	{6, document.FormatMessages, requestHint, 0},
	{5, document.FormatMessages, cacheHint, roleHint},
	{4, document.FormatChatCompletions, cacheHint, 0},
	{3, document.FormatChatCompletions, textHint | bareHint, 0},
	{1, document.FormatNative, envelopeHint, 0},
}

// findHints reads the hints of a document in a shape that several formats share.
func findHints(src document.Source) (hints, bool) {
	e, ok := envelope.Open(src)
	if !ok {
		return 0, false
	}
	if key, _, wrapped := envelope.CutShape(e.Shape); wrapped {
		if inner := document.NewSource(src.Object.Get(key), src.Side); detectShape(inner) != document.FormatUnrecognized {
			return 0, false
		}
	}
	found := envelopeHint
	beside := e.Beside()
	if beside["finish_reason"] != nil || slices.Contains(chatShapes, e.Shape) {
		found |= chatHint
	}
	if slices.ContainsFunc(messagesOnly, func(key string) bool { return beside[key] != nil }) {
		found |= requestHint
	}
	if len(e.Messages) == 0 && len(e.Rest) > 0 {
		found |= bareHint
	}
	for _, message := range e.Messages {
		found |= messageHints(message)
	}
	return found, true
}

// chatShapes are the shapes that only chat completions have.
var chatShapes = []string{document.ShapeChoices, document.ShapeCompletion, document.ShapePrompt, document.ShapeResponse}

// messagesOnly are members beside the messages that only the messages format has.
var messagesOnly = []string{"system", "stop_reason", "stop_sequences", "anthropic_version", "thinking"}

func messageHints(raw json.RawMessage) hints {
	o, _ := rawjson.ReadObject(raw)
	var found hints
	for _, m := range o {
		switch m.Key {
		case "role":
			switch role, _ := rawjson.ReadString(m.Value); role {
			case "developer", "function":
				found |= chatHint | roleHint
			case document.RoleSystem, document.RoleTool:
				found |= roleHint
			case document.RoleReasoning:
				found |= nativeHint
			}
		case "function_call", "refusal", "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "thinking", "tool_plan",
			"images", "tool_name":
			found |= chatHint
		case "tool_calls":
			found |= callsHints(m.Value)
		case "tool_call_id":
			found |= answerHint
		case "content":
			found |= contentHints(m.Value)
		}
	}
	return found
}

// callsHints distinguishes calls of chat completions from those of the native format.
func callsHints(raw json.RawMessage) hints {
	list, _ := rawjson.ReadArray(raw)
	found := chatHint
	for _, raw := range list {
		call, _ := rawjson.ReadObject(raw)
		switch {
		case call.Has("function"), call.Has(part.KeyCustom):
			found |= callHint
		case call.Has("args"):
			return nativeHint
		}
	}
	return found
}

func contentHints(raw json.RawMessage) hints {
	switch rawjson.FirstByte(raw) {
	case '"':
		return textHint
	case 'n':
		return chatHint
	}
	list, _ := rawjson.ReadArray(raw)
	var found hints
	for _, raw := range list {
		found |= blockHints(raw)
	}
	return found
}

func blockHints(raw json.RawMessage) hints {
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	switch kind {
	case document.BlockText:
		switch {
		case rawjson.IsArray(o.Get("citations")):
			return messagesHint
		case o.Has("cache_control"):
			return cacheHint
		default:
			return 0
		}
	case document.BlockImage:
		if o.Has("source") {
			return messagesHint
		}
		return nativeHint
	case document.BlockFile:
		if rawjson.IsObject(o.Get("file")) {
			return chatHint
		}
		return nativeHint
	case document.BlockReasoning, document.BlockAudio, document.BlockVideo,
		document.BlockToolCall, document.BlockServerToolCall, document.BlockServerToolResult:
		return nativeHint
	case "image_url", "video_url", "input_audio", "document_url", "refusal":
		return chatHint
	case "thinking":
		if rawjson.IsArray(o.Get("thinking")) {
			return chatHint // One provider of chat completions has a list of texts here.
		}
		if !o.Has("signature") {
			return thoughtHint
		}
		return messagesHint
	case "tool_use", "redacted_thinking", "server_tool_use", "mcp_tool_use", "document", "search_result", "container_upload":
		return messagesHint
	}
	if strings.HasSuffix(kind, "tool_result") {
		return messagesHint
	}
	return 0
}
