package gemini

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates contents and candidates.
func Check(v *check.Checker, src document.Source) {
	o := src.Object
	if v.Side == document.Outputs {
		candidates, _ := src.List("candidates")
		for i, raw := range candidates {
			candidate, _ := rawjson.ReadObject(raw)
			checkContent(v, candidate.Get("content"), v.Base+rawjson.Pointer("candidates", i, "content"))
		}
		return
	}
	config, _ := rawjson.ReadObject(o.Get("config"))
	for _, key := range systemKeys {
		beside, _ := rawjson.ReadObject(o.Get(key))
		v.Misplaced(beside, "parts", "content", v.Base+rawjson.Pointer(key))
		inConfig, _ := rawjson.ReadObject(config.Get(key))
		v.Misplaced(inConfig, "parts", "content", v.Base+rawjson.Pointer("config", key))
	}
	list, _ := src.List("contents")
	for i, raw := range list {
		checkContent(v, raw, v.Base+rawjson.Pointer("contents", i))
	}
}

func checkContent(v *check.Checker, raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	if role := o.Get("role"); !rawjson.IsNullOrAbsent(role) {
		v.Role(o, envelope.Place{Base: at}, "user", "model", "function", "tool", "system")
	}
	v.Misplaced(o, "parts", "content", at)
	parts, _ := rawjson.ReadArray(o.Get("parts"))
	for i, raw := range parts {
		at := at + rawjson.Pointer("parts", i)
		part, _ := rawjson.ReadObject(raw)
		said := part.Rest().WithoutVoid()
		if len(said) == 0 && !rawjson.IsString(part.Get("text")) {
			v.Add(at, document.RuleBlockType, "the part has none of the members of a part", "add text, inlineData, functionCall or another member")
		}
		for _, key := range []string{"function_call", "function_response"} {
			key, value := part.Find(key)
			if call, ok := rawjson.ReadObject(value); ok {
				v.Text(call, "name", at+rawjson.Pointer(key), document.RuleToolCallName, true)
			}
		}
	}
}
