package responses

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates the items of a responses call or answer. An input may be a plain string.
func Check(v *check.Checker, src document.Source) {
	o, key := src.Object, "input"
	if src.Side == document.Outputs {
		key = "output"
	}
	name, _ := o.Text("object")
	items, ok := src.List(key)
	if !ok && !rawjson.IsString(o.Get(key)) {
		v.Add(v.Base+rawjson.Pointer(key), document.RuleContentRequired, key+" is missing", "set it to a list of items")
	}
	for i, raw := range items {
		if item, ok := rawjson.ReadObject(raw); ok {
			checkItem(v, item, v.Base+rawjson.Pointer(key, i), name == "realtime.response")
			v.EndMessage()
		}
	}
	v.Usage(o.Get("usage_metadata"), v.Base+"/usage_metadata")
}

// checkItem validates an item. The calls of a Realtime answer needn't have an ID.
func checkItem(v *check.Checker, o rawjson.Object, at string, realtime bool) {
	kind, _ := o.Text("type")
	switch {
	case rawjson.IsNullOrAbsent(o.Get("type")) && o.Has("id") && len(o.Rest("type", "id")) == 0: // A reference to a stored item.
	case kind == "message" || !o.Has("type"):
		role := v.Role(o, envelope.Place{Base: at}, document.RoleSystem, "developer", document.RoleUser, document.RoleAssistant)
		v.Blocks(o.Get("content"), at+"/content", func(part rawjson.Object, at string) { v.Part(part, at, role) })
	case kind == "reasoning":
		for _, key := range []string{"summary", "content"} {
			v.OptionalBlocks(o, key, at, func(text rawjson.Object, at string) {
				v.Text(text, "type", at, document.RuleBlockType, true)
				v.Text(text, "text", at, document.RuleTextRequired, true)
			})
			if rawjson.IsString(o.Get(key)) {
				v.Add(at+rawjson.Pointer(key), document.RuleContentBlocks, "the "+key+" is a string, not a list of texts",
					`write it as [{"type", "text"}]`)
			}
		}
	case kind == "function_call":
		if id, ok := v.Text(o, "call_id", at, document.RuleToolCallID, !realtime); ok {
			v.Call(id, at+"/call_id", document.RoleAssistant)
		}
		v.Function(o.Encode(), at)
	default:
		v.Part(o, at, document.RoleAssistant)
	}
}
