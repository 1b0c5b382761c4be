package convert

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// toolMembers are the members of a tool's definition that the responses format shares with others, toolData those that change
// how a service handles the tool, and not what the model reads.
var (
	toolMembers = []string{"name", "description", "parameters", "format"}
	toolData    = []string{"cache_control", "defer_loading", "allowed_callers", "eager_input_streaming"}
)

// datedTool are the types of the tools that the service of the messages format defines.
var datedTool = regexp.MustCompile(`_\d{8}$|^mcp_toolset$|^tool_search_tool_`)

func isToolList(raw json.RawMessage) bool {
	list, ok := rawjson.ReadArray(raw)
	return ok && rawjson.AllObjects(list)
}

// toolForm returns the format that defines tools in this form, and whether it is a tool of the client.
func toolForm(o rawjson.Object) (form document.Format, client bool) {
	kind, hasType := o.Text("type")
	client = kind == part.KeyFunction || kind == part.KeyCustom
	switch {
	case o.Has("input_schema"):
		return document.FormatMessages, true
	case o.Has("inputSchema"):
		return document.FormatAISDK, true
	case client && rawjson.IsObject(o.Get(kind)):
		return document.FormatChatCompletions, true
	case datedTool.MatchString(kind):
		return document.FormatMessages, false
	case hasType:
		return document.FormatResponses, client || o.Has("tools")
	default:
		return document.FormatUnrecognized, true
	}
}

// convertTools writes the definitions of tools. Tools that a service defines have no counterpart in another format.
func (p *Prepared) convertTools(value json.RawMessage) {
	list, _ := rawjson.ReadArray(value)
	var tools []json.RawMessage
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		at := []any{"extras", "tools", i}
		form, client := toolForm(o)
		switch {
		case form == p.to.Format:
			tools = append(tools, raw)
		case !client:
			p.drop(at...)
		case form == document.FormatUnrecognized && !o.Has("name"):
			p.lose("a tool must have a name", at...)
		default:
			shaped, _, reason := p.to.Request.Shape(Tools, p.clientTool(o, form, at))
			if reason != "" {
				p.lose(reason, at...)
				continue
			}
			tools = append(tools, shaped)
		}
	}
	if tools != nil {
		p.putSetting("tools", rawjson.EncodeArray(tools))
		return
	}
	for _, key := range []string{"tool_choice", "parallel_tool_calls"} { // Services refuse them without tools.
		if p.Extras[key] != nil {
			p.drop("extras", key)
			delete(p.Extras, key)
		}
	}
}

// clientTool returns the definition of a tool in the form of the responses format, which is strict only if it says so.
func (p *Prepared) clientTool(o rawjson.Object, form document.Format, at []any) json.RawMessage {
	kind, _ := o.Text("type")
	if kind == "" || form == document.FormatMessages {
		kind = part.KeyFunction
	}
	members, _ := rawjson.ReadObject(flat(o.Encode()))
	tool := OfType(kind)
	for _, m := range members {
		switch {
		case m.Key == "type", rawjson.IsNull(m.Value), m.Key == "strict" && string(m.Value) == "false":
		case m.Key == "input_schema", m.Key == "inputSchema":
			tool = tool.With("parameters", m.Value)
		case m.Key == "strict", slices.Contains(toolMembers, m.Key):
			tool = append(tool, m)
		case slices.Contains(toolData, m.Key):
			p.drop(placeOf(o, m.Key, at)...)
		case !rawjson.IsVoid(m.Value):
			p.lose("the format has no such member of a tool", placeOf(o, m.Key, at)...)
		}
	}
	return tool.Encode()
}

// placeOf returns the location of a member, which may be in the object under the type of its object.
func placeOf(o rawjson.Object, key string, at []any) []any {
	if kind, _ := o.Text("type"); !o.Has(key) && o.Has(kind) {
		at = append(slices.Clip(at), kind)
	}
	return append(slices.Clip(at), key)
}

// nestedTypes are the types whose other members chat completions have in an object under the type, and the responses format
// beside it.
var nestedTypes = []string{part.KeyFunction, part.KeyCustom, "grammar", "json_schema", "allowed_tools"}

// flat returns a definition of any format in the form of the responses format, which demands a name of a schema. The messages
// format has none, and always enforces the schema.
func flat(raw json.RawMessage) json.RawMessage {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return raw
	}
	kind, _ := o.Text("type")
	if inner, nested := rawjson.ReadObject(o.Get(kind)); nested && slices.Contains(nestedTypes, kind) {
		o = append(OfType(kind), inner...).WithAll(o.Rest("type", kind))
	}
	if kind == "json_schema" && !o.Has("name") {
		o = append(o, rawjson.Of("name", rawjson.Quote("response")).With("strict", json.RawMessage("true"))...)
	}
	return eachDefinition(o, flat).Encode()
}

// Nest returns a definition of the responses format in the form of chat completions.
func Nest(raw json.RawMessage) json.RawMessage {
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	if !slices.Contains(nestedTypes, kind) {
		return raw
	}
	inner := eachDefinition(o, Nest).Rest("type")
	return OfType(kind).With(kind, rawjson.Object(nil).WithAll(inner).Encode()).Encode()
}

// eachDefinition changes the definitions in a definition: the allowed tools, and the format of a custom tool's input.
func eachDefinition(o rawjson.Object, change func(json.RawMessage) json.RawMessage) rawjson.Object {
	out := slices.Clone(o)
	for i, m := range out {
		switch list, _ := rawjson.ReadArray(m.Value); {
		case m.Key == "format":
			out[i].Value = change(m.Value)
		case m.Key == "tools" && list != nil:
			for j := range list {
				list[j] = change(list[j])
			}
			out[i].Value = rawjson.EncodeArray(list)
		}
	}
	return out
}
