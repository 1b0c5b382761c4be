package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkConverse validates the messages of the Converse operation.
func checkConverse(v *validator, src Source) {
	o := src.Object
	if v.side == Outputs {
		output, _ := rawjson.ReadObject(o.Get("output"))
		checkConverseMessage(v, output.Get("message"), v.base+"/output/message")
		return
	}
	list, _ := rawjson.ReadArray(o.Get("messages"))
	for i, raw := range list {
		checkConverseMessage(v, raw, v.base+rawjson.Pointer("messages", i))
	}
}

func checkConverseMessage(v *validator, raw json.RawMessage, at string) {
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
