package message

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkSDK validates the messages of the SDK; a result has only its parts.
func checkSDK(v *validator, src Source) {
	o := src.Object
	if v.side == Outputs && isSDKResult(o) {
		checkSDKParts(v, o, v.base, RoleAssistant)
		return
	}
	list, _ := sdkMessages(src)
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
		checkSDKParts(v, message, at, v.role(message, place{base: at}, RoleSystem, RoleUser, RoleAssistant, RoleTool))
		v.endMessage()
	}
}

func checkSDKParts(v *validator, message rawjson.Object, at, role string) {
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
