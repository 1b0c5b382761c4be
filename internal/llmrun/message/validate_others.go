package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// For formats that are only read, validation covers what prevents their messages from being read: roles, types of parts,
// and tool calls with their answers.

// gemini validates contents and candidates.
func (v *validator) gemini(o rawjson.Object) {
	if v.side == Outputs {
		candidates, _ := rawjson.ReadArray(o.Get("candidates"))
		for i, raw := range candidates {
			candidate, _ := rawjson.ReadObject(raw)
			v.geminiContent(candidate.Get("content"), v.base+rawjson.Pointer("candidates", i, "content"))
		}
		return
	}
	list, _ := rawjson.ReadArray(o.Get("contents"))
	for i, raw := range list {
		v.geminiContent(raw, v.base+rawjson.Pointer("contents", i))
	}
}

func (v *validator) geminiContent(raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	if role := o.Get("role"); !isNullOrAbsent(role) {
		v.role(o, place{base: at}, "user", "model", "function", "tool", "system")
	}
	parts, _ := rawjson.ReadArray(o.Get("parts"))
	for i, raw := range parts {
		at := at + rawjson.Pointer("parts", i)
		part, _ := rawjson.ReadObject(raw)
		said := part.Rest().WithoutVoid()
		if len(said) == 0 || !slices.ContainsFunc(geminiParts, func(key string) bool { return said[key] != nil || rawjson.IsString(part.Get(key)) }) {
			v.add(at, ruleBlockType, "the part has none of the members of a part", "add text, inlineData, functionCall or another member")
		}
		for _, key := range []string{"functionCall", "function_call", "functionResponse", "function_response"} {
			if call, ok := rawjson.ReadObject(part.Get(key)); ok {
				v.text(call, "name", at+rawjson.Pointer(key), ruleToolCallName, true)
			}
		}
	}
}

// converse validates the messages of the Converse operation.
func (v *validator) converse(o rawjson.Object) {
	if v.side == Outputs {
		output, _ := rawjson.ReadObject(o.Get("output"))
		v.converseMessage(output.Get("message"), v.base+"/output/message")
		return
	}
	list, _ := rawjson.ReadArray(o.Get("messages"))
	for i, raw := range list {
		v.converseMessage(raw, v.base+rawjson.Pointer("messages", i))
	}
}

func (v *validator) converseMessage(raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	role := v.role(o, place{base: at}, RoleUser, RoleAssistant)
	blocks, _ := rawjson.ReadArray(o.Get("content"))
	for i, raw := range blocks {
		at := at + rawjson.Pointer("content", i)
		block, _ := rawjson.ReadObject(raw)
		if call, ok := rawjson.ReadObject(block.Get("toolUse")); ok {
			at += "/toolUse"
			if id, ok := v.text(call, "toolUseId", at, ruleToolCallID, true); ok {
				v.call(id, at+"/toolUseId", role)
			}
			v.text(call, "name", at, ruleToolCallName, true)
			v.object(call, "input", at, ruleToolCallArgs)
		}
		if result, ok := rawjson.ReadObject(block.Get("toolResult")); ok {
			at += "/toolResult"
			if id, ok := v.text(result, "toolUseId", at, ruleToolCallIDRequired, true); ok {
				v.answer(id, at+"/toolUseId")
			}
		}
	}
	v.endMessage()
}

// sdk validates the messages of the SDK; a result has only its parts.
func (v *validator) sdk(raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	if v.side == Outputs && isSDKResult(o) {
		v.sdkParts(o, v.base, RoleAssistant)
		return
	}
	list, _ := sdkMessages(raw, v.side)
	for i, raw := range list {
		at := v.base
		switch {
		case v.side == Inputs && rawjson.IsArray(o.Get("prompt")):
			at += rawjson.Pointer("prompt", i)
		case o.Has("messages"):
			at += rawjson.Pointer("messages", i)
		case o == nil:
			at += rawjson.Pointer(i)
		}
		message, _ := rawjson.ReadObject(raw)
		v.sdkParts(message, at, v.role(message, place{base: at}, RoleSystem, RoleUser, RoleAssistant, RoleTool))
		v.endMessage()
	}
}

func (v *validator) sdkParts(message rawjson.Object, at, role string) {
	parts, _ := rawjson.ReadArray(message.Get("content"))
	for i, raw := range parts {
		at := at + rawjson.Pointer("content", i)
		part, _ := rawjson.ReadObject(raw)
		kind, _ := v.text(part, "type", at, ruleBlockType, true)
		switch kind {
		case BlockText, BlockReasoning:
			v.text(part, "text", at, ruleTextRequired, true)
		case kindSDKCall:
			if id, ok := v.text(part, "toolCallId", at, ruleToolCallID, true); ok {
				v.call(id, at+"/toolCallId", role)
			}
			v.text(part, "toolName", at, ruleToolCallName, true)
		case kindSDKResult:
			if id, ok := v.text(part, "toolCallId", at, ruleToolCallIDRequired, true); ok && role == RoleTool {
				v.answer(id, at+"/toolCallId")
			}
		}
	}
}
