package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkFramework validates the messages of the framework in any envelope.
func checkFramework(v *validator, src Source) {
	d, _ := openFramework(src)
	key, nested := "/messages", d.shape == shapeLists
	switch d.shape {
	case shapePrompts:
		return // They are strings.
	case shapeBare:
		checkFrameworkMessage(v, src.Raw, v.base)
		return
	case shapeList:
		key = ""
	case shapeGenerations:
		lists, _ := rawjson.ReadArray(src.Object.Get("generations"))
		key, nested = "/generations", rawjson.IsArray(lists[0])
	}
	for i, list := range d.lists {
		for j, raw := range list {
			at := v.base + key + rawjson.Pointer(j)
			if nested {
				at = v.base + key + rawjson.Pointer(i, j)
			}
			checkFrameworkEntry(v, raw, at, d.shape == shapeGenerations)
		}
	}
}

func checkFrameworkEntry(v *validator, raw json.RawMessage, at string, generation bool) {
	if !generation {
		checkFrameworkMessage(v, raw, at)
		return
	}
	o, _ := rawjson.ReadObject(raw)
	if message := o.Get("message"); rawjson.IsObject(message) {
		checkFrameworkMessage(v, message, at+"/message")
	} else {
		v.text(o, "text", at, ruleTextRequired, true)
	}
}

// checkFrameworkMessage validates a message by its class or type. A message of an unknown class must have a role.
func checkFrameworkMessage(v *validator, raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	kwargs, constructed := rawjson.ReadObject(o.Get("kwargs"))
	constructed = constructed && o.Has("lc")
	role := frameworkRole(o, constructed)
	p := place{base: at}
	switch {
	case constructed:
		o, p = kwargs, place{base: at + "/kwargs"}
	case isDataMessage(o):
		o, _ = rawjson.ReadObject(o.Get("data"))
		p = place{base: at + "/data"}
	case rawjson.IsArray(raw):
		return // A pair of a role and a content has no further members.
	}
	if said, ok := o.Text("role"); role == "" && ok {
		role = said
	}
	if role == "" {
		v.add(p.member("role"), ruleRoleRequired, "neither the class nor the type of the message determines its role",
			"use SystemMessage, HumanMessage, AIMessage or ToolMessage, or set role")
	}
	content := o.Get("content")
	if _, mixed := takeMixedContent(content); !mixed {
		v.blocks(content, p.member("content"), func(b rawjson.Object, at string) {
			v.text(b, "type", at, ruleBlockType, true)
		})
	}
	v.toolCalls(o.Get("tool_calls"), p.member("tool_calls"), role)
	v.toolCallID(o, p, role)
	if usage := o.Get("usage_metadata"); usage != nil {
		v.usage(usage, p.member("usage_metadata"))
	}
	v.endMessage()
}
