package pages

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// toolsOf returns the tools that a call of a model offers: frameworks log them among the parameters of the call, and clients that log
// whole requests beside the messages, in the form of the provider.
func toolsOf(params, inputs document.Extras) (tools []web.Tool) {
	for _, members := range []document.Extras{params, inputs} {
		for _, name := range []string{"tools", "functions", "tool_definitions", "toolConfig", "tool_config"} {
			tools = appendTools(tools, members[name])
		}
	}
	return slices.CompactFunc(tools, func(a, b web.Tool) bool { return a.Name == b.Name && string(a.Definition) == string(b.Definition) })
}

// toolLists are the members of objects that contain more than one tool.
var toolLists = []string{"functionDeclarations", "function_declarations", "tools"}

// appendTools adds the tools of a list, an object that contains one, or JSON of these in a string.
func appendTools(tools []web.Tool, raw json.RawMessage) []web.Tool {
	if text := ""; json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) && len(text) > 0 && text[0] != '"' {
		raw = json.RawMessage(text)
	}
	if list, is := rawjson.ReadArray(raw); is {
		for _, one := range list {
			tools = appendTool(tools, one)
		}
		return tools
	}
	if o, is := rawjson.ReadObject(raw); is {
		for _, name := range toolLists {
			tools = appendTools(tools, o.Get(name))
		}
	}
	return tools
}

func appendTool(tools []web.Tool, raw json.RawMessage) []web.Tool {
	o, is := rawjson.ReadObject(raw)
	if !is {
		return append(tools, web.Tool{Name: plain(raw), Definition: raw})
	}
	for _, name := range toolLists {
		if rawjson.IsArray(o.Get(name)) {
			return appendTools(tools, o.Get(name))
		}
	}
	tool := web.Tool{Definition: raw}
	// Some providers wrap everything but the type.
	for _, name := range []string{"function", "toolSpec", "tool_spec", "custom"} {
		if inner, is := rawjson.ReadObject(o.Get(name)); is {
			o = inner
		}
	}
	tool.Name, tool.Description = text(o, "name"), text(o, "description")
	if tool.Name == "" { // Tools of the provider have a type only.
		tool.Name = text(o, "type")
	}
	return append(tools, tool)
}

// text returns a member that is a string; any other counts as empty.
func text(o rawjson.Object, name string) (value string) {
	_ = json.Unmarshal(o.Get(name), &value)
	return value
}
