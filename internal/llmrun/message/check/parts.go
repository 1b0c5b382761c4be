package check

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// rule is what a member of a part must be: a string, unless something else is said.
type rule struct {
	key, rule string
	must      func(v *Checker, o rawjson.Object, key, at, rule string)
	// then validates the string.
	then func(v *Checker, text, at, role string)
}

// parts has the rules for each type of part. A part has the same rules whatever format its message has, because gateways and
// frameworks pass on the parts of the provider behind them.
var parts = map[string][]rule{
	"text":              {{"text", document.RuleTextRequired, nil, nil}},
	"input_text":        {{"text", document.RuleTextRequired, nil, nil}},
	"output_text":       {{"text", document.RuleTextRequired, nil, nil}},
	"refusal":           {{"refusal", document.RuleTextRequired, nil, nil}},
	"thinking":          {{"thinking", document.RuleTextRequired, textOrList, nil}},
	"redacted_thinking": {{"data", document.RuleTextRequired, nil, nil}},

	"image_url": {{"image_url/url", document.RuleMediaSource, nestedText, nil}},
	"video_url": {{"video_url/url", document.RuleMediaSource, nestedText, nil}},
	"input_audio": {
		{"input_audio/data", document.RuleMediaSource, nestedText, nil}, {"input_audio/format", document.RuleMimeType, nestedText, nil},
	},
	"input_image": {{"image_url/file_id", document.RuleMediaSource, oneOf, nil}},
	"input_file":  {{"file_data/file_id/file_url", document.RuleMediaSource, oneOf, nil}},

	"tool_use": {
		{"id", document.RuleToolCallID, nil, (*Checker).Call}, {"name", document.RuleToolCallName, nil, nil},
		{"input", document.RuleToolCallArgs, (*Checker).Object, nil},
	},
	"tool-call":   {{"toolCallId", document.RuleToolCallID, nil, (*Checker).Call}, {"toolName", document.RuleToolCallName, nil, nil}},
	"tool_result": {{"tool_use_id", document.RuleToolCallIDRequired, nil, answer}, {"content", "", blocks, nil}},

	"custom_tool_call": {{"call_id", document.RuleToolCallID, nil, (*Checker).Call}},
	// The call may be in the answer that a request refers to.
	"custom_tool_call_output": {{"call_id", document.RuleToolCallIDRequired, nil, nil}},
	"function_call_output":    {{"call_id", document.RuleToolCallIDRequired, nil, nil}},

	"server_tool_use":  serverUse,
	"mcp_tool_use":     serverUse,
	"server_tool_call": {serverUse[0], serverUse[1], {"args", document.RuleServerToolCallArgs, (*Checker).Object, nil}},
	"server_tool_result": {
		{"tool_call_id", document.RuleServerToolResultCall, nil, serverAnswer}, {"id", document.RuleServerToolResultID, optional, nil},
		{"status", document.RuleServerToolResultStatus, nil, status},
	},
	suffixResult: {{"tool_use_id", document.RuleServerToolResultCall, nil, serverAnswer}},
}

var serverUse = []rule{
	{"id", document.RuleServerToolCallID, nil, func(v *Checker, id, _, _ string) { v.ServerCalls.Add(id) }},
	{"name", document.RuleServerToolCallName, nil, nil}, {"input", document.RuleServerToolCallArgs, (*Checker).Object, nil},
}

// suffixResult ends the types of results of a server's tools. Servers often get new tools, with their own types of results.
const suffixResult = "_tool_result"

// Part validates a part of a message with a role, and returns its type.
func (v *Checker) Part(o rawjson.Object, at, role string) string {
	kind, _ := v.Text(o, "type", at, document.RuleBlockType, true)
	if kind == document.BlockToolCall {
		v.ToolCall(o, at, role)
	}
	rules := parts[kind]
	if rules == nil && strings.HasSuffix(kind, suffixResult) {
		rules = parts[suffixResult]
	}
	for _, r := range rules {
		if r.must != nil {
			r.must(v, o, r.key, at, r.rule)
		} else if text, ok := v.Text(o, r.key, at, r.rule, true); ok && r.then != nil {
			r.then(v, text, at+"/"+r.key, role)
		}
	}
	return kind
}

func optional(v *Checker, o rawjson.Object, key, at, rule string) { v.Text(o, key, at, rule, false) }

// textOrList accepts the list of texts that one provider has in place of a text.
func textOrList(v *Checker, o rawjson.Object, key, at, rule string) {
	if !rawjson.IsArray(o.Get(key)) {
		v.Text(o, key, at, rule, true)
	}
}

// nestedText accepts a string in place of the object with the text, and the audio that is beside the type in another interface.
func nestedText(v *Checker, o rawjson.Object, key, at, rule string) {
	outer, inner, _ := strings.Cut(key, "/")
	outer, value := o.Find(outer)
	if nested, _ := rawjson.ReadObject(value); !rawjson.IsString(value) && !o.Has("audio") {
		v.Text(nested, inner, at+"/"+outer, rule, true)
	}
}

func oneOf(v *Checker, o rawjson.Object, key, at, rule string) {
	keys := strings.Split(key, "/")
	if !slices.ContainsFunc(keys, func(key string) bool { return rawjson.IsString(o.Get(key)) }) {
		kind, _ := o.Text("type")
		v.Add(at, rule, "the part of type "+rawjson.Name(kind)+" has no data", "set "+Alternatives(keys))
	}
}

func blocks(v *Checker, o rawjson.Object, key, at, _ string) {
	v.OptionalBlocks(o, key, at, func(rawjson.Object, string) {})
	v.Misplaced(o, key, "parts", at)
}

func answer(v *Checker, id, at, _ string) { v.Answer(id, at) }

func serverAnswer(v *Checker, id, at, _ string) {
	if !v.ServerCalls.Has(id) {
		v.Add(at, document.RuleServerToolResultCall, "no earlier call of a server tool has the ID "+rawjson.Name(id),
			v.ServerCalls.Hint("set it to the ID of the block that called the tool"))
	}
}

func status(v *Checker, status, at, _ string) {
	if status != "success" && status != "error" {
		v.Add(at, document.RuleServerToolResultStatus, "unknown status "+rawjson.Name(status), "set it to success or error")
	}
}
