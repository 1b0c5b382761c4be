package message

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// The parts of requests below follow the declarations in openai (FunctionDefinition, FunctionTool, CustomTool, ToolChoiceFunction,
// ToolChoiceAllowed, ResponseFormatJSONSchema, ResponseTextConfig) and @anthropic-ai/sdk (Tool, ToolChoice, JSONOutputFormat), and the
// examples in the guides on function calling and tool use.
const (
	schema       = `{"type":"object","properties":{"location":{"type":"string","description":"City and country"}},"required":["location"],"additionalProperties":false}`
	function     = `"name":"get_weather","description":"Get the temperature.","parameters":` + schema
	chatTool     = `{"type":"function","function":{` + function + `,"strict":true}}`
	messagesTool = `{"name":"get_weather","description":"Get the temperature.","input_schema":` + schema + `,"strict":true}`
	itemsTool    = `{"type":"function",` + function + `,"strict":true}`
	grammar      = `"syntax":"lark","definition":"start: NUMBER"`
)

func chatRequest(settings string) string {
	return `{"model":"m","messages":[{"role":"user","content":"Hi"}],` + settings + `}`
}

func itemsRequest(settings string) string {
	return `{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}],` + settings + `}`
}

func TestConvertRequests(t *testing.T) {
	t.Parallel()
	const chat, messages, items, native = document.FormatChatCompletions, document.FormatMessages, document.FormatResponses, document.FormatNative
	for _, c := range []struct {
		name     string
		from, to document.Format
		// given and want are the members of the requests beside the messages.
		given, want string
		dropped     []string
	}{
		{"chat completions to messages", chat, messages,
			`"tools":[` + chatTool + `],"tool_choice":"required","parallel_tool_calls":false,"max_completion_tokens":500,"stop":"END","temperature":0.2,"top_p":0.9,"stream":true`,
			`"tools":[` + messagesTool + `],"tool_choice":{"type":"any","disable_parallel_tool_use":true},"max_tokens":500,"stop_sequences":["END"],` +
				`"temperature":0.2,"top_p":0.9,"stream":true`, nil},
		{"chat completions to responses", chat, items,
			`"tools":[` + chatTool + `],"tool_choice":{"type":"function","function":{"name":"get_weather"}},"parallel_tool_calls":true,"max_tokens":500,` +
				`"reasoning_effort":"low","verbosity":"high","response_format":{"type":"json_schema","json_schema":{"name":"w","schema":` + schema + `,"strict":true}}`,
			`"tools":[` + itemsTool + `],"tool_choice":{"type":"function","name":"get_weather"},"parallel_tool_calls":true,"max_output_tokens":500,` +
				`"reasoning":{"effort":"low"},"text":{"verbosity":"high","format":{"type":"json_schema","name":"w","schema":` + schema + `,"strict":true}}`, nil},
		{"messages to chat completions", messages, chat,
			`"tools":[` + messagesTool + `],"tool_choice":{"type":"tool","name":"get_weather","disable_parallel_tool_use":true},"max_tokens":1024,` +
				`"stop_sequences":["a","b"],"output_config":{"format":{"type":"json_schema","schema":` + schema + `}}`,
			`"tools":[` + chatTool + `],"tool_choice":{"type":"function","function":{"name":"get_weather"}},"parallel_tool_calls":false,"max_completion_tokens":1024,` +
				`"stop":["a","b"],"response_format":{"type":"json_schema","json_schema":{"name":"response","schema":` + schema + `,"strict":true}}`, nil},
		{"messages to responses", messages, items,
			`"tools":[` + messagesTool + `],"tool_choice":{"type":"any"},"max_tokens":1024,"thinking":{"type":"enabled","budget_tokens":2000},"output_config":{"effort":"high"}`,
			`"tools":[` + itemsTool + `],"tool_choice":"required","max_output_tokens":1024`,
			[]string{"/extras/output_config/effort", "/extras/thinking/type", "/extras/thinking/budget_tokens"}},
		{"responses to chat completions", items, chat,
			`"tools":[` + itemsTool + `,{"type":"web_search","search_context_size":"low"}],"tool_choice":"auto","max_output_tokens":9,` +
				`"reasoning":{"effort":"low","summary":"auto"},"text":{"format":{"type":"text"},"verbosity":"low"}`,
			`"tools":[` + chatTool + `],"tool_choice":"auto","max_completion_tokens":9,"reasoning_effort":"low","response_format":{"type":"text"},"verbosity":"low"`,
			[]string{"/extras/tools/1", "/extras/reasoning/summary"}},
		{"responses to messages", items, messages,
			`"tools":[` + itemsTool + `],"tool_choice":{"type":"web_search"},"parallel_tool_calls":false,"text":{"format":{"type":"json_schema","name":"w","schema":` + schema + `}},"reasoning":{"effort":"low"}`,
			`"tools":[` + messagesTool + `],"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"output_config":{"format":{"type":"json_schema","schema":` + schema + `}}`,
			[]string{"/extras/tool_choice", "/extras/text/format/name", "/extras/reasoning/effort"}},
		{"native, with tools of chat completions, to messages", native, messages, `"tools":[` + chatTool + `],"max_tokens":5`, `"tools":[` + messagesTool + `],"max_tokens":5`, nil},
		{"native, with tools of messages, to messages", native, messages,
			`"tools":[{"type":"web_search_20250305","name":"web_search"},` + messagesTool + `],"tool_choice":{"type":"any"},"max_tokens":5,"thinking":{"type":"disabled"}`,
			`"tools":[{"type":"web_search_20250305","name":"web_search"},` + messagesTool + `],"tool_choice":{"type":"any"},"max_tokens":5,"thinking":{"type":"disabled"}`, nil},
		{"native, with tools of responses, to responses", native, items,
			`"tools":[{"type":"web_search"},` + itemsTool + `],"text":{"verbosity":"low"},"reasoning":{"summary":"auto"}`,
			`"tools":[{"type":"web_search"},` + itemsTool + `],"text":{"verbosity":"low"},"reasoning":{"summary":"auto"}`, nil},
		{"functions that aren't strict, without parameters", chat, items, `"tools":[{"type":"function","function":{"name":"f"}}]`,
			`"tools":[{"type":"function","name":"f","parameters":null,"strict":false}]`, nil},
		{"a function without parameters", items, messages, `"tools":[{"type":"function","name":"f","parameters":null,"strict":false}]`,
			`"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}]`, nil},
		{"custom tools", chat, items, `"tools":[{"type":"custom","custom":{"name":"c","format":{"type":"grammar","grammar":{` + grammar + `}}}}],"tool_choice":{"type":"custom","custom":{"name":"c"}}`,
			`"tools":[{"type":"custom","name":"c","format":{"type":"grammar",` + grammar + `}}],"tool_choice":{"type":"custom","name":"c"}`, nil},
		{"allowed tools", items, chat, `"tools":[` + itemsTool + `],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"get_weather"}]}`,
			`"tools":[` + chatTool + `],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"get_weather"}}]}}`, nil},
		{"only a server's tools", messages, chat, `"tools":[{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"max_tokens":1`,
			`"max_completion_tokens":1`, []string{"/extras/tools/0", "/extras/tool_choice"}},
		{"data of a tool", messages, chat, `"tools":[{"type":"custom","name":"f","input_schema":{},"cache_control":{"type":"ephemeral"}}],"max_tokens":1`,
			`"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"max_completion_tokens":1`, []string{"/extras/tools/0/cache_control"}},
		{"no tool may be called", chat, messages, `"tools":[` + chatTool + `],"tool_choice":"none","parallel_tool_calls":false`,
			`"tools":[` + messagesTool + `],"tool_choice":{"type":"none"}`, nil},
		{"tools of the AI SDK", document.FormatAISDK, items, `"tools":[{"type":"function","name":"f","inputSchema":{"type":"object"}}]`,
			`"tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":false}]`, nil},
		{"two names of a limit", chat, items, `"max_tokens":5,"max_completion_tokens":6`, `"max_output_tokens":6`, []string{"/extras/max_tokens"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := map[document.Format]func(string) string{
				chat: chatRequest, messages: chatRequest, items: itemsRequest, document.FormatAISDK: chatRequest,
				native: func(settings string) string {
					return `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"extras":{"model":"m",` + settings + `}}`
				},
			}
			d, ok := readAs(document.NewSource([]byte(request[c.from](c.given)), document.Inputs), c.from)
			if !ok {
				t.Fatalf("%s can't be read as %s", c.given, c.from)
			}
			got, dropped, err := Build(d, c.to, false)
			assert.Must(t, err)
			assert.Same(t, "document", decoded(t, []byte(request[c.to](c.want))), decoded(t, got))
			assert.Same(t, "dropped", c.dropped, dropped)
		})
	}
}

