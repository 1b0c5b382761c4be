package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// toolCalls validates tool_calls beside the content, which is another location for an assistant's calls.
func (v *validator) toolCalls(raw json.RawMessage, at, role string) {
	list, ok := rawjson.ReadArray(raw)
	if !ok && !rawjson.IsNullOrAbsent(raw) {
		v.add(at, ruleToolCallArgs, "tool_calls is "+rawjson.Show(raw)+", not a list", "write it as a list of calls")
	}
	for i, raw := range list {
		if call, ok := rawjson.ReadObject(raw); ok && !call.Has("function") {
			v.toolCall(call, at+rawjson.Pointer(i), role)
		} else if ok {
			v.functionCall(call, at+rawjson.Pointer(i), role)
		}
	}
}

// toolCallID validates the ID of the call that a message answers.
func (v *validator) toolCallID(o rawjson.Object, p place, role string) {
	at := p.member("tool_call_id")
	id, ok := v.text(o, "tool_call_id", p.base, ruleToolCallID, false)
	switch {
	case !ok:
	case role != RoleTool:
		v.add(at, ruleToolCallIDRole, "tool_call_id "+rawjson.Name(id)+" is set on a message with role "+rawjson.Name(role),
			"set the role to tool, or remove tool_call_id")
	default:
		v.answer(id, at)
	}
}

func (v *validator) toolCall(o rawjson.Object, at, role string) {
	v.text(o, "name", at, ruleToolCallName, false)
	v.object(o, "args", at, ruleToolCallArgs)
	if id, ok := v.text(o, "id", at, ruleToolCallID, false); ok {
		v.call(id, at+"/id", role)
	}
}

// functionCall validates an entry of tool_calls.
func (v *validator) functionCall(o rawjson.Object, at, role string) {
	function, _ := rawjson.ReadObject(o.Get("function"))
	// The provider whose calls have an object as their arguments doesn't give them IDs: answers name the tool.
	if id, ok := v.text(o, "id", at, ruleToolCallID, !rawjson.IsObject(function.Get("arguments"))); ok {
		v.call(id, at+"/id", role)
	}
	if kind, _ := o.Text("type"); kind != "custom" {
		v.function(o.Get("function"), at+"/function")
	}
}

// function validates {"name", "arguments"}.
func (v *validator) function(raw json.RawMessage, at string) {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		v.add(at, ruleToolCallName, "the call has no function", `write it as {"name": …, "arguments": "{…}"}`)
		return
	}
	v.text(o, "name", at, ruleToolCallName, true)
	if rawjson.IsObject(o.Get("arguments")) {
		return
	}
	text, ok := v.text(o, "arguments", at, ruleToolCallArgs, true)
	if ok && text != "" && (!json.Valid([]byte(text)) || !rawjson.IsObject([]byte(text))) {
		v.add(at+"/arguments", ruleToolCallArgs, "the arguments are not the JSON of an object",
			"write the arguments as the text of a JSON object")
	}
}
