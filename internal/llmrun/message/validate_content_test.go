package message

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestRuleContentUnknown checks documents of which nothing is read, although they have a text: they must not look empty.
func TestRuleContentUnknown(t *testing.T) {
	t.Parallel()
	const unknown = document.RuleContentUnknown
	chat := func(message string) string {
		return `{"choices":[{"index":0,"message":{"role":"assistant",` + message + `}}]}`
	}
	checkRules(t, document.Outputs, []ruleCase{
		{"an unknown member of a message", chat(`"content":null,"foo":"hello"`), []broken{{"/choices/0/message/foo", unknown, `"foo"`}}},
		{"a text beside a message's content", chat(`"content":null,"output_text":"hello"`), []broken{{"/choices/0/message/output_text", unknown, `"output_text"`}}},
		{"a text in a choice", `{"choices":[{"index":0,"text":"hello","message":{"role":"assistant","content":null}}]}`, []broken{{"/choices/0/text", unknown, `"text"`}}},
		{"two messages with the same text", `{"choices":[{"message":{"role":"assistant","content":null,"foo":"a"}},{"message":{"role":"assistant","content":null,"foo":"a"}}]}`,
			[]broken{{"/choices/0/message/foo", unknown, ""}, {"/choices/1/message/foo", unknown, ""}}},
		{"a text in a candidate", `{"candidates":[{"output":"hello"}]}`, []broken{{"/candidates/0/output", unknown, `"output"`}}},
		{"an unknown part of a candidate", `{"candidates":[{"content":{"parts":[{"note":"hello"}]}}]}`, []broken{{"/candidates/0/content/parts/0/note", unknown, `"note"`}}},
		{"an unknown part alone", chat(`"content":[{"type":"note","value":"hello"}]`), []broken{{"/choices/0/message/content/0/value", unknown, `"value"`}}},
		{"an unknown block of the messages format", `{"role":"assistant","content":[{"type":"note","value":"hello"}],"stop_reason":"end_turn"}`,
			[]broken{{"/content/0/value", unknown, `"value"`}}},
		{"an unknown item", `{"output":[{"type":"note","value":"hello"}]}`, []broken{{"/output/0/value", unknown, `"value"`}}},
		{"an unknown part in a wrapper", `{"result":{"output":[{"type":"message","role":"assistant","content":[{"type":"note","value":"hello"}]}]}}`,
			[]broken{{"/result/output/0/content/0/value", unknown, `"value"`}}},
		{"a text beside items", `{"object":"response","output":[],"output_text":"hello"}`, []broken{{"/output_text", unknown, `"output_text"`}}},
		{"a text beside items, which has no known format", `{"output":[],"output_text":"hello"}`, []broken{{"", document.RuleFormatRecognized, ""}}},

		{"an unknown part beside a text", chat(`"content":[{"type":"text","text":"a"},{"type":"note","value":"hello"}]`), nil},
		{"only calls", chat(`"content":null,"foo":"hello","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]`), nil},
		{"only a refusal", chat(`"content":null,"refusal":"No."`), nil},
		{"nothing", chat(`"content":null`), nil},
		{"nothing, with who answered", `{"id":"r","object":"response","status":"incomplete","model":"m","instructions":"Be brief.","truncation":"disabled","output":[],"output_text":""}`, nil},
		{"nothing, with the reason", `{"candidates":[{"finishReason":"SAFETY","finishMessage":"Blocked.","index":0}],"modelVersion":"m","responseId":"r"}`, nil},
		{"a state of a part", chat(`"content":[{"type":"marker","state":"a","mode":"b"}]`), nil},
		{"a source", chat(`"content":[{"type":"source","id":"s","title":"A","url":"https://example.com"}]`), nil},
		{"a text beside a message that was read", `{"messages":[{"role":"assistant","content":"a"}],"output_text":"a"}`, nil},
	})
}
