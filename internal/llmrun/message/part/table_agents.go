package part

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// typeKeys are the members with the type of a part: LlamaIndex and Pydantic AI have their own.
var typeKeys = []string{"type", "block_type", "part_kind", "kind"}

// kindOf returns the type of a part, and the member that it is in.
func kindOf(o rawjson.Object) (kind, key string) {
	for _, key := range typeKeys {
		if kind, ok := o.Text(key); ok {
			return kind, key
		}
	}
	return "", ""
}

// agentReaders has the forms of parts that agents, protocols and tracing conventions have. They are tried before those of
// readers, so each tells itself apart from the forms of providers.
var agentReaders = map[string][]reader{
	document.BlockText: {
		{is: lacks("text", hasText("content")), to: document.BlockText, members: contentMembers}, // OpenTelemetry, Pydantic AI.
		{is: hasTrue("thought"), to: document.BlockReasoning, members: textMembers, read: takes("thought")},
	},
	document.BlockReasoning: {{is: lacks("text", hasText("content")), to: document.BlockReasoning, members: contentMembers}},
	KindThinking:            {{is: lacks("thinking", hasText("content")), to: document.BlockReasoning, members: contentMembers}},
	"thought":               {{to: document.BlockReasoning, read: takeThoughtSummary}},
	"user-prompt":           {{to: document.BlockText, members: contentMembers}},
	"system-prompt":         {{to: document.BlockText, members: contentMembers}},
	"retry-prompt":          {{to: document.BlockText, members: contentMembers}},

	document.BlockFile: {
		{is: hasObject("content"), within: "content", members: mediaMembers},
		{is: hasAny("modality"), members: mediaMembers, read: takeModality},
	},
	"blob":          {{members: mediaMembers, read: takeModality}},
	"uri":           {{members: mediaMembers, read: takeModality}},
	"binary":        {{members: mediaMembers}},
	"uploaded-file": {{members: mediaMembers}},
	"image-url":     {{to: document.BlockImage, members: mediaMembers}},
	"audio-url":     {{to: document.BlockAudio, members: mediaMembers}},
	"video-url":     {{to: document.BlockVideo, members: mediaMembers}},
	"document-url":  {{to: document.BlockFile, members: mediaMembers}},
	"document":      {{is: lacks("source", hasAnyOf("data", "uri", "url", "path")), to: document.BlockFile, members: mediaMembers}},
	"file_data":     {{members: mediaMembers, read: takeModality}},
	"resource":      {{is: hasObject("resource"), to: document.BlockFile, within: "resource", members: mediaMembers}},
	"resource_link": {{to: document.BlockFile, members: mediaMembers}},

	document.BlockToolCall: {
		{is: lacks("args", hasAny("arguments")), to: document.BlockToolCall, members: namedCallMembers},
		{is: hasAny("tool_kwargs"), to: document.BlockToolCall, members: []string{"tool_call_id", "id", "tool_name", "name", "tool_kwargs", "input"}},
	},
	"builtin-tool-call": {{to: document.BlockServerToolCall, members: sdkCallMembers}},
	"builtin-tool-return": {{
		to: document.BlockServerToolResult, members: []string{"tool_call_id", "tool_call_id", "content", "output"}, read: takeStatus,
	}},
	document.BlockServerToolCall: {{
		is: hasAny(document.BlockServerToolCall), to: document.BlockServerToolCall,
		members: []string{"id", "id", "name", "name", document.BlockServerToolCall, "args"},
	}},
	"server_tool_call_response": {{
		to: document.BlockServerToolResult, members: []string{"id", "tool_call_id", "server_tool_call_response", "output"}, read: takeStatus,
	}},
	KindFunctionCall: {
		{is: lacks("call_id", hasObject("arguments")), to: document.BlockToolCall, members: namedCallMembers},
	},
	"function.call":   {{to: document.BlockToolCall, members: []string{"tool_call_id", "id", "name", "name", "arguments", "input"}}},
	"tool.execution":  {{to: document.BlockServerToolCall, keep: keepType, members: namedCallMembers}},
	"executable_code": {{to: document.BlockServerToolCall, members: []string{"executable_code", "args"}, read: takeCodeName}},
	"code_execution_result": {{
		is: hasObject("code_execution_result"), to: document.BlockServerToolResult, within: "code_execution_result",
		members: []string{"output", "output"}, read: takeStatus,
	}},
	"function_response": {{
		to: document.BlockServerToolResult, within: "function_response", members: []string{"id", "tool_call_id", "response", "output"}, read: takeStatus,
	}},
}

var (
	contentMembers   = []string{"content", "text"}
	namedCallMembers = []string{"id", "id", "name", "name", "arguments", "input"}
)

func hasAnyOf(keys ...string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return rawjson.IsString(o.Get(key)) })
	}
}

