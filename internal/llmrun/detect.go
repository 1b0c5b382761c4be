package llmrun

import (
	"encoding/json"
	"strings"
)

// detect finds the format of a document without reading more of it than tells the formats apart.
//
// A list of messages alone doesn't say whose it is: what its messages are made of decides. Content that is a string is
// how chat completions say it; a list of texts that says nothing else is native.
func detect(raw json.RawMessage, side Side) Format {
	if o, ok := readObject(raw); ok {
		switch {
		case len(o) == 2 && isArray(o.get("messages")) && isObject(o.get("extras")):
			return FormatNative
		case isFramework(o, side):
			return FormatFramework
		case isResponses(o, side):
			return FormatResponses
		}
	}
	e, ok := openEnvelope(raw, side)
	if !ok {
		return FormatUnrecognized
	}
	var found evidence
	if e.shape == ShapeChoices || e.shape == ShapeCompletion || e.shape == ShapePrompt {
		found |= chatEvidence
	}
	for _, message := range e.messages {
		found |= messageEvidence(message)
	}
	switch {
	case found&blocksEvidence != 0:
		return FormatMessages
	case found&nativeEvidence != 0:
		return FormatNative
	case found&chatEvidence != 0:
		return FormatChatCompletions
	case isMessagesCall(e.rest):
		return FormatMessages
	case found&textEvidence != 0 || len(e.messages) == 0 && len(e.rest) > 0:
		return FormatChatCompletions
	default:
		return FormatNative
	}
}

// evidence says which formats a message can only belong to.
type evidence uint8

const (
	// textEvidence is content that is a string.
	textEvidence evidence = 1 << iota
	chatEvidence
	nativeEvidence
	blocksEvidence
)

func messageEvidence(raw json.RawMessage) evidence {
	o, _ := readObject(raw)
	var found evidence
	for _, m := range o {
		switch m.key {
		case "role":
			switch role, _ := readString(m.value); role {
			case "developer", "function":
				found |= chatEvidence
			case RoleReasoning:
				found |= nativeEvidence
			}
		case "function_call", "refusal", "reasoning_content":
			found |= chatEvidence
		case "tool_calls":
			found |= callsEvidence(m.value)
		case "content":
			found |= contentEvidence(m.value)
		}
	}
	return found
}

// callsEvidence tells calls of chat completions from those of the native format.
func callsEvidence(raw json.RawMessage) evidence {
	list, _ := readArray(raw)
	for _, raw := range list {
		if call, ok := readObject(raw); ok && !call.has("function") && call.has("args") {
			return nativeEvidence
		}
	}
	return chatEvidence
}

func contentEvidence(raw json.RawMessage) evidence {
	switch firstByte(raw) {
	case '"':
		return textEvidence
	case 'n':
		return chatEvidence
	}
	list, _ := readArray(raw)
	var found evidence
	for _, raw := range list {
		found |= blockEvidence(raw)
	}
	return found
}

func blockEvidence(raw json.RawMessage) evidence {
	o, _ := readObject(raw)
	kind, _ := o.text("type")
	switch kind {
	case BlockText:
		if o.has("cache_control") || isArray(o.get("citations")) {
			return blocksEvidence
		}
		return 0
	case BlockImage:
		if o.has("source") {
			return blocksEvidence
		}
		return nativeEvidence
	case BlockFile:
		if isObject(o.get("file")) {
			return chatEvidence
		}
		return nativeEvidence
	case BlockReasoning, BlockAudio, BlockVideo, BlockToolCall, BlockServerToolCall, BlockServerToolResult:
		return nativeEvidence
	case "image_url", "video_url", "input_audio", "refusal":
		return chatEvidence
	case "tool_use", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use", "document", "search_result", "container_upload":
		return blocksEvidence
	}
	if strings.HasSuffix(kind, "tool_result") {
		return blocksEvidence
	}
	return 0
}

// isMessagesCall says whether what stands beside the messages belongs to the messages format only.
func isMessagesCall(rest Extras) bool {
	for _, key := range []string{"system", "stop_reason", "stop_sequences", "anthropic_version", "thinking"} {
		if _, ok := rest[key]; ok {
			return true
		}
	}
	return false
}

// isResponses says whether a document is a call or an answer of the responses format. A client's wrapper has the same
// key, so a lone list of plain messages under "input" is no such call.
func isResponses(o object, side Side) bool {
	if side == Inputs {
		if isString(o.get("input")) && !o.has("messages") {
			return true
		}
		items, ok := readArray(o.get("input"))
		return ok && allObjects(items) && (len(items) > 0 && len(o) > 1 || anyItem(items))
	}
	if object, _ := o.text("object"); object == "response" {
		return true
	}
	items, ok := readArray(o.get("output"))
	return ok && allObjects(items) && anyItem(items)
}

// anyItem says whether some value is an item of the responses format: it has a type beside, or in place of, the role,
// or content of parts that only this format has.
func anyItem(items []json.RawMessage) bool {
	for _, raw := range items {
		item, _ := readObject(raw)
		if kind, ok := item.text("type"); ok && !messageTypes[kind] {
			return true
		}
		parts, _ := readArray(item.get("content"))
		for _, raw := range parts {
			part, _ := readObject(raw)
			kind, _ := part.text("type")
			if strings.HasPrefix(kind, "input_") && kind != "input_audio" || kind == "output_text" {
				return true
			}
		}
	}
	return false
}
