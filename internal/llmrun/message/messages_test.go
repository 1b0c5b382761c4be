package message

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// conversion is a document in one format and in another one.
type conversion struct {
	name     string
	side     document.Side
	from, to string
}

func checkConverted(t *testing.T, to document.Format, cases []conversion) {
	t.Helper()
	for _, c := range cases {
		got, err := Convert([]byte(c.from), c.side, to)
		assert.Must(t, err)
		assert.Same(t, c.name, decoded(t, []byte(c.to)), decoded(t, got))
	}
}

// refusal is a document that can't be converted, and the pointers of what would be lost.
type refusal struct {
	name string
	side document.Side
	from string
	want []string
}

func checkRefused(t *testing.T, to document.Format, cases []refusal) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := Convert([]byte(c.from), c.side, to)
			lost, ok := errors.AsType[*document.LossError](err)
			if !ok {
				t.Fatalf("converted to %s, error = %v; want a LossError", out, err)
			}
			var got []string
			for _, l := range lost.Losses {
				got = append(got, l.Pointer)
				if !strings.Contains(lost.Error(), l.Pointer) {
					t.Errorf("error %q doesn't contain %s", lost, l.Pointer)
				}
			}
			assert.Same(t, fmt.Sprint(lost), c.want, got)
		})
	}
}

// afterReasoning loses a block and an extra behind reasoning that a conversion moves.
const afterReasoning = `{"messages":[{"role":"reasoning","content":[{"type":"reasoning","text":"a"},{"type":"reasoning","text":"b"}]},` +
	`{"role":"assistant","content":[{"type":"text","text":"c"},{"type":"hologram"}]},{"role":"user","content":[],"extras":{"x":1}}],"extras":{}}`