// TestToolsSurvive converts requests with tools to another format and back.
func TestToolsSurvive(t *testing.T) {
	t.Parallel()
	chat := chatRequest(`"tools":[` + chatTool + `,{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}],` +
		`"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":false,"max_completion_tokens":7`)
	messages := chatRequest(`"tools":[` + messagesTool + `,{"name":"f","input_schema":{"type":"object","properties":{}}}],` +
		`"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true},"max_tokens":7`)
	items := itemsRequest(`"tools":[` + itemsTool + `,{"type":"function","name":"f","parameters":{"type":"object","properties":{}},"strict":false}],` +
		`"tool_choice":{"type":"function","name":"f"},"parallel_tool_calls":false,"max_output_tokens":7`)
	for from, doc := range map[document.Format]string{document.FormatChatCompletions: chat, document.FormatMessages: messages, document.FormatResponses: items} {
		for _, via := range writtenFormats {
			back := convertAs(t, convertAs(t, []byte(doc), from, via), via, from)
			assert.Same(t, fmt.Sprintf("%s via %s", from, via), decoded(t, []byte(doc)), decoded(t, back))
		}
	}
}

// TestConvertedRequestsAreReadAgain converts requests with tools, and reads the results without being told their format.
func TestConvertedRequestsAreReadAgain(t *testing.T) {
	t.Parallel()
	docs := map[string]string{
		"tools of chat completions": chatRequest(`"tools":[` + chatTool + `],"tool_choice":"required"`),
		"tools of messages":         chatRequest(`"max_tokens":5,"tools":[` + messagesTool + `],"tool_choice":{"type":"any"}`),
		"tools of responses":        itemsRequest(`"tools":[` + itemsTool + `]`),
	}
	for _, g := range goldens(t, slices.Concat(ownFormats, readFormats, []document.Format{document.FormatMessages, document.FormatResponses})...) {
		var native struct {
			Extras struct{ Tools []json.RawMessage }
		}
		if err := json.Unmarshal(g.native, &native); err == nil && g.side == document.Inputs && len(native.Extras.Tools) > 0 {
			docs[string(g.format)+"/"+g.name] = string(g.doc)
		}
	}
	for name, doc := range docs {
		for _, to := range writtenFormats {
			t.Run(name+" to "+string(to), func(t *testing.T) {
				t.Parallel()
				d := normalized(t, []byte(doc), document.Inputs)
				built, _, err := Build(d, to, true)
				assert.Must(t, err)
				if again, err := Normalize(built, document.Inputs); err != nil || again.Format != to {
					t.Errorf("read as %s, error %v: %s", again.Format, err, built)
				}
			})
		}
	}
}

