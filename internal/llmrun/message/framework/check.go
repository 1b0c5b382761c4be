package framework

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates the messages of the framework in any envelope.
func Check(v *check.Checker, src document.Source) {
	d, _ := unwrap(src)
	if d.shape == document.ShapePrompts {
		return // They are strings.
	}
	at := v.Base
	if d.key != "" {
		at += rawjson.Pointer(d.key)
	}
	for i, list := range d.lists {
		for j, raw := range list {
			switch {
			case d.shape == document.ShapeBare:
				checkMessage(v, raw, at)
			case d.nested:
				checkEntry(v, raw, at+rawjson.Pointer(i, j), d.shape)
			default:
				checkEntry(v, raw, at+rawjson.Pointer(j), d.shape)
			}
		}
	}
}

func checkEntry(v *check.Checker, raw json.RawMessage, at, shape string) {
	if shape != document.ShapeGenerations {
		checkMessage(v, raw, at)
		return
	}
	o, _ := rawjson.ReadObject(raw)
	if message := o.Get("message"); rawjson.IsObject(message) {
		checkMessage(v, message, at+"/message")
	} else {
		v.Text(o, "text", at, document.RuleTextRequired, true)
	}
}

// checkMessage validates a message by its class or type. A message of an unknown class must have a role.
func checkMessage(v *check.Checker, raw json.RawMessage, at string) {
	o, _ := rawjson.ReadObject(raw)
	kwargs, constructed := rawjson.ReadObject(o.Get("kwargs"))
	constructed = constructed && o.Has("lc")
	if constructed && classOf(o) == "RemoveMessage" {
		return // It removes a message from a list, and has neither a role nor content.
	}
	role := roleOf(o, constructed)
	p := envelope.Place{Base: at}
	switch {
	case constructed:
		o, p = kwargs, envelope.Place{Base: at + "/kwargs"}
	case isDataMessage.Fits(raw):
		o, _ = rawjson.ReadObject(o.Get("data"))
		p = envelope.Place{Base: at + "/data"}
	case rawjson.IsArray(raw):
		return // A pair of a role and a content has no further members.
	}
	if said, ok := o.Text("role"); role == "" && ok {
		role = said
	}
	if role == "" {
		v.Add(p.Member("role"), document.RuleRoleRequired, "neither the class nor the type of the message determines its role",
			"use SystemMessage, HumanMessage, AIMessage or ToolMessage, or set role")
	}
	list, _ := rawjson.ReadArray(o.Get("content"))
	if !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return rawjson.IsString(raw) }) {
		v.Blocks(o.Get("content"), p.Member("content"), func(b rawjson.Object, at string) {
			v.Text(b, "type", at, document.RuleBlockType, true)
		})
	}
	v.ToolCalls(o.Get("tool_calls"), p.Member("tool_calls"), role, true)
	v.ToolCallID(o, p, role)
	v.Usage(o.Get("usage_metadata"), p.Member("usage_metadata"))
	v.EndMessage()
}
