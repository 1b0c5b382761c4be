package convert

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
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
		if rest := object.Rest(member); nested && len(rest) > 0 {
			p.Extras.Put(key, rawjson.Object(nil).WithAll(rest).Encode())
		}
		if again {
			p.drop(at...)
		} else {
			p.convertSetting(n.setting, value, at)
		}
	}
	p.dropTuning(written)
}

// dropTuning drops the objects with settings that only tune the model.
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

// convertSetting writes a setting.
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
		p.Extras.Put("tool_choice", OfType("function").WithRaw("name", o.Get("name")).Encode())
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