// TestDetectRequests reads requests whose messages are texts: what is beside them says the format. The members are those of
// MessageCreateParams (@anthropic-ai/sdk) and ChatCompletionCreateParams (openai).
func TestDetectRequests(t *testing.T) {
	t.Parallel()
	const chat, messages = document.FormatChatCompletions, document.FormatMessages
	for settings, want := range map[string]document.Format{
		`"max_tokens":5,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}`: messages,
		`"max_tokens":5,"tools":[{"type":"custom","name":"f","input_schema":{"type":"object"}}]`:              messages,
		`"max_tokens":5,"tools":[{"type":"web_search_20250305","name":"web_search"}]`:                         messages,
		`"max_tokens":5,"tool_choice":{"type":"any"}`:                                                         messages,
		`"max_tokens":5,"tool_choice":{"type":"tool","name":"f"}`:                                             messages,
		`"max_tokens":5,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`:                       messages,
		`"max_tokens":5,"tool_choice":{"type":"none"}`:                                                        messages,
		`"max_tokens":5,"output_config":{"effort":"low"}`:                                                     messages,
		`"max_tokens":5,"top_k":5`:                                                                            messages,
		`"max_tokens":5,"mcp_servers":[{"type":"url","name":"a","url":"https://example.com"}]`:                messages,
		`"max_tokens":5,"container":"c"`:                                                                      messages,
		`"max_tokens":5`:                                                                                      chat,
		`"tools":[` + chatTool + `],"top_k":5`:                                                                chat,
		`"tool_choice":{"type":"function","function":{"name":"f"}}`:                                           chat,
		`"tool_choice":{"type":"custom","custom":{"name":"f"}}`:                                               chat,
		`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`:                   chat,
		`"tools":[` + chatTool + `],"tool_choice":"auto"`:                                                     chat,
		`"tools":[{"type":"custom","custom":{"name":"c"}}]`:                                                   chat,
	} {
		t.Run(settings, func(t *testing.T) {
			t.Parallel()
			d, err := Normalize([]byte(chatRequest(settings)), document.Inputs)
			if err != nil || d.Format != want {
				t.Errorf("format = %s, error %v; want %s", d.Format, err, want)
			}
		})
	}
}

