package message

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestValidateAs demands a format. A document in another one that follows its rules has a single problem.
func TestValidateAs(t *testing.T) {
	t.Parallel()
	call := `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`
	for _, c := range []struct {
		name, doc string
		side      document.Side
		want      document.Format
		// message is that of the problem, empty if there is none.
		message string
	}{
		{"a text in a request of chat completions", `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`, document.Inputs, document.FormatNative, "have the format chat_completions, not native"},
		{"a block of the messages format", `{"max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"a"},` +
			`{"type":"tool_use","id":"c","name":"f","input":{}}]}]}`, document.Inputs, document.FormatNative, `have the format messages, not native`},
		{"a call of chat completions", `{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"}],"tool_calls":[` + call + `]}]}`, document.Inputs, document.FormatMessages, `have the format chat_completions, not messages`},
		{"a role of chat completions", `{"messages":[{"role":"developer","content":[{"type":"text","text":"a"}]}]}`, document.Inputs, document.FormatNative, "have the format chat_completions, not native"},
		{"an answer of chat completions", `{"choices":[{"message":{"role":"assistant","content":"a"}}]}`, document.Outputs, document.FormatMessages, "the outputs have the format chat_completions"},
		{"the prompt of Gemini", `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`, document.Inputs, document.FormatResponses, "have the format gemini, not responses"},
		{"a list of messages", `[{"role":"user","content":"Hi"}]`, document.Inputs, document.FormatNative, "have the format chat_completions, not native"},
		{"a name, which the messages format doesn't have", `{"messages":[{"role":"user","content":"Hi","name":"bob"}]}`, document.Inputs, document.FormatMessages, `have the format chat_completions, not messages`},
		{"no format", `{"a":1}`, document.Inputs, document.FormatNative, "the inputs have no known format, but must have the format native"},

		{"native", nativeDocument(`{"role":"user","content":[{"type":"text","text":"Hi"}]}`), document.Inputs, document.FormatNative, ""},
		{"texts that are also a request of the messages format", `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"text","text":"a"}]}]}`,
			document.Inputs, document.FormatMessages, ""},
		{"usage, which only traced messages have", `{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"}],"usage_metadata":{"input_tokens":1}}]}`, document.Outputs,
			document.FormatChatCompletions, "have the format native, not chat_completions"},
		{"lists of texts that are also chat completions", `{"messages":[{"role":"system","content":[{"type":"text","text":"a"}]}]}`, document.Inputs, document.FormatChatCompletions, ""},
		{"lists of texts that are also native", `{"messages":[{"role":"system","content":[{"type":"text","text":"a"}]}]}`, document.Inputs, document.FormatNative, ""},
		{"a response format, which only chat completions has", `{"messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_object"}}`, document.Inputs, document.FormatMessages,
			"have the format chat_completions, not messages"},
		{"functions as tools, which only chat completions has", `{"messages":[{"role":"user","content":"Hi"}],"tools":[` + chatTool + `]}`, document.Inputs, document.FormatMessages,
			"have the format chat_completions, not messages"},
		{"functions", `{"messages":[{"role":"user","content":"Hi"}],"functions":[{"name":"f"}]}`, document.Inputs, document.FormatMessages, "have the format chat_completions, not messages"},
		{"sampling of chat completions", `{"messages":[{"role":"user","content":"Hi"}],"logit_bias":{"1":2},"n":2}`, document.Inputs, document.FormatMessages,
			"have the format chat_completions, not messages"},
		{"why an answer of chat completions ended", `{"role":"assistant","content":"Hi","finish_reason":"stop"}`, document.Outputs, document.FormatMessages,
			"have the format chat_completions, not messages"},
		{"an answer of Ollama", `{"model":"m","message":{"role":"assistant","content":"Hi"},"done":true,"eval_count":3}`, document.Outputs, document.FormatMessages,
			"have the format chat_completions, not messages"},
		{"a seed isn't native", `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"seed":1}`, document.Inputs, document.FormatNative,
			"have the format chat_completions, not native"},
		{"settings that both formats have", `{"model":"m","max_tokens":5,"temperature":1,"top_p":0.5,"stream":true,"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"Hi"}]}`,
			document.Inputs, document.FormatMessages, ""},
		{"a setting that servers of open models add", `{"model":"m","top_k":5,"messages":[{"role":"user","content":"Hi"}]}`, document.Inputs, document.FormatChatCompletions, ""},
		{"a setting of the messages format", `{"system":"s","messages":[{"role":"user","content":"Hi"}]}`, document.Inputs, document.FormatChatCompletions,
			"have the format messages, not chat_completions"},
		{"a system message isn't part of the messages format", `{"messages":[{"role":"system","content":"a"}]}`, document.Inputs, document.FormatMessages, `have the format chat_completions, not messages`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			problems, err := ValidateAs([]byte(c.doc), c.side, c.want)
			assert.Must(t, err)
			if c.message == "" {
				if len(problems) > 0 {
					t.Errorf("problems = %v, want none", problems)
				}
				return
			}
			if len(problems) != 1 || problems[0].Rule != "format_expected" || problems[0].Pointer != "" || !strings.Contains(problems[0].Message, c.message) {
				t.Errorf("problems = %v, want one: %s", problems, c.message)
			}
		})
	}
}

// TestValidateAsHasTheRulesOfTheDemandedFormat checks a document that two formats write alike, but for what one of them forbids: chat
// completions allows an assistant without content in an answer.
func TestValidateAsHasTheRulesOfTheDemandedFormat(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"role":"assistant","content":null}`)
	for want, rule := range map[document.Format]string{
		document.FormatChatCompletions: "", document.FormatMessages: document.RuleContentBlocks, document.FormatNative: document.RuleContentBlocks,
	} {
		problems, err := ValidateAs(doc, document.Outputs, want)
		assert.Must(t, err)
		if rule == "" && len(problems) > 0 || rule != "" && (len(problems) != 1 || problems[0].Rule != rule) {
			t.Errorf("%s: problems = %v, want %q", want, problems, rule)
		}
	}
}

// TestValidateAsListsFaults checks that a faulty document in another format than the demanded one has its own problems, too.
func TestValidateAsListsFaults(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string][]string{
		`{"messages":[{"role":"user","content":[{"type":"text"}]},{"role":"robot","content":"x"}]}`: {" format_expected", "/messages/0/content/0/text text_required",
			"/messages/1/role role_known"},
		`{"messages":[7]}`: {" format_expected", "/messages/0 message_object"},
		`{"a":1}`:          {" format_expected"},
	} {
		problems, err := ValidateAs([]byte(doc), document.Inputs, document.FormatNative)
		assert.Must(t, err)
		var got []string
		for _, p := range problems {
			got = append(got, p.Pointer+" "+p.Rule)
		}
		assert.Same(t, fmt.Sprintf("%s: problems", doc), want, got)
	}
}

// TestValidateAsReportsRules checks that a document in the demanded format has the same problems as without the demand.
func TestValidateAsReportsRules(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t, ownFormats...) {
		want, err := Validate(g.doc, g.side)
		assert.Must(t, err)
		got, err := ValidateAs(g.doc, g.side, g.format)
		assert.Must(t, err)
		assert.Same(t, g.name, want, got)
	}
	if _, err := ValidateAs([]byte(`{`), document.Inputs, document.FormatNative); err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("error = %v, want one that this is not JSON", err)
	}
}
