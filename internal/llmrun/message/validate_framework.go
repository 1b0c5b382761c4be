package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// framework validates the messages that a framework's tracer wraps.
func (v *validator) framework(raw json.RawMessage, side Side) {
	o, _ := rawjson.ReadObject(raw)
	key := "messages"
	if side == Outputs && o.Has("generations") {
		key = "generations"
	}
	list, _ := rawjson.ReadArray(o.Get(key))
	for i, raw := range list {
		inner, ok := rawjson.ReadArray(raw)
		if !ok {
			v.frameworkMessage(raw, rawjson.Pointer(key, i))
			continue
		}
		for j, raw := range inner {
			v.frameworkEntry(raw, rawjson.Pointer(key, i, j), key == "generations")
		}
	}
}

func (v *validator) frameworkEntry(raw json.RawMessage, at string, generation bool) {
	if !generation {
		v.frameworkMessage(raw, at)
		return
	}
	o, _ := rawjson.ReadObject(raw)
	if message := o.Get("message"); rawjson.IsObject(message) {
		v.frameworkMessage(message, at+"/message")
	} else {
		v.text(o, "text", at, RuleTextRequired, true)
	}
}

// frameworkMessage validates a message by its class or type. A class that isn't known has to say its role.
func (v *validator) frameworkMessage(raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	kwargs, constructed := rawjson.ReadObject(o.Get("kwargs"))
	constructed = constructed && o.Has("lc")
	role := frameworkRole(o, constructed)
	p := place{base: at}
	if constructed {
		o, p = kwargs, place{base: at + "/kwargs"}
	}
	if said, ok := o.Text("role"); role == "" && ok {
		role = said
	}
	if role == "" {
		v.add(p.member("role"), RuleRoleRequired, "neither the class nor the type of the message says its role",
			"use SystemMessage, HumanMessage, AIMessage or ToolMessage, or set role")
	}
	v.blocks(o.Get("content"), p.member("content"), func(b rawjson.Object, at string) {
		v.text(b, "type", at, RuleBlockType, true)
	})
	v.nativeCalls(o.Get("tool_calls"), p.member("tool_calls"), role)
	v.toolCallID(o, p, role)
	if usage := o.Get("usage_metadata"); usage != nil {
		v.usage(usage, p.member("usage_metadata"))
	}
	v.settle()
}
