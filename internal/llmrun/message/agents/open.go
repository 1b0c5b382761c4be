package agents

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// Formats are the formats that this package reads.
var Formats = []document.Format{
	document.FormatOpenTelemetry, document.FormatOpenInference, document.FormatPydanticAI, document.FormatLlamaIndex,
	document.FormatOpenAIAgents, document.FormatClaudeAgent, document.FormatInteractions, document.FormatConversations, document.FormatMCP,
}

// listKeys are the members with the entries, in the order in which they are tried.
var listKeys = []string{
	"gen_ai.input.messages", "gen_ai.output.messages", "llm.input_messages", "llm.output_messages",
	"messages", "message_history", "all_messages", "input", "inputs", "output", "outputs", "steps",
}

// keyFormats are members that determine the format whatever the entries are: the names of attributes in which tracing
// conventions have them.
var keyFormats = map[string]document.Format{
	"gen_ai.input.messages": document.FormatOpenTelemetry, "gen_ai.output.messages": document.FormatOpenTelemetry,
	"llm.input_messages": document.FormatOpenInference, "llm.output_messages": document.FormatOpenInference,
}

// itemKeys are the keys of lists whose entries differ in form, so that any of them may show the format. In other lists, the first
// entries do.
var itemKeys = []string{"input", "inputs", "output", "outputs", "steps"}

// firstEntries is the number of messages that are read to find the format of a list.
const firstEntries = 5

// opened is the unwrapped form of a document.
type opened struct {
	format document.Format
	// key is the member with the entries; empty if they are the whole document.
	key, shape string
	entries    []json.RawMessage
	rest       document.Extras
}

// Detect returns the format of a document, and FormatUnrecognized if it is none of Formats.
func Detect(src document.Source) document.Format {
	c, _ := open(src)
	return c.format
}

// open finds the entries of a document, of which one or more must have evidence for a format.
func open(src document.Source) (opened, bool) {
	o := src.Object
	if list, ok := src.List(""); ok {
		return recognized(opened{shape: document.ShapeList, entries: list}, o)
	}
	for _, key := range listKeys {
		value := o.Get(key)
		list, isList := src.List(key)
		if !isList && (keyFormats[key] == "" || value == nil) {
			continue
		}
		if !isList {
			list = []json.RawMessage{value}
		}
		if c, ok := recognized(opened{key: key, shape: key, entries: list}, o); ok {
			return c, true
		}
	}
	if o.Has(keyInstructions) && !o.Has("gen_ai.output.messages") {
		return opened{format: document.FormatOpenTelemetry, shape: keyInstructions, rest: o.Rest()}, true
	}
	if evidence(o.Get("message"), "") == document.FormatLlamaIndex {
		return recognized(opened{key: "message", shape: document.ShapeMessage, entries: []json.RawMessage{o.Get("message")}}, o)
	}
	if o == nil || src.Side == document.Inputs && !o.Has("role") && o.Has("content") { // A tool's result is an output.
		return opened{format: document.FormatUnrecognized}, false
	}
	return recognized(opened{shape: document.ShapeBare, entries: []json.RawMessage{src.Raw}}, o)
}

// keyInstructions is the attribute with the system prompt in OpenTelemetry's convention.
const keyInstructions = "gen_ai.system_instructions"

// recognized adds the format and the other members of a document.
func recognized(c opened, o rawjson.Object) (opened, bool) {
	c.format = keyFormats[c.key]
	if name, _ := o.Text("object"); name == "interaction" && c.key != "" {
		c.format = document.FormatInteractions
	}
	for i, raw := range c.entries {
		if c.format != "" || i == firstEntries && !slices.Contains(itemKeys, c.key) {
			break
		}
		c.format = evidence(raw, c.key)
	}
	if c.format == "" || c.format == document.FormatMCP && c.shape == document.ShapeList {
		return opened{format: document.FormatUnrecognized}, false
	}
	if c.key != "" {
		c.rest = o.Rest(c.key)
	}
	return c, true
}

//go:embed evidence.txt
var evidenceText string

// evidences are the lines of a table, which explains itself.
var evidences = func() (all []evidenceOf) {
	for words := range texttable.Rows(evidenceText) {
		all = append(all, evidenceOf{document.Format(words[0]), strings.Split(strings.Trim(words[1], "-"), ","), shape.All(words[2:])})
	}
	return all
}()

type evidenceOf struct {
	format document.Format
	keys   []string
	is     shape.Shape
}

// evidence returns the format that has an entry; empty if several formats may have it.
func evidence(entry json.RawMessage, key string) document.Format {
	o := rawjson.Borrow()
	defer o.Return()
	isObject := o.Reuse(entry)
	for _, e := range evidences {
		if isObject && (e.keys[0] == "*" || slices.Contains(e.keys, key)) && e.is(*o) {
			return e.format
		}
	}
	return ""
}

// contentTypes are the types of contents that can be entries of Gemini's interactions.
var contentTypes = []string{"text", "image", "audio", "video", "document"}

// Check validates that the entries are messages of a known role, or items.
func Check(v *check.Checker, src document.Source) {
	c, _ := open(src)
	r := reader{Document: &document.Document{Format: c.format, Side: src.Side}}
	keys := slices.Concat(contentKeys, wrappers)
	for i, raw := range c.entries {
		at := v.Base
		switch {
		case c.key != "" && c.shape != document.ShapeMessage:
			at += rawjson.Pointer(c.key, i)
		case c.key != "":
			at += rawjson.Pointer(c.key)
		case c.shape == document.ShapeList:
			at += rawjson.Pointer(i)
		}
		r.Messages, r.contents = r.Messages[:0], false
		r.add(raw)
		if !rawjson.IsObject(raw) && !rawjson.IsString(raw) {
			v.NoMessage(raw, at)
		}
		for _, m := range r.Messages {
			for _, key := range keys {
				if len(m.Content) == 0 && !rawjson.IsVoidOrAbsent(m.Extras[key]) {
					v.Add(at+rawjson.Pointer(key), document.RuleContentBlocks, "the "+key+" is not a list of parts", `write it as [{"type": "text", "text": …}]`)
				}
			}
			if !slices.Contains(roles, m.Role) {
				v.Add(at+"/role", document.RuleRoleKnown, "unknown role "+rawjson.Name(m.Role), "set it to "+check.Alternatives(roles))
			}
		}
	}
}

var roles = []string{document.RoleSystem, document.RoleReasoning, document.RoleUser, document.RoleAssistant, document.RoleTool}
