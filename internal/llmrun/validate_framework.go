package llmrun

import (
	"encoding/json"
)

// framework validates the messages that a framework's tracer wraps.
func (v *validator) framework(raw json.RawMessage, side Side) {
	o, _ := readObject(raw)
	key := "messages"
	if side == Outputs && o.has("generations") {
		key = "generations"
	}
	list, _ := readArray(o.get(key))
	for i, raw := range list {
		inner, ok := readArray(raw)
		if !ok {
			v.frameworkMessage(raw, pointer(key, i))
			continue
		}
		for j, raw := range inner {
			v.frameworkEntry(raw, pointer(key, i, j), key == "generations")
		}
	}
}

func (v *validator) frameworkEntry(raw json.RawMessage, at string, generation bool) {
	if !generation {
		v.frameworkMessage(raw, at)
		return
	}
	o, _ := readObject(raw)
	if message := o.get("message"); isObject(message) {
		v.frameworkMessage(message, at+"/message")
	} else {
		v.text(o, "text", at, RuleTextRequired, true)
	}
}

// frameworkMessage validates a message by its class or type. A class that isn't known has to say its role.
func (v *validator) frameworkMessage(raw json.RawMessage, at string) {
	o, _ := readObject(raw)
	kwargs, constructed := readObject(o.get("kwargs"))
	constructed = constructed && o.has("lc")
	role := frameworkRole(o, constructed)
	p := place{base: at}
	if constructed {
		o, p = kwargs, place{base: at + "/kwargs"}
	}
	if said, ok := o.text("role"); role == "" && ok {
		role = said
	}
	if role == "" {
		v.add(p.member("role"), RuleRoleRequired, "neither the class nor the type of the message says its role",
			"use SystemMessage, HumanMessage, AIMessage or ToolMessage, or set role")
	}
	v.blocks(o.get("content"), p.member("content"), func(b object, at string) {
		v.text(b, "type", at, RuleBlockType, true)
	})
	v.nativeCalls(o.get("tool_calls"), p.member("tool_calls"), role)
	v.toolCallID(o, p, role)
	if usage := o.get("usage_metadata"); usage != nil {
		v.usage(usage, p.member("usage_metadata"))
	}
	v.settle()
}