// lacks says whether a part has a form, and doesn't have a member.
func lacks(key string, is func(rawjson.Object) bool) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return !o.Has(key) && is(o) }
}

func hasTrue(key string) func(rawjson.Object) bool {
	return func(o rawjson.Object) bool { return string(o.Get(key)) == "true" }
}

func takes(keys ...string) func(*document.Block, rawjson.Object) []string {
	return func(*document.Block, rawjson.Object) []string { return keys }
}

// takeThoughtSummary reads {"type":"thought","summary":[{"type":"text","text"}]}. A summary with images stays in the extras.
func takeThoughtSummary(b *document.Block, o rawjson.Object) []string {
	if taken := joined("summary", document.BlockText)(b, o); taken != nil {
		return taken
	}
	return withoutText(b, o)
}

// takeModality reads the kind of media, which otherwise follows from the media type.
func takeModality(b *document.Block, o rawjson.Object) []string {
	modality, _ := o.Text("modality")
	if slices.Contains([]string{document.BlockImage, document.BlockAudio, document.BlockVideo}, modality) {
		b.Type = modality
	}
	return []string{"modality"}
}

// takeItemName names a call that has no name after the type of its item.
func takeItemName(b *document.Block, o rawjson.Object) []string {
	if b.Name == nil {
		return takeName(b, o)
	}
	return nil
}

func takeCodeName(b *document.Block, _ rawjson.Object) []string {
	name := "code_execution"
	b.Name = &name
	return nil
}

// hostedReaders read the calls of tools that a server executes, and their results, as items: google_search_call and
// google_search_result.
var (
	hostedCallReaders = []reader{{
		is: lacks("args", hasAny("id", "arguments")), to: document.BlockServerToolCall, keep: keepType, members: namedCallMembers, read: takeItemName,
	}}
	hostedResultReaders = []reader{{
		is: hasAny("call_id", "result"), to: document.BlockServerToolResult, keep: keepType, members: []string{"call_id", "tool_call_id", "result", "output"},
		read: takeStatus,
	}}
)

// answer is where a part or an item contains the ID of the call that it answers, and the output.
type answer struct {
	id      string
	outputs []string
}

// answers are the parts and items with the result of a tool that the client has executed, which are messages of their own.
var answers = map[string]answer{
	"tool_result":             {"tool_use_id", []string{"content"}},
	"tool-result":             {"tool_call_id", []string{"output", "result"}},
	"tool_call_response":      {"id", []string{"response", "result", "content"}}, // OpenTelemetry.
	"tool-return":             {"tool_call_id", []string{"content"}},             // Pydantic AI.
	"retry-prompt":            {"tool_call_id", []string{"content"}},
	"function_result":         {"call_id", []string{"result"}},      // Interactions of Gemini.
	"function.result":         {"tool_call_id", []string{"result"}}, // Conversations of Mistral.
	"function_call_result":    {"call_id", []string{"output"}},      // The OpenAI Agents SDK.
	"computer_call_result":    {"call_id", []string{"output"}},
	"function_call_output":    {"call_id", []string{"output"}},
	"computer_call_output":    {"call_id", []string{"output"}},
	"shell_call_output":       {"call_id", []string{"output"}},
	"apply_patch_call_output": {"call_id", []string{"output"}},
}

// AgentAnswer reads a part or an item with the result of a tool that the client has executed.
func AgentAnswer(o rawjson.Object) (document.Message, bool) {
	kind, key := kindOf(o)
	a, ok := answers[kind]
	if !ok || kind == "retry-prompt" && rawjson.IsNullOrAbsent(o.Get("tool_name")) {
		return document.Message{}, false
	}
	output := a.outputs[max(0, slices.IndexFunc(a.outputs, o.Has))]
	return Answer(o, a.id, output, Output, key), true
}

// Output reads the output of a tool: a string, parts, or any other value, which becomes its JSON.
func Output(raw json.RawMessage) ([]document.Block, bool) {
	list, isList := rawjson.ReadArray(raw)
	if !isList && rawjson.IsObject(raw) {
		list = []json.RawMessage{raw}
	}
	isPart := func(raw json.RawMessage) bool {
		o, _ := rawjson.ReadObject(raw)
		kind, _ := kindOf(o)
		return kind == document.BlockText && o.Has("text") || Known(o, kind)
	}
	switch {
	case rawjson.IsNullOrAbsent(raw):
		return []document.Block{}, raw != nil
	case (isList || len(list) > 0) && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !isPart(raw) }):
		return Content(rawjson.EncodeArray(list))
	}
	if text, ok := rawjson.ReadString(raw); ok {
		return []document.Block{{Type: document.BlockText, Text: &text}}, true
	}
	return AnyText(raw)
}
