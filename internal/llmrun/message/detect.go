package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// detect finds the format of a document, reading only what distinguishes the formats.
//
// A list of messages alone doesn't determine it: the form of its messages does. String content means chat completions; a
// list of texts without further hints is native.
func detect(raw json.RawMessage, side Side) Format {
	o, isObject := rawjson.ReadObject(raw)
	if isObject && len(o) == 2 && rawjson.IsArray(o.Get("messages")) && rawjson.IsObject(o.Get("extras")) {
		return FormatNative
	}
	if format := detectByShape(raw, o, side); format != FormatUnrecognized {
		return format
	}
	e, ok := openEnvelope(raw, side)
	if !ok {
		return FormatUnrecognized
	}
	var found evidence
	beside := e.beside()
	if beside["finish_reason"] != nil || slices.Contains(chatShapes, e.shape) {
		found |= chatEvidence
	}
	for _, message := range e.messages {
		found |= messageEvidence(message)
	}
	return found.format(isMessagesCall(beside), len(e.messages) == 0 && len(e.rest) > 0)
}

// format weighs the evidence of a list of messages. isCall says that what is beside them is that of a call of the messages API, and isBare that
// there is something, but no message.
func (found evidence) format(isCall, isBare bool) Format {
	switch {
	case found&callEvidence != 0 && found&nativeEvidence == 0:
		return FormatChatCompletions
	case found&messagesEvidence != 0, found&thoughtEvidence != 0 && found&answerEvidence == 0:
		return FormatMessages
	case found&nativeEvidence != 0:
		return FormatNative
	case found&(chatEvidence|thoughtEvidence) != 0:
		return FormatChatCompletions
	case isCall:
		return FormatMessages
	case found&cacheEvidence != 0 && found&roleEvidence == 0:
		return FormatMessages
	case found&cacheEvidence != 0:
		return FormatChatCompletions
	case found&textEvidence != 0 || isBare:
		return FormatChatCompletions
	default:
		return FormatNative
	}
}

// detectByShape finds the formats that have their own shapes.
func detectByShape(raw json.RawMessage, o rawjson.Object, side Side) Format {
	_, isFramework := openFramework(raw, side)
	switch {
	case isFramework:
		return FormatFramework
	case isGemini(o, side):
		return FormatGemini
	case isConverse(o, side):
		return FormatConverse
	case isResponses(o, side):
		return FormatResponses
	case isSDK(raw, side):
		return FormatSDK
	case isCohere(o, side):
		return FormatCohere
	default:
		return FormatUnrecognized
	}
}

// chatShapes are the shapes that only chat completions have.
var chatShapes = []string{shapeChoices, shapeCompletion, shapePrompt, shapeResponse}

// evidence is a set of hints that rule out formats of a message.
type evidence uint16

const (
	// textEvidence is content that is a string.
	textEvidence evidence = 1 << iota
	chatEvidence
	nativeEvidence
	messagesEvidence
	// callEvidence is a call, or an answer to one, as in chat completions, whatever blocks the content has: gateways pass
	// on those of the provider behind them.
	callEvidence
	// cacheEvidence is a cache marker of the messages format, which gateways also use in chat completions.
	cacheEvidence
	// roleEvidence is a role that the messages format doesn't have.
	roleEvidence
	// thoughtEvidence is a thought without a signature, which one provider of chat completions also has.
	thoughtEvidence
	// answerEvidence is a tool's answer as a separate message; the messages format has it in the content.
	answerEvidence
)

func messageEvidence(raw json.RawMessage) evidence {
	o, _ := rawjson.ReadObject(raw)
	var found evidence
	for _, m := range o {
		switch m.Key {
		case "role":
			switch role, _ := rawjson.ReadString(m.Value); role {
			case "developer", "function":
				found |= chatEvidence | roleEvidence
			case RoleSystem, RoleTool:
				found |= roleEvidence
			case RoleReasoning:
				found |= nativeEvidence
			}
		case "function_call", "refusal", "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "thinking", "tool_plan", "images", "tool_name":
			found |= chatEvidence
		case "tool_calls":
			found |= callsEvidence(m.Value)
		case "tool_call_id":
			found |= answerEvidence
		case "content":
			found |= contentEvidence(m.Value)
		}
	}
	return found
}