// writtenFormats are those in which requests are written.
var writtenFormats = []document.Format{document.FormatChatCompletions, document.FormatMessages, document.FormatResponses, document.FormatNative}

// convertAs converts a request of which nothing may be dropped.
func convertAs(t *testing.T, doc []byte, from, to document.Format) []byte {
	t.Helper()
	d, err := Normalize(doc, document.Inputs)
	if err != nil || d.Format != from {
		t.Fatalf("%s is read as %s, error %v; want %s", doc, d.Format, err, from)
	}
	built, dropped, err := Build(d, to, false)
	if err != nil || len(dropped) > 0 {
		t.Fatalf("%s to %s: dropped %s, %v", doc, to, dropped, err)
	}
	return built
}

// TestConvertRequestsNamesEveryLoss checks settings without which the target would do something else.
func TestConvertRequestsNamesEveryLoss(t *testing.T) {
	t.Parallel()
	checkRefused(t, document.FormatMessages, []refusal{
		{"custom tools and their choice", document.Inputs, chatRequest(`"tools":[` + chatTool + `,{"type":"custom","custom":{"name":"c"}}],"tool_choice":{"type":"custom","custom":{"name":"c"}}`),
			[]string{"/extras/tools/1", "/extras/tool_choice"}},
		{"JSON without a schema, and sampling", document.Inputs, chatRequest(`"response_format":{"type":"json_object"},"n":2`),
			[]string{"/extras/response_format", "/extras/n"}},
		{"members of a function", document.Inputs, itemsRequest(`"tools":[{"type":"function","name":"f","output_schema":{"type":"object"}},{"type":"namespace","name":"n","tools":[]}]`),
			[]string{"/extras/tools/0/output_schema", "/extras/tools/1"}},
		{"members in the object of a function", document.Inputs, chatRequest(`"tools":[{"type":"function","function":{"name":"f","examples":[1]}}]`),
			[]string{"/extras/tools/0/function/examples"}},
	})
	checkRefused(t, document.FormatResponses, []refusal{
		{"stop sequences", document.Inputs, chatRequest(`"stop":["a"]`), []string{"/extras/stop"}},
		{"examples of a tool's input", document.Inputs, `{"system":"s","messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"f","input_schema":{},"input_examples":[{"a":1}]}]}`,
			[]string{"/extras/tools/0/input_examples"}},
	})
}

// TestLossErrorIsBounded checks that the error lists the first losses only.
func TestLossErrorIsBounded(t *testing.T) {
	t.Parallel()
	doc := nativeDocument(`{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"hologram"},`, document.MaxListed+7), ",") + `]}`)
	_, err := Convert([]byte(doc), document.Inputs, document.FormatChatCompletions)
	if err == nil || !strings.Contains(err.Error(), "and 7 more") {
		t.Errorf("error = %v, want one with 7 more losses", err)
	}
}
