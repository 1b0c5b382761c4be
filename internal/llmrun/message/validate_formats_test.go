package message

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

func TestValidateChat(t *testing.T) {
	t.Parallel()
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}]}`
	checkRules(t, document.Inputs, []ruleCase{
		{"a round", `{"messages":[{"role":"developer","content":"a"},` + call + `,{"role":"tool","tool_call_id":"c","content":"1"}]}`, nil},
		{"a list", `[{"role":"robot","content":"a"}]`, []broken{{"/0/role", document.RuleRoleKnown, "robot"}}},
		{"a wrapped list", `{"input":[{"role":"user","content":"a"},{"role":"robot","content":"a"}]}`, []broken{{"/input/1/role", document.RuleRoleKnown, "robot"}}},
		{"no content", `{"messages":[{"role":"user","content":"a"},{"role":"user"},{"role":"user","content":null}]}`,
			[]broken{{"/messages/1/content", document.RuleContentRequired, ""}, {"/messages/2/content", document.RuleContentBlocks, "null"}}},
		{"tool without its call", `{"messages":[{"role":"user","content":"a"},{"role":"tool","content":"1"},{"role":"tool","tool_call_id":"x","content":"1"}]}`,
			[]broken{{"/messages/1/tool_call_id", document.RuleToolCallIDRequired, ""}, {"/messages/2/tool_call_id", document.RuleToolCallIDKnown, `"x"`}}},
		{"arguments", `{"messages":[{"role":"assistant","tool_calls":[{"type":"function","function":{"arguments":"{\"a\":"}},` +
			`{"id":"d","function":{"name":"a","arguments":[]}},{"id":"e"},7]}]}`, []broken{
			{"/messages/0/tool_calls/0/id", document.RuleToolCallID, "missing"},
			{"/messages/0/tool_calls/0/function/name", document.RuleToolCallName, "missing"},
			{"/messages/0/tool_calls/0/function/arguments", document.RuleToolCallArgs, "not the JSON of an object"},
			{"/messages/0/tool_calls/1/function/arguments", document.RuleToolCallArgs, "a list"},
			{"/messages/0/tool_calls/2/function", document.RuleToolCallName, ""},
			{"/messages/0/tool_calls/3", document.RuleToolCallArgs, "7"},
		}},
		{"calls that are no list", `{"messages":[{"role":"assistant","tool_calls":{}},{"role":"assistant","function_call":{"name":"a"}}]}`,
			[]broken{{"/messages/0/tool_calls", document.RuleToolCallArgs, "an object"}, {"/messages/1/function_call/arguments", document.RuleToolCallArgs, "missing"}}},
		{"arguments that are an object, and an answer that names the tool", `{"messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"a","arguments":{}}}]},` +
			`{"role":"tool","tool_name":"a","content":"1"}]}`, nil},
		{"arguments that are empty", `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":""}}]}]}`, nil},
		{"reasoning in place of content", `{"messages":[{"role":"assistant","content":null,"reasoning":"a"}]}`, nil},
		{"nothing in place of content", `{"messages":[{"role":"assistant","content":null},{"role":"user","content":null,"reasoning":"a"}]}`,
			[]broken{{"/messages/0/content", document.RuleContentBlocks, "null"}, {"/messages/1/content", document.RuleContentBlocks, "null"}}},
		{"blocks of the provider behind a gateway", `{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"a"},{"type":"hologram"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}]}]}`,
			nil},
		{"a custom tool", `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"custom","custom":{"name":"a","input":"b"}}]}]}`, nil},
		{"parts", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{}},{"type":"input_audio","input_audio":{"data":"A"}},` +
			`{"type":"file","file":{}},{"type":"text"},{"type":"refusal","refusal":"a"},{"type":"smell"},{},{"type":"image_url","image_url":"x"}]}]}`, []broken{
			{"/messages/0/content/0/image_url/url", document.RuleMediaSource, "missing"},
			{"/messages/0/content/1/input_audio/format", document.RuleMimeType, "missing"},
			{"/messages/0/content/2/file", document.RuleMediaSource, ""},
			{"/messages/0/content/3/text", document.RuleTextRequired, "missing"},
			{"/messages/0/content/6/type", document.RuleBlockType, "missing"},
		}},
		{"a prompt", `{"prompt":"a"}`, nil},
	})
	checkRules(t, document.Outputs, []ruleCase{
		{"choices", `{"choices":[{"message":{"role":"assistant","content":"a"}},{"message":{"role":"robot","content":"a"}}]}`,
			[]broken{{"/choices/1/message/role", document.RuleRoleKnown, "robot"}}},
		{"a completion", `{"choices":[{"text":"a"}]}`, nil},
		{"an answer that was cut off before it began", `{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"length"}]}`, nil},
		{"an answer without content", `{"choices":[{"message":{"role":"assistant"}}]}`, []broken{{"/choices/0/message/content", document.RuleContentRequired, ""}}},
		{"a message", `{"message":{"role":"robot","content":1}}`,
			[]broken{{"/message/role", document.RuleRoleKnown, "robot"}, {"/message/content", document.RuleContentBlocks, "1"}}},
		{"a bare message", `{"role":"assistant","content":"a","tool_call_id":"c"}`, []broken{{"/tool_call_id", document.RuleToolCallIDRole, `"c"`}}},
		{"a pair", `["assistant",1]`, []broken{{"/1", document.RuleContentBlocks, "1"}}},
		{"a wrapped pair", `{"outputs":["tool",5]}`,
			[]broken{{"/outputs/1", document.RuleContentBlocks, "5"}, {"/outputs/tool_call_id", document.RuleToolCallIDRequired, ""}}},
		{"a wrapped choice", `{"output":{"choices":[{"message":{"role":"robot","content":"a"}}]}}`,
			[]broken{{"/output/choices/0/message/role", document.RuleRoleKnown, "robot"}}},
		{"something else", `{"answer":"a"}`, []broken{{"", document.RuleFormatRecognized, "no known format"}}},
	})
}

func TestValidateMessages(t *testing.T) {
	t.Parallel()
	checkRules(t, document.Inputs, []ruleCase{
		{"a round", `{"system":"s","messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"},` +
			`{"type":"tool_use","id":"t","name":"a","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"1"}]}]}`, nil},
		{"a system prompt that is none", `{"system":5,"messages":[{"role":"user","content":"a"}]}`, []broken{{"/system", document.RuleContentBlocks, "5"}}},
		{"system blocks", `{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}},{"type":"text"}],"messages":[{"role":"user","content":"a"}]}`,
			[]broken{{"/system/1/text", document.RuleTextRequired, "missing"}}},
		{"no system prompt", `{"system":null,"messages":[{"role":"user","content":[{"type":"thinking","thinking":"a"}]}]}`, nil},
		{"a server's tool", `{"messages":[{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},` +
			`{"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"web_search_tool_result","tool_use_id":"x","content":[]}]}]}`,
			[]broken{{"/messages/0/content/2/tool_use_id", document.RuleServerToolResultCall, `"x"`}}},
		{"an answer without its call", `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"},{"type":"tool_result"}]}]}`,
			[]broken{{"/messages/0/content/0/tool_use_id", document.RuleToolCallIDKnown, `"t"`}, {"/messages/0/content/1/tool_use_id", document.RuleToolCallIDRequired, "missing"}}},
		{"an answer with parts", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"a","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[],"parts":["a"]}]}]}`,
			[]broken{{"/messages/1/content/0/parts", document.RuleContentBlocks, "parts"}}},
		{"blocks", `{"messages":[{"role":"tool","content":[{"type":"tool_use"},{"type":"thinking"},{"type":"redacted_thinking"},{"type":"image","source":{}},` +
			`{"type":"text"},{"type":"smell"},{"type":"search_result"},{}]}]}`, []broken{
			{"/messages/0/role", document.RuleRoleKnown, "tool"},
			{"/messages/0/content/0/id", document.RuleToolCallID, "missing"},
			{"/messages/0/content/0/name", document.RuleToolCallName, "missing"},
			{"/messages/0/content/0/input", document.RuleToolCallArgs, "missing"},
			{"/messages/0/content/1/thinking", document.RuleTextRequired, "missing"},
			{"/messages/0/content/2/data", document.RuleTextRequired, "missing"},
			{"/messages/0/content/3/source/type", document.RuleMediaSource, "missing"},
			{"/messages/0/content/4/text", document.RuleTextRequired, "missing"},
			{"/messages/0/content/7/type", document.RuleBlockType, "missing"},
		}},
	})
}

