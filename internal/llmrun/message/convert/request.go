package convert

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// The settings that formats write in different forms.
const (
	Tools          = "tools"
	ToolChoice     = "tool_choice"
	Parallel       = "parallel"
	Stop           = "stop"
	ResponseFormat = "response_format"
)

//go:embed settings.txt
var settingsText string

// setting is a line of the table of settings, which explains itself.
type setting struct {
	name  string
	names []string // in the formats, and then others
	// isTuning says that the setting is dropped where there is no place for it.
	isTuning bool
}

var settings = func() (all []setting) {
	for words := range texttable.Rows(settingsText) {
		name, isTuning := strings.CutSuffix(words[0], "?")
		all = append(all, setting{name, words[1:], isTuning})
	}
	return all
}()

// in returns the name of a setting in a format; - if it has none.
func (s setting) in(format document.Format) string {
	return s.names[slices.Index([]document.Format{document.FormatChatCompletions, document.FormatMessages, document.FormatResponses}, format)]
}

// tuningObjects are objects with settings that change how a model works, besides those with a name in other formats.
var tuningObjects = []string{"output_config", "reasoning", "thinking"}

// convertSettings gives the settings of a request the names and the form of a format.
func (p *Prepared) convertSettings() {
	written := p.to.Written(&p.Document)
	for _, s := range settings {
		if s.name == ToolChoice {
			p.splitChoice()
		}
		p.convertNames(s, written)
	}
	for _, key := range tuningObjects {
		if o, ok := rawjson.ReadObject(p.Extras[key]); ok && !slices.Contains(written, key) {
			for _, m := range o {
				p.drop("extras", key, m.Key)
			}
			delete(p.Extras, key)
		}
	}
}

// convertNames converts what a setting has under its names.
func (p *Prepared) convertNames(s setting, written []string) {
	found := map[string]bool{}
	for _, name := range s.names {
		key, member, nested := strings.Cut(name, "/")
		value, at := p.Extras[key], []any{"extras", key}
		object, _ := rawjson.ReadObject(value)
		if nested {
			value, at = object.Get(member), append(at, member)
		}
		list, isList := rawjson.ReadArray(value)
		if name == "-" || found[name] || rawjson.IsVoidOrAbsent(value) || s.name == Tools && (!isList || !rawjson.AllObjects(list)) {
			continue
		}
		again := len(found) > 0
		found[name] = true
		if !again && s.name != Tools && s.name != ToolChoice && slices.Contains(written, key) {
			continue // It has the form of the format. Tools may come from any.
		}
		delete(p.Extras, key)
		if nested {
			p.Extras.PutObject(key, object.Rest(member))
		}
		if again {
			p.drop(at...)
		} else {
			p.convertSetting(s, value, at)
		}
	}
}

func (p *Prepared) convertSetting(s setting, value json.RawMessage, at []any) {
	original, isObject := rawjson.ReadObject(value)
	kind, _ := original.Text("type")
	name := s.in(p.to.Format)
	switch {
	case s.name == Tools:
		p.convertTools(value)
		return
	case name == "-" && s.isTuning,
		s.name == ToolChoice && isObject && !slices.Contains(nestedTypes, kind) && p.to.Format != document.FormatResponses: // That of a service's tool.
		p.drop(at...)
		return
	case name == "-":
		p.lose("the format has no such setting", at...)
		return
	}
	shaped, dropped, reason := p.to.Shape(s.name, flat(value))
	switch {
	case reason != "":
		p.lose(reason, at...)
	case shaped == nil:
		p.drop(at...)
	default:
		p.putSetting(name, shaped)
	}
	for _, key := range dropped {
		p.drop(placeOf(original, key, at)...)
	}
}

// putSetting writes a setting, beside the other members of its object if it has one.
func (p *Prepared) putSetting(name string, value json.RawMessage) {
	key, member, nested := strings.Cut(name, "/")
	if nested {
		base := p.settings[key]
		if base == nil {
			base = p.Extras[key]
		}
		o, _ := rawjson.ReadObject(base)
		value = rawjson.Object(nil).WithAll(o.Rest(member)).With(member, value).Encode()
	}
	p.settings.Put(key, value)
}

// choiceWords are the types of a choice in the messages format that other formats have as a word.
var choiceWords = map[string]string{"auto": "auto", "any": "required", "none": "none"}

// splitChoice splits the choice of a tool in the messages format, which also says whether there may be several calls at once.
func (p *Prepared) splitChoice() {
	o, _ := rawjson.ReadObject(p.Extras["tool_choice"])
	switch kind, _ := o.Text("type"); {
	case choiceWords[kind] != "":
		p.Extras.Put("tool_choice", rawjson.Quote(choiceWords[kind]))
	case kind == "tool":
		p.Extras.Put("tool_choice", rawjson.Typed("function").WithRaw("name", o.Get("name")).Encode())
	default:
		return
	}
	if disable := o.Get("disable_parallel_tool_use"); !rawjson.IsNullOrAbsent(disable) {
		p.Extras.Put("parallel_tool_calls", Not(disable))
	}
}

// Not inverts a bool.
func Not(raw json.RawMessage) json.RawMessage {
	return strconv.AppendBool(nil, string(raw) != "true")
}

// toolMembers are the members of a tool's definition that the responses format shares with others, toolData those that change
// how a service handles the tool, and not what the model reads.
var (
	toolMembers = []string{"name", "description", "parameters", "format"}
	toolData    = []string{"cache_control", "defer_loading", "allowed_callers", "eager_input_streaming"}
)

// datedTool are the types of the tools that the service of the messages format defines.
var datedTool = regexp.MustCompile(`_\d{8}$|^mcp_toolset$|^tool_search_tool_`)

// ToolForm returns the format that defines tools in this form, and whether it is a tool of the client.
func ToolForm(o rawjson.Object) (form document.Format, client bool) {
	kind, hasType := o.Text("type")
	client = kind == part.KeyFunction || kind == part.KeyCustom
	switch {
	case o.Has("input_schema"):
		return document.FormatMessages, true
	case o.Has("inputSchema"):
		return document.FormatAISDK, true
	case rawjson.IsObject(o.Get(part.KeyFunction)), rawjson.IsObject(o.Get(part.KeyCustom)):
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
		form, client := ToolForm(o)
		switch {
		case form == p.to.Format:
			tools = append(tools, raw)
		case !client:
			p.drop(at...)
		case form == document.FormatUnrecognized && !o.Has("name"):
			p.lose("a tool must have a name", at...)
		default:
			shaped, _, reason := p.to.Shape(Tools, p.clientTool(o, form, at))
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
	tool := rawjson.Typed(kind)
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
		o = append(rawjson.Typed(kind), inner...).WithAll(o.Rest("type", kind))
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
	return rawjson.Typed(kind).With(kind, rawjson.EncodeMembers(inner)).Encode()
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
