package aisdk

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates the messages of the SDK; a result has only its parts.
func Check(v *check.Checker, src document.Source) {
	o := src.Object
	if v.Side == document.Outputs && isResult(o) {
		v.Text(o, "text", v.Base, document.RuleTextRequired, false)
		if o.Has("content") {
			checkParts(v, o, v.Base, document.RoleAssistant)
		}
		return
	}
	list, _ := messagesOf(src)
	for i, raw := range list {
		at := v.Base
		switch {
		case v.Side == document.Inputs && rawjson.IsArray(o.Get("prompt")):
			at += rawjson.Pointer("prompt", i)
		case o.Has("messages"):
			at += rawjson.Pointer("messages", i)
		case o == nil:
			at += rawjson.Pointer(i)
		}
		message, _ := rawjson.ReadObject(raw)
		role := v.Role(message, envelope.Place{Base: at}, document.RoleSystem, document.RoleUser, document.RoleAssistant, document.RoleTool)
		checkParts(v, message, at, role)
		v.EndMessage()
	}
}

func checkParts(v *check.Checker, message rawjson.Object, at, role string) {
	key := "content"
	if isUI(message) {
		key = keyParts
	}
	v.Blocks(message.Get(key), at+rawjson.Pointer(key), func(part rawjson.Object, at string) {
		switch v.Part(part, at, role) {
		case document.BlockReasoning:
			v.Text(part, "text", at, document.RuleTextRequired, true)
		case kindResult:
			if id, ok := v.Text(part, "toolCallId", at, document.RuleToolCallIDRequired, true); ok && role == document.RoleTool {
				v.Answer(id, at+"/toolCallId")
			}
		}
	})
}