func TestValidateResponses(t *testing.T) {
	t.Parallel()
	checkRules(t, document.Inputs, []ruleCase{
		{"a text", `{"model":"m","input":"Hi"}`, nil},
		{"parts and other items", `{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_file"},{"type":"input_image","file_id":"f"},` +
			`{"type":"refusal"},{"type":"output_text","text":"a"},{}]},{"type":"custom_tool_call","call_id":"c","name":"a"},{"type":"custom_tool_call"},` +
			`{"type":"function_call","call_id":"c","name":"a","arguments":"{}"},{"type":"custom_tool_call_output","call_id":"x"},{"type":"reasoning","summary":[]}]}`, []broken{
			{"/input/0/content/0", document.RuleMediaSource, "input_file"},
			{"/input/0/content/2/refusal", document.RuleTextRequired, "missing"},
			{"/input/0/content/4/type", document.RuleBlockType, "missing"},
			{"/input/2/call_id", document.RuleToolCallID, "missing"},
			{"/input/3/call_id", document.RuleToolCallIDUnique, `"c"`},
		}},
		{"items", `{"model":"m","input":[{"role":"robot","content":[{"type":"input_image"},{"type":"input_text"}]},{"type":"function_call","name":"a","arguments":"["},` +
			`{"type":"function_call_output"},{"type":3}]}`, []broken{
			{"/input/0/role", document.RuleRoleKnown, "robot"},
			{"/input/0/content/0", document.RuleMediaSource, "input_image"},
			{"/input/0/content/1/text", document.RuleTextRequired, "missing"},
			{"/input/1/call_id", document.RuleToolCallID, "missing"},
			{"/input/1/arguments", document.RuleToolCallArgs, "not the JSON of an object"},
			{"/input/2/call_id", document.RuleToolCallIDRequired, "missing"},
			{"/input/3/type", document.RuleBlockType, "3"},
		}},
	})
	checkRules(t, document.Outputs, []ruleCase{
		{"an answer", `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}],"usage_metadata":{"x":1}}`,
			[]broken{{"/usage_metadata/x", document.RuleUsageMetadataKey, "x"}}},
		{"no items", `{"object":"response"}`, []broken{{"/output", document.RuleContentRequired, ""}}},
	})
}