func TestConvertToMessages(t *testing.T) {
	t.Parallel()
	checkConverted(t, document.FormatMessages, []conversion{
		{"the first system message stands beside the others", document.Inputs,
			`{"model":"m","messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Hi"}]}`,
			`{"model":"m","system":"Be brief.","messages":[{"role":"user","content":"Hi"}]}`},
		{"answers of tools that follow each other are one message", document.Inputs,
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1.0}"}},` +
				`{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},` +
				`{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"2"},{"type":"text","text":"3"}]},{"role":"user","content":"Go on."}]}`,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x":1.0}},{"type":"tool_use","id":"b","name":"g","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},` +
				`{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"2"},{"type":"text","text":"3"}]}]},{"role":"user","content":"Go on."}]}`},
		{"media become sources", document.Inputs,
			userDocument(`{"type":"image","base64":"AA","mime_type":"image/png"},{"type":"image","url":"u"},{"type":"file","id":"f","extras":{"title":"T"}},{"type":"file","id":"g","extras":{"type":"container_upload"}}`),
			`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}},{"type":"image","source":{"type":"url","url":"u"}},` +
				`{"type":"document","source":{"type":"file","file_id":"f"},"title":"T"},{"type":"container_upload","file_id":"g"}]}]}`},
		{"reasoning becomes thinking", document.Inputs,
			nativeDocument(`{"role":"assistant","content":[{"type":"reasoning","text":"Hm.","extras":{"signature":"s"}},{"type":"reasoning","text":"","extras":{"type":"redacted_thinking","data":"d"}}]}`),
			`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"redacted_thinking","data":"d"}]}]}`},
		{"an answer becomes a message, its choice the reason why it ended", document.Outputs,
			`{"id":"x","model":"m","choices":[{"index":0,"finish_reason":"tool_calls","logprobs":null,"message":{"role":"assistant","content":"Wait.",` +
				`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}}],"usage_metadata":{"input_tokens":1}}`,
			`{"id":"x","model":"m","role":"assistant","content":[{"type":"text","text":"Wait."},{"type":"tool_use","id":"a","name":"f","input":{}}],` +
				`"stop_reason":"tool_use","usage_metadata":{"input_tokens":1}}`},
		{"several answers stay a list", document.Outputs,
			`{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[]}]}`,
			`{"messages":[{"role":"assistant","content":"a"},{"role":"assistant","content":[]}]}`},
		{"a server's tool", document.Outputs,
			nativeDocument(`{"role":"assistant","content":[{"type":"server_tool_call","id":"s","name":"web_search","args":{}},` +
				`{"type":"server_tool_result","tool_call_id":"s","status":"error","output":{"type":"web_search_tool_result_error"},"extras":{"type":"web_search_tool_result"}}]}`),
			`{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},` +
				`{"type":"web_search_tool_result","tool_use_id":"s","content":{"type":"web_search_tool_result_error"}}]}`},
	})
}

func TestConvertToMessagesNamesEveryLoss(t *testing.T) {
	t.Parallel()
	checkRefused(t, document.FormatMessages, []refusal{
		{"roles", document.Inputs, nativeDocument(`{"role":"user","content":[],"tool_call_id":"a"},{"role":"system","content":[]},{"role":"reasoning","content":[]}`),
			[]string{"/messages/0/tool_call_id", "/messages/1"}},
		{"a system prompt that is more than content", document.Inputs, nativeDocument(`{"role":"system","usage_metadata":{"input_tokens":1},"extras":{"name":"a"}}`),
			[]string{"/messages/0/extras/name", "/messages/0"}},
		{"extras of other formats", document.Inputs, `{"messages":[{"role":"user","content":"a","name":"b"}],"tools":[1],"seed":2}`,
			[]string{"/extras/seed", "/extras/tools", "/messages/0/extras/name"}},
		{"media that sources can't say", document.Inputs,
			userDocument(`{"type":"image"},{"type":"image","url":"u","id":"i"},{"type":"file","url":"u","mime_type":"a/b"},{"type":"audio","base64":"A"},{"type":"video","url":"u"},` +
				`{"type":"file","url":"u","extras":{"type":"container_upload"}},{"type":"image","url":"u","extras":{"source":{"type":"file"},"title":"t"}}`),
			[]string{
				"/messages/0/content/0", "/messages/0/content/1/id", "/messages/0/content/2/mime_type", "/messages/0/content/3", "/messages/0/content/4",
				"/messages/0/content/5", "/messages/0/content/6/extras/title", "/messages/0/content/6/extras/source",
			}},
		{"texts", document.Inputs, nativeDocument(`{"role":"assistant","content":[{"type":"text"},{"type":"text","text":"a","annotations":[{"type":"url_citation"}]},` +
			`{"type":"text","text":"a","extras":{"refusal":true}},{"type":"reasoning"},{"type":"reasoning","text":"a","extras":{"type":"redacted_thinking"}}]}`),
			[]string{
				"/messages/0/content/0", "/messages/0/content/1/annotations", "/messages/0/content/2/extras/refusal", "/messages/0/content/3",
				"/messages/0/content/4/text",
			}},
		{"calls and results", document.Inputs, nativeDocument(`{"role":"assistant","content":[{"type":"tool_call","id":"a","extras":{"function":{"arguments":"{"}}},` +
			`{"type":"server_tool_call","id":"s","name":"n","args":{},"extras":{"type":"web_search_call"}},` +
			`{"type":"server_tool_result","tool_call_id":"s","status":"error","output":1},{"type":"hologram"},` +
			`{"type":"server_tool_result","id":"r","tool_call_id":"s","status":"error","output":1,"extras":{"type":"web_search_tool_result"}}]}`),
			[]string{
				"/messages/0/content/0/extras/function", "/messages/0/content/1/extras/type", "/messages/0/content/2",
				"/messages/0/content/3", "/messages/0/content/4/id", "/messages/0/content/4/status",
			}},
		{"what follows reasoning that was moved", document.Inputs, afterReasoning, []string{"/messages/1/content/1", "/messages/2/extras/x"}},
		{"two usages", document.Outputs,
			`{"messages":[{"role":"assistant","content":[],"usage_metadata":{"input_tokens":1},"extras":{"choice":{"index":1,"finish_reason":"stop"}}}],"extras":{"usage_metadata":{"input_tokens":2}}}`,
			[]string{"/extras/usage_metadata"}},
	})
}

// TestToolResultsStayTogether checks that the messages into which one message was split are joined again, whatever surrounds them.
func TestToolResultsStayTogether(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"b"}]}]}`,
		`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}]}]}`,
		`{"messages":[{"role":"tool","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"x"},{"type":"tool_result","content":null}]}]}`,
		`{"messages":[{"role":"tool","tool_call_id":"a","content":"x"},{"role":"assistant","content":[{"type":"tool_use"}]}]}`,
		`{"messages":[{"content":[{"type":"tool_result","tool_use_id":"a","role":"x"}]},{"role":3,"content":[{"type":"tool_result"}]}]}`,
		`{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"tool_result","content":"nested"}]}]}]}`,
		`{"system":[],"messages":[{"role":"system","content":[{"type":"tool_result"}]}]}`,
		`{"system":7,"messages":[{"role":"system","content":[{"type":"thinking"}]}]}`,
	} {
		d := normalized(t, []byte(doc), document.Inputs)
		if d.Format != document.FormatMessages {
			t.Errorf("%s was read as format %s, want %s", doc, d.Format, document.FormatMessages)
		}
		checkDocument(t, d, []byte(doc))
	}
}

// TestBlocksTakenKeys checks that nothing is overwritten if a document uses a key that is needed for the members around an
// answer.
func TestBlocksTakenKeys(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{"messages":[{"role":"user","id":1,"content":[{"type":"tool_result","id":2}]}]}`,
		`{"messages":[{"role":"user","id":1,"content":[{"type":"tool_result","id":2,"beside":"three"}]}]}`,
	} {
		d, err := Normalize([]byte(doc), document.Outputs)
		if err != nil || d.Format != document.FormatMessages {
			t.Fatalf("%s was read as %v, %v; want messages", doc, d, err)
		}
		checkDocument(t, d, []byte(doc))
		if beside := len(d.Messages[0].Extras); beside != 2+strings.Count(doc, "three") {
			t.Errorf("%s: %d extras of the answer: %v", doc, beside, d.Messages[0].Extras)
		}
	}
	for _, doc := range []string{
		`{"choices":[{"message":{"role":"assistant","choice":1,"content":[{"type":"tool_use"}]}}]}`,
	} {
		d := normalized(t, []byte(doc), document.Outputs)
		if d.Format != document.FormatUnrecognized || string(d.Extras[keyRaw]) != doc {
			t.Errorf("%s was read as format %s with %s, want it unrecognized and kept whole", doc, d.Format, d.Extras)
		}
	}
}
