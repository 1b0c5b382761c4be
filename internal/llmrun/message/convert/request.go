package convert

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Setting is a setting of a request that several formats have, under different names and in different forms.
type Setting int

// The settings. Tools and their choice come first: services refuse the others without tools.
const (
	Tools Setting = iota
	ToolChoice
	Parallel
	MaxTokens
	Stop
	ResponseFormat
	Effort
	Verbosity
)

// settingNames are the names of settings in all formats. A name with a slash is a member of an object. Of two names of one
// setting, the first counts.
var settingNames = []struct {
	setting Setting
	name    string
}{
	{Tools, "tools"}, {ToolChoice, "tool_choice"}, {Parallel, "parallel_tool_calls"},
	{MaxTokens, "max_completion_tokens"}, {MaxTokens, "max_tokens"}, {MaxTokens, "max_output_tokens"},
	{Stop, "stop"}, {Stop, "stop_sequences"},
	{ResponseFormat, "response_format"}, {ResponseFormat, "text/format"}, {ResponseFormat, "output_config/format"}, {ResponseFormat, "output_format"},
	{Effort, "reasoning_effort"}, {Effort, "reasoning/effort"}, {Verbosity, "verbosity"}, {Verbosity, "text/verbosity"},
}

// Settings that change how a model works, and not what is asked, are dropped where a format has no place for them. The objects
// contain only such settings, besides those with a name in other formats.
var (
	tuning        = []Setting{Effort, Verbosity}
	tuningObjects = []string{"output_config", "reasoning", "thinking"}
)

// Request is how a format has the settings of a request.
type Request struct {
	Names map[Setting]string
	// Shape returns a value that has the form of the responses format in that of this format, and its members for which that has
	// no place; the reason if the value can't be expressed; or nothing if the service does the same without it.
	Shape func(s Setting, value json.RawMessage) (shaped json.RawMessage, dropped []string, reason string)
}

// convertSettings gives the settings of a request the names and the form of a format.
func (p *Prepared) convertSettings() {
	written, found := p.to.Written(&p.Document), map[Setting]bool{}
	for _, n := range settingNames {
		if n.setting == ToolChoice {
			p.splitChoice()
		}
		key, member, nested := strings.Cut(n.name, "/")
		value, at := p.Extras[key], []any{"extras", key}
		object, _ := rawjson.ReadObject(value)
		if nested {
			value, at = object.Get(member), append(at, member)
		}
		if rawjson.IsVoidOrAbsent(value) || n.setting == Tools && !isToolList(value) {
			continue
		}
		again := found[n.setting]
		found[n.setting] = true
		if !again && n.setting > ToolChoice && slices.Contains(written, key) {
			continue // It has the form of the format. Tools may come from any.
		}
		delete(p.Extras, key)
		if nested {
			p.Extras.PutObject(key, object.Rest(member))
		}
		if again {
			p.drop(at...)
		} else {
			p.convertSetting(n.setting, value, at)
		}
	}
	p.dropTuning(written)
}

func (p *Prepared) dropTuning(written []string) {
	for _, key := range tuningObjects {
		if o, ok := rawjson.ReadObject(p.Extras[key]); ok && !slices.Contains(written, key) {
			for _, m := range o {
				p.drop("extras", key, m.Key)
			}
			delete(p.Extras, key)
		}
	}
}

func (p *Prepared) convertSetting(s Setting, value json.RawMessage, at []any) {
	original, isObject := rawjson.ReadObject(value)
	kind, _ := original.Text("type")
	switch name := p.to.Request.Names[s]; {
	case s == Tools:
		p.convertTools(value)
		return
	case name == "" && slices.Contains(tuning, s),
		s == ToolChoice && isObject && !slices.Contains(nestedTypes, kind) && p.to.Format != document.FormatResponses: // That of a service's tool.
		p.drop(at...)
		return
	case name == "":
		p.lose("the format has no such setting", at...)
		return
	}
	shaped, dropped, reason := p.to.Request.Shape(s, flat(value))
	switch {
	case reason != "":
		p.lose(reason, at...)
	case shaped == nil:
		p.drop(at...)
	default:
		p.putSetting(p.to.Request.Names[s], shaped)
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
	if string(raw) == "true" {
		return json.RawMessage("false")
	}
	return json.RawMessage("true")
}

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
	return rawjson.Typed(kind).With(kind, rawjson.Object(nil).WithAll(inner).Encode()).Encode()
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
