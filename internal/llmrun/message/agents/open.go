package agents

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
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
const firstEntries = 2

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
		list, isList := rawjson.ReadFirst(value, firstEntries)
		if slices.Contains(itemKeys, key) {
			list, isList = src.List(key)
		}
		if !isList && (keyFormats[key] == "" || value == nil) {
			continue
		}
		c, ok := recognized(opened{key: key, shape: key, entries: list}, o)
		if ok && isList {
			c.entries, _ = src.List(key)
		} else if ok {
			c.entries = []json.RawMessage{value}
		}
		if ok {
			return c, true
		}
	}
	if o.Has(keyInstructions) && !o.Has("gen_ai.output.messages") {
		return opened{format: document.FormatOpenTelemetry, shape: keyInstructions, rest: o.Rest()}, true
	}
	if response, ok := rawjson.ReadObject(o.Get("message")); ok && evidence(response, "") == document.FormatLlamaIndex {
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
		if entry, ok := rawjson.ReadObject(raw); ok {
			c.format = evidence(entry, c.key)
		}
	}
	if c.format == "" || c.format == document.FormatMCP && c.shape == document.ShapeList {
		return opened{format: document.FormatUnrecognized}, false
	}
	if c.key != "" {
		c.rest = o.Rest(c.key)
	}
	return c, true
}

// evidence returns the format that has an entry; empty if several formats may have it.
func evidence(o rawjson.Object, key string) document.Format {
	kind, _ := o.Text("type")
	_, isMessage := o.Text("role")
	switch {
	case rawjson.IsArray(o.Get("parts")):
		return partsEvidence(o, isMessage)
	case rawjson.IsArray(o.Get("blocks")):
		return when(hasPart(o.Get("blocks"), func(p rawjson.Object) bool { return p.Has("block_type") }), document.FormatLlamaIndex)
	case rawjson.IsObject(o.Get("message")):
		return wrapperEvidence(o, kind)
	case (kind == "system" || kind == "result") && o.Has("subtype"): // It contains no message of the API.
		return document.FormatClaudeAgent
	case isMessage && isBlock(o.Get("content")):
		return document.FormatMCP
	case key == "" && !isMessage && kind == "" && isToolResult(o):
		return document.FormatMCP
	case slices.Contains(conversationTypes, kind):
		return document.FormatConversations
	case key == "input" || key == "steps" || key == "output":
		return itemEvidence(o, key, kind, isMessage)
	default:
		return ""
	}
}

func when(is bool, format document.Format) document.Format {
	if is {
		return format
	}
	return ""
}

func hasPart(raw json.RawMessage, is func(rawjson.Object) bool) bool {
	list, _ := rawjson.ReadArray(raw)
	return rawjson.AnyObject(list, is)
}

// partsEvidence tells apart the formats with {"parts":[…]}.
func partsEvidence(o rawjson.Object, isMessage bool) document.Format {
	if kind, _ := o.Text("kind"); kind == "request" || kind == "response" {
		return when(hasPart(o.Get("parts"), func(p rawjson.Object) bool { return p.Has("part_kind") }), document.FormatPydanticAI)
	}
	return when(isMessage && hasPart(o.Get("parts"), isConventionPart), document.FormatOpenTelemetry)
}

// isConventionPart says whether a part has a form that only OpenTelemetry's convention has.
func isConventionPart(o rawjson.Object) bool {
	switch kind, _ := o.Text("type"); kind {
	case document.BlockText, document.BlockReasoning:
		return o.Has("content") && !o.Has("text")
	case document.BlockToolCall:
		return o.Has("arguments") || !o.Has("args")
	case "tool_call_response", "server_tool_call_response", "blob", "uri":
		return true
	case document.BlockServerToolCall:
		return o.Has(kind)
	case document.BlockFile:
		return o.Has("modality") || o.Has("file_id")
	default:
		return false
	}
}

// wrapperEvidence tells apart the formats with {"message":{…}}.
func wrapperEvidence(o rawjson.Object, kind string) document.Format {
	inner, _ := rawjson.ReadObject(o.Get("message"))
	switch {
	case !inner.Has("role"):
		return ""
	case kind == document.RoleAssistant || kind == document.RoleUser:
		return document.FormatClaudeAgent
	default:
		return when(len(o) == 1 && (inner.Has("contents") || hasPart(inner.Get("tool_calls"), func(p rawjson.Object) bool { return p.Has("tool_call") })),
			document.FormatOpenInference)
	}
}

// isToolResult says whether a document is the result of a tool in the Model Context Protocol.
func isToolResult(o rawjson.Object) bool {
	content, ok := rawjson.ReadArray(o.Get("content"))
	known := []string{"content", "structuredContent", "isError", "_meta"}
	return ok && len(content) > 0 && !slices.ContainsFunc(o, func(m rawjson.Member) bool { return !slices.Contains(known, m.Key) }) &&
		!slices.ContainsFunc(content, func(raw json.RawMessage) bool { return !isBlock(raw) })
}

// isBlock says whether a value is a content block of the Model Context Protocol.
func isBlock(raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	return slices.Contains([]string{"text", "image", "audio", "resource", "resource_link", "tool_use", "tool_result"}, kind)
}

// conversationTypes are the types of entries in Mistral's conversations.
var conversationTypes = []string{"message.input", "message.output", "function.call", "function.result", "tool.execution", "agent.handoff"}

// interactionTypes are the types of steps in Gemini's interactions that no other format has. In inputs, contents can be entries, too.
var interactionTypes = []string{"user_input", "model_output", "thought", "function_result"}

var contentTypes = []string{"text", "image", "audio", "video", "document"}

// agentTypes are the types of items that only the OpenAI Agents SDK has.
var agentTypes = []string{"hosted_tool_call", "function_call_result", "computer_call_result"}

// itemEvidence tells apart the formats with items under the key of the responses format.
func itemEvidence(o rawjson.Object, key, kind string, isMessage bool) document.Format {
	switch {
	case slices.Contains(agentTypes, kind), o.Has("callId"), o.Has("providerData"), o.Has("rawContent"):
		return document.FormatOpenAIAgents
	case kind == "reasoning" && hasPart(o.Get("content"), isAgentReasoning):
		return document.FormatOpenAIAgents
	case isMessage:
		return when(hasPart(o.Get("content"), isAgentPart), document.FormatOpenAIAgents)
	case slices.Contains(interactionTypes, kind), key == "input" && slices.Contains(contentTypes, kind), strings.HasSuffix(kind, "_result") && o.Has("call_id"):
		return document.FormatInteractions
	case kind == "function_call":
		return when(rawjson.IsObject(o.Get("arguments")), document.FormatInteractions)
	default:
		return ""
	}
}

func isAgentReasoning(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	return kind == "input_text"
}

// isAgentPart says whether a part has a form that only the OpenAI Agents SDK has.
func isAgentPart(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	own := map[string]string{"input_image": "image", "input_file": "file", "audio": "audio", "image": "image"}[kind]
	return o.Has(cmp.Or(own, "providerData"))
}

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
		r.Messages, r.aside, r.contents = r.Messages[:0], nil, false
		r.add(raw)
		if !rawjson.IsObject(raw) && !rawjson.IsString(raw) {
			v.Add(at, document.RuleMessageObject, "a message is "+rawjson.Show(raw)+", not an object", "write it as an object with a role or a type")
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
