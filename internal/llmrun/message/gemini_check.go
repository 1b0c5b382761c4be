package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkGemini validates contents and candidates.
func checkGemini(v *validator, src Source) {
	o := src.Object
	if v.side == Outputs {
		candidates, _ := rawjson.ReadArray(o.Get("candidates"))
		for i, raw := range candidates {
			candidate, _ := rawjson.ReadObject(raw)
			checkGeminiContent(v, candidate.Get("content"), v.base+rawjson.Pointer("candidates", i, "content"))
		}
		return
	}
	list, _ := rawjson.ReadArray(o.Get("contents"))
	for i, raw := range list {
		checkGeminiContent(v, raw, v.base+rawjson.Pointer("contents", i))
	}
}

func checkGeminiContent(v *validator, raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	if role := o.Get("role"); !rawjson.IsNullOrAbsent(role) {
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