func TestValidateFramework(t *testing.T) {
	t.Parallel()
	message := func(class, kwargs string) string {
		return `{"lc":1,"type":"constructor","id":["langchain_core","messages","` + class + `"],"kwargs":` + kwargs + `}`
	}
	checkRules(t, document.Inputs, []ruleCase{
		{"a round", `{"messages":[[` + message("AIMessage", `{"content":"","tool_calls":[{"name":"a","args":{},"id":"c"}]}`) + `,` +
			message("ToolMessage", `{"content":"1","tool_call_id":"c"}`) + `]]}`, nil},
		{"problems", `{"messages":[[` + message("NoMessage", `{"content":""}`) + `,` + message("ToolMessage", `{"tool_call_id":"x"}`) + `]]}`, []broken{
			{"/messages/0/0/kwargs/role", document.RuleRoleRequired, ""},
			{"/messages/0/1/kwargs/content", document.RuleContentRequired, ""},
			{"/messages/0/1/kwargs/tool_call_id", document.RuleToolCallIDKnown, `"x"`},
		}},
		{"without constructors", `{"messages":[{"type":"human","content":[{"text":"a"}]},{"type":"ai","content":"","tool_calls":[{"name":"a"}]}]}`,
			[]broken{{"/messages/0/content/0/type", document.RuleBlockType, "missing"}, {"/messages/1/tool_calls/0/args", document.RuleToolCallArgs, "missing"}}},
	})
	checkRules(t, document.Outputs, []ruleCase{
		{"generations", `{"generations":[[{"text":"a"},{"message":` + message("AIMessage", `{"content":"a","usage_metadata":{"total_tokens":-3}}`) + `},{}]]}`, []broken{
			{"/generations/0/1/message/kwargs/usage_metadata/total_tokens", document.RuleUsageMetadataValue, "-3"},
			{"/generations/0/2/text", document.RuleTextRequired, "missing"},
		}},
	})
}

