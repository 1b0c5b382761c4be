package converse

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates the messages of the Converse operation.
func Check(v *check.Checker, src document.Source) {
	o := src.Object
	if v.Side == document.Outputs {
		output, _ := rawjson.ReadObject(o.Get("output"))
		checkMessage(v, output.Get("message"), v.Base+"/output/message")
		return
	}
	list, _ := src.List("messages")
	for i, raw := range list {
		checkMessage(v, raw, v.Base+rawjson.Pointer("messages", i))
	}
}

func checkMessage(v *check.Checker, raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	role := v.Role(o, envelope.Place{Base: at}, document.RoleUser, document.RoleAssistant)
	blocks, _ := rawjson.ReadArray(o.Get("content"))
	for i, raw := range blocks {
		at := at + rawjson.Pointer("content", i)
		block, _ := rawjson.ReadObject(raw)
		if call, ok := rawjson.ReadObject(block.Get("toolUse")); ok {
			at += "/toolUse"
			if id, ok := v.Text(call, "toolUseId", at, document.RuleToolCallID, true); ok {
				v.Call(id, at+"/toolUseId", role)
			}
			v.Text(call, "name", at, document.RuleToolCallName, true)
			v.Object(call, "input", at, document.RuleToolCallArgs)
		}
		if result, ok := rawjson.ReadObject(block.Get("toolResult")); ok {
			at += "/toolResult"
			if id, ok := v.Text(result, "toolUseId", at, document.RuleToolCallIDRequired, true); ok && role != document.RoleAssistant {
				v.Answer(id, at+"/toolUseId")
			}
			v.OptionalBlocks(result, "content", at, func(rawjson.Object, string) {})
		}
	}
	v.EndMessage()
}
