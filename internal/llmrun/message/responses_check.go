package message

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkResponses validates the items of a responses call or answer. An input may be a plain string.
func checkResponses(v *validator, src Source) {
	o, key := src.Object, "input"
	if src.Side == Outputs {
		key = "output"
	}
	items, ok := rawjson.ReadArray(o.Get(key))
	if !ok && !rawjson.IsString(o.Get(key)) {
		v.add(v.base+rawjson.Pointer(key), ruleContentRequired, key+" is missing", "set it to a list of items")
	}
	for i, raw := range items {
		if item, ok := rawjson.ReadObject(raw); ok {
			checkItem(v, item, v.base+rawjson.Pointer(key, i))
			v.endMessage()
		}
	}
	if usage := o.Get("usage_metadata"); usage != nil {
		v.usage(usage, v.base+"/usage_metadata")
	}
}

// callItems are the items that answer a function call of the same name without the suffix.
var callItems = []string{"function_call_output", "custom_tool_call_output"}

func checkItem(v *validator, o rawjson.Object, at string) {
	kind, _ := o.Text("type")
	switch {
	case kind == "message" || !o.Has("type"):
		v.role(o, place{base: at}, RoleSystem, "developer", RoleUser, RoleAssistant)
		v.blocks(o.Get("content"), at+"/content", func(part rawjson.Object, at string) { checkItemPart(v, part, at) })
	case kind == "function_call":
		if id, ok := v.text(o, "call_id", at, ruleToolCallID, true); ok {
			v.call(id, at+"/call_id", RoleAssistant)
		}
		v.function(o.Encode(), at)
	case kind == "custom_tool_call":
		if id, ok := v.text(o, "call_id", at, ruleToolCallID, true); ok {
			v.call(id, at+"/call_id", RoleAssistant)
		}
	case slices.Contains(callItems, kind):
		// The call may be in the answer that the request references by previous_response_id.
		v.text(o, "call_id", at, ruleToolCallIDRequired, true)
	case kind == "":
		v.add(at+"/type", ruleBlockType, "the type is "+rawjson.Show(o.Get("type"))+", not an item type", "set it to message, function_call or another item")
	}
}

func checkItemPart(v *validator, o rawjson.Object, at string) {
	kind, ok := v.text(o, "type", at, ruleBlockType, true)
	if !ok {
		return
	}
	switch kind {
	case "input_text", "output_text":
		v.text(o, "text", at, ruleTextRequired, true)
	case "refusal":
		v.text(o, "refusal", at, ruleTextRequired, true)
	case "input_image":
		checkOneOf(v, o, kind, at, "image_url", "file_id")
	case "input_file":
		checkOneOf(v, o, kind, at, "file_data", "file_id", "file_url")
	}
}

// checkOneOf validates that at least one of some members exists.
func checkOneOf(v *validator, o rawjson.Object, kind, at string, keys ...string) {
	if !slices.ContainsFunc(keys, func(key string) bool { return rawjson.IsString(o.Get(key)) }) {
		v.add(at, ruleMediaSource, "the part of type "+rawjson.Name(kind)+" has no data", "set "+alternatives(keys))
	}
}