// callsEvidence distinguishes calls of chat completions from those of the native format.
func callsEvidence(raw json.RawMessage) evidence {
	list, _ := rawjson.ReadArray(raw)
	found := chatEvidence
	for _, raw := range list {
		call, _ := rawjson.ReadObject(raw)
		switch {
		case call.Has("function"), call.Has(keyCustom):
			found |= callEvidence
		case call.Has("args"):
			return nativeEvidence
		}
	}
	return found
}

func contentEvidence(raw json.RawMessage) evidence {
	switch rawjson.FirstByte(raw) {
	case '"':
		return textEvidence
	case 'n':
		return chatEvidence
	}
	list, _ := rawjson.ReadArray(raw)
	var found evidence
	for _, raw := range list {
		found |= blockEvidence(raw)
	}
	return found
}

func blockEvidence(raw json.RawMessage) evidence {
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	switch kind {
	case BlockText:
		switch {
		case rawjson.IsArray(o.Get("citations")):
			return messagesEvidence
		case o.Has("cache_control"):
			return cacheEvidence
		default:
			return 0
		}
	case BlockImage:
		if o.Has("source") {
			return messagesEvidence
		}
		return nativeEvidence
	case BlockFile:
		if rawjson.IsObject(o.Get("file")) {
			return chatEvidence
		}
		return nativeEvidence
	case BlockReasoning, BlockAudio, BlockVideo, BlockToolCall, BlockServerToolCall, BlockServerToolResult:
		return nativeEvidence
	case "image_url", "video_url", kindInputAudio, kindDocumentURL, "refusal":
		return chatEvidence
	case kindThinking:
		if rawjson.IsArray(o.Get(kindThinking)) {
			return chatEvidence // One provider of chat completions has a list of texts here.
		}
		if !o.Has("signature") {
			return thoughtEvidence
		}
		return messagesEvidence
	case "tool_use", "redacted_thinking", "server_tool_use", "mcp_tool_use", "document", "search_result", "container_upload":
		return messagesEvidence
	}
	if strings.HasSuffix(kind, "tool_result") {
		return messagesEvidence
	}
	return 0
}

// isMessagesCall says whether the members beside the messages belong only to the messages format.
func isMessagesCall(rest Extras) bool {
	for _, key := range []string{"system", "stop_reason", "stop_sequences", "anthropic_version", "thinking"} {
		if rest[key] != nil {
			return true
		}
	}
	return false
}

// isResponses says whether a document is a call or an answer of the responses format. A client's wrapper has the same key,
// so a list of plain messages alone under "input" is not such a call.
func isResponses(o rawjson.Object, side Side) bool {
	if side == Inputs {
		if rawjson.IsString(o.Get("input")) && !o.Has("messages") {
			return true
		}
		items, ok := rawjson.ReadArray(o.Get("input"))
		return ok && allObjects(items) && !areFrameworkMessages(items) && (len(items) > 0 && len(o) > 1 || anyItem(items))
	}
	if object, _ := o.Text("object"); object == "response" {
		return true
	}
	items, ok := rawjson.ReadArray(o.Get("output"))
	return ok && allObjects(items) && !areFrameworkMessages(items) && anyItem(items)
}

// anyItem says whether some value is an item of the responses format: it has a type beside, or instead of, the role, or
// content with parts that only this format has.
func anyItem(items []json.RawMessage) bool {
	for _, raw := range items {
		item, _ := rawjson.ReadObject(raw)
		if kind, ok := item.Text("type"); ok && !messageTypes[kind] {
			return true
		}
		parts, _ := rawjson.ReadArray(item.Get("content"))
		for _, raw := range parts {
			part, _ := rawjson.ReadObject(raw)
			kind, _ := part.Text("type")
			if strings.HasPrefix(kind, "input_") && kind != "input_audio" || kind == "output_text" {
				return true
			}
		}
	}
	return false
}
