package check

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// ToolCalls validates tool_calls beside the content, which is another location for an assistant's calls. They have a function, unless
// they may be flat.
func (v *Checker) ToolCalls(raw json.RawMessage, at, role string, flat bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok && !rawjson.IsNullOrAbsent(raw) {
		v.Add(at, document.RuleToolCallArgs, "tool_calls is "+rawjson.Show(raw)+", not a list", "write it as a list of calls")
	}
	for i, raw := range list {
		at := at + rawjson.Pointer(i)
		switch call, ok := rawjson.ReadObject(raw); {
		case !ok:
			v.Add(at, document.RuleToolCallArgs, "a call is "+rawjson.Show(raw)+", not an object", `write it as {"id", "type", "function"}`)
		case flat && !call.Has("function"):
			v.ToolCall(call, at, role)
		default:
			v.FunctionCall(call, at, role)
		}
	}
}

// ToolCallID validates the ID of the call that a message answers.
func (v *Checker) ToolCallID(o rawjson.Object, p envelope.Place, role string) {
	key, _ := o.Find("tool_call_id")
	at := p.Member(key)
	id, ok := v.Text(o, "tool_call_id", p.Base, document.RuleToolCallID, false)
	switch {
	case !ok:
	case role != document.RoleTool:
		v.Add(at, document.RuleToolCallIDRole, "tool_call_id "+rawjson.Name(id)+" is set on a message with role "+rawjson.Name(role),
			"set the role to tool, or remove tool_call_id")
	default:
		v.Answer(id, at)
	}
}

// ToolCall validates a call of the normal form.
func (v *Checker) ToolCall(o rawjson.Object, at, role string) {
	v.Text(o, "name", at, document.RuleToolCallName, false)
	v.Object(o, "args", at, document.RuleToolCallArgs)
	if id, ok := v.Text(o, "id", at, document.RuleToolCallID, false); ok {
		v.Call(id, at+"/id", role)
	}
}

// FunctionCall validates an entry of tool_calls.
func (v *Checker) FunctionCall(o rawjson.Object, at, role string) {
	function, _ := rawjson.ReadObject(o.Get("function"))
	// The provider whose calls have an object as their arguments doesn't give them IDs: answers name the tool.
	if id, ok := v.Text(o, "id", at, document.RuleToolCallID, !rawjson.IsObject(function.Get("arguments"))); ok {
		v.Call(id, at+"/id", role)
	}
	if kind, _ := o.Text("type"); kind != "custom" {
		v.Function(o.Get("function"), at+"/function")
	}
}

// Function validates {"name", "arguments"}.
func (v *Checker) Function(raw json.RawMessage, at string) {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		v.Add(at, document.RuleToolCallName, "the call has no function", `write it as {"name": …, "arguments": "{…}"}`)
		return
	}
	v.Text(o, "name", at, document.RuleToolCallName, true)
	if rawjson.IsObject(o.Get("arguments")) {
		return
	}
	text, ok := v.Text(o, "arguments", at, document.RuleToolCallArgs, true)
	if ok && text != "" && (!json.Valid([]byte(text)) || !rawjson.IsObject([]byte(text))) {
		v.Add(at+"/arguments", document.RuleToolCallArgs, "the arguments are not the JSON of an object",
			"write the arguments as the text of a JSON object")
	}
}