func TestValidateGemini(t *testing.T) {
	t.Parallel()
	checkRules(t, document.Inputs, []ruleCase{
		{"a round", `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"a","response":{}}}]}]}`, nil},
		{"a text alone", `{"contents":"Hi"}`, nil},
		{"problems", `{"contents":[{"role":"assistant","parts":[{"text":"a"}]},{"role":7,"parts":[{"smell":"a"},{"text":null},{"function_call":{"name":7}},{"functionResponse":{"response":1}}]}]}`, []broken{
			{"/contents/0/role", document.RuleRoleKnown, "assistant"},
			{"/contents/1/role", document.RuleRoleKnown, "7"},
			{"/contents/1/parts/1", document.RuleBlockType, ""},
			{"/contents/1/parts/2/function_call/name", document.RuleToolCallName, "7"},
			{"/contents/1/parts/3/functionResponse/name", document.RuleToolCallName, "missing"},
		}},
		{"content beside empty parts", `{"contents":[{"role":"user","parts":[],"content":"Hi"}],"systemInstruction":{"parts":[],"content":"a"},` +
			`"config":{"system_instruction":{"content":"b"}}}`, []broken{
			{"/systemInstruction/content", document.RuleContentBlocks, "content"},
			{"/config/system_instruction/content", document.RuleContentBlocks, "content"},
			{"/contents/0/content", document.RuleContentBlocks, "content"},
		}},
	})
	checkRules(t, document.Outputs, []ruleCase{
		{"an answer without a word", `{"candidates":[{"finishReason":"SAFETY"}]}`, nil},
		{"a part", `{"output":{"candidates":[{"content":{"role":"model","parts":[{}]}}]}}`, []broken{{"/output/candidates/0/content/parts/0", document.RuleBlockType, ""}}},
	})
}

func TestValidateConverse(t *testing.T) {
	t.Parallel()
	checkRules(t, document.Inputs, []ruleCase{
		{"problems", `{"messages":[{"role":"tool","content":[{"text":"a"}]},{"role":"assistant","content":[{"toolUse":{"input":[]}},{"toolUse":{"toolUseId":"t","name":"a"}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"x"}},{"toolResult":{}},{"toolResult":{"toolUseId":"t"}}]}]}`, []broken{
			{"/messages/0/role", document.RuleRoleKnown, "tool"},
			{"/messages/1/content/0/toolUse/toolUseId", document.RuleToolCallID, "missing"},
			{"/messages/1/content/0/toolUse/name", document.RuleToolCallName, "missing"},
			{"/messages/1/content/0/toolUse/input", document.RuleToolCallArgs, "a list"},
			{"/messages/1/content/1/toolUse/input", document.RuleToolCallArgs, "missing"},
			{"/messages/2/content/0/toolResult/toolUseId", document.RuleToolCallIDKnown, `"x"`},
			{"/messages/2/content/1/toolResult/toolUseId", document.RuleToolCallIDRequired, "missing"},
		}},
	})
	checkRules(t, document.Outputs, []ruleCase{
		{"an answer", `{"output":{"message":{"role":"user","content":[{"text":"a"}]}}}`, nil},
		{"a role", `{"output":{"message":{"role":"robot","content":[{"text":"a"}]}}}`, []broken{{"/output/message/role", document.RuleRoleKnown, "robot"}}},
	})
}

func TestValidateSDK(t *testing.T) {
	t.Parallel()
	checkRules(t, document.Inputs, []ruleCase{
		{"problems", `{"messages":[{"role":"robot","content":"a"},{"role":"assistant","content":[{"type":"tool-call"},{"text":"a"},{"type":"text"},{"type":"reasoning","text":7},{"type":"tool-result"}]},` +
			`{"role":"tool","content":[{"type":"tool-result","toolCallId":"x"},{"type":"tool-result"}]}]}`, []broken{
			{"/messages/0/role", document.RuleRoleKnown, "robot"},
			{"/messages/1/content/0/toolCallId", document.RuleToolCallID, "missing"},
			{"/messages/1/content/0/toolName", document.RuleToolCallName, "missing"},
			{"/messages/1/content/1/type", document.RuleBlockType, "missing"},
			{"/messages/1/content/2/text", document.RuleTextRequired, "missing"},
			{"/messages/1/content/3/text", document.RuleTextRequired, "7"},
			{"/messages/1/content/4/toolCallId", document.RuleToolCallIDRequired, "missing"},
			{"/messages/2/content/0/toolCallId", document.RuleToolCallIDKnown, `"x"`},
			{"/messages/2/content/1/toolCallId", document.RuleToolCallIDRequired, "missing"},
		}},
		{"a prompt", `{"prompt":[{"role":"user","content":[{"type":"text"}]}]}`, []broken{{"/prompt/0/content/0/text", document.RuleTextRequired, "missing"}}},
		{"a list", `[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c"}]}]`, []broken{{"/0/content/0/toolName", document.RuleToolCallName, "missing"}}},
	})
	checkRules(t, document.Outputs, []ruleCase{
		{"a result", `{"finishReason":"stop","content":[{"type":"text"}]}`, []broken{{"/content/0/text", document.RuleTextRequired, "missing"}}},
		{"a message", `{"role":"assistant","content":[{"type":"tool-call","toolName":"a"}]}`, []broken{{"/content/0/toolCallId", document.RuleToolCallID, "missing"}}},
	})
}

// TestValidateTexts tests formats whose messages are texts, which can't have problems.
func TestValidateTexts(t *testing.T) {
	t.Parallel()
	checkRules(t, document.Inputs, []ruleCase{
		{"prompts", `{"prompts":["a"]}`, nil},
		{"a history", `{"message":"a","chat_history":[{"role":"USER","message":"b"}]}`, nil},
		{"content in a history", `{"message":"a","chat_history":[{"role":"USER","tool_calls":[1],"content":"b"}]}`, []broken{{"/chat_history/0/content", document.RuleContentBlocks, "content"}}},
		{"pairs", `{"messages":[["human","a"]]}`, nil},
		{"a prompt with its system", `{"system":"s","prompt":"a"}`, nil},
	})
	checkRules(t, document.Inputs, []ruleCase{
		{"data", `{"messages":[{"type":"ai","data":{"content":"","tool_calls":[{"name":"a","args":{}}]}},{"type":"tool","data":{"content":"","tool_call_id":"x"}}]}`, []broken{
			{"/messages/1/data/tool_call_id", document.RuleToolCallIDKnown, `"x"`},
		}},
	})
}
