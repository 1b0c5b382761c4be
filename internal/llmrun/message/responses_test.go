package message

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

func TestConvertToResponses(t *testing.T) {
	t.Parallel()
	checkConverted(t, document.FormatResponses, []conversion{
		{"messages become items", document.Inputs,
			`{"model":"m","messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}]}`,
			`{"model":"m","input":[{"type":"message","role":"system","content":[{"type":"input_text","text":"Be brief."}]},` +
				`{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:image/png;base64,AA"}]}]}`},
		{"calls and answers become items of their own", document.Inputs,
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1.0}"}},` +
				`{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"}]}`,
			`{"input":[{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\":1.0}"},{"type":"function_call","call_id":"b","name":"g","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"a","output":"1"}]}`},
		{"the words before a call are the assistant's", document.Outputs,
			nativeDocument(`{"role":"assistant","content":[{"type":"text","text":"Wait.","annotations":[]},{"type":"tool_call","id":"a","name":"f","args":{}}],"usage_metadata":{"total_tokens":3}}`),
			`{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Wait.","annotations":[]}]},` +
				`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}],"usage_metadata":{"total_tokens":3}}`},
		{"reasoning", document.Outputs,
			nativeDocument(`{"role":"reasoning","content":[{"type":"reasoning","text":"a"},{"type":"reasoning","text":"b","extras":{"type":"reasoning_text"}}],"extras":{"encrypted_content":"e"}}`),
			`{"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"a"}],"content":[{"type":"reasoning_text","text":"b"}],"encrypted_content":"e"}]}`},
		{"files and audio", document.Inputs,
			userDocument(`{"type":"file","base64":"AA","mime_type":"application/pdf","extras":{"filename":"a.pdf"}},{"type":"file","url":"u"},{"type":"file","id":"f"},{"type":"audio","base64":"AA","mime_type":"audio/wav"}`),
			`{"input":[{"type":"message","role":"user","content":[{"type":"input_file","file_data":"data:application/pdf;base64,AA","filename":"a.pdf"},{"type":"input_file","file_url":"u"},` +
				`{"type":"input_file","file_id":"f"},{"type":"input_audio","input_audio":{"data":"AA","format":"wav"}}]}]}`},
		{"a server's call and its result are one item", document.Outputs,
			nativeDocument(`{"role":"assistant","content":[{"type":"server_tool_call","id":"s","name":"file_search","args":{"queries":["a"]},"extras":{"type":"file_search_call"}},` +
				`{"type":"server_tool_result","tool_call_id":"s","status":"success","output":[1.0]}]}`),
			`{"output":[{"type":"file_search_call","id":"s","queries":["a"],"results":[1.0]}]}`},
		{"a screenshot is the whole output of a call", document.Inputs,
			nativeDocument(`{"role":"tool","tool_call_id":"c","content":[{"type":"image","url":"u","extras":{"type":"computer_screenshot"}}],"extras":{"type":"computer_call_output"}}`),
			`{"input":[{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"u"}}]}`},
		{"a refusal", document.Outputs,
			nativeDocument(`{"role":"assistant","content":[{"type":"text","text":"No.","extras":{"refusal":true}}]}`),
			`{"output":[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"No."}]}]}`},
	})
}

func TestConvertToResponsesNamesEveryLoss(t *testing.T) {
	t.Parallel()
	call := func(extras string) string {
		return `{"type":"server_tool_call","id":"s","name":"file_search","args":{"queries":[],"n":1},"extras":` + extras + `}`
	}
	const screenshot = `{"type":"image","url":"u","extras":{"type":"computer_screenshot"}}`
	checkRefused(t, document.FormatResponses, []refusal{
		{"nothing to say", document.Inputs, nativeDocument(``), []string{"/messages"}},
		{"roles and fields", document.Inputs, nativeDocument(`{"role":"robot","content":[]},{"role":"user","content":[],"tool_call_id":"a","usage_metadata":{"total_tokens":1},"extras":{"name":"b"}}`),
			[]string{"/messages/0", "/messages/1/extras/name", "/messages/1/tool_call_id", "/messages/1/usage_metadata"}},
		{"extras of a document", document.Inputs, `{"messages":[{"role":"user","content":[]}],"extras":{"instructions":"a","seed":2,"store":true}}`,
			[]string{"/extras/instructions", "/extras/seed"}},
		{"screenshots that are no output, or a part of one", document.Inputs, nativeDocument(`{"role":"user","content":[` + screenshot + `]},` +
			`{"role":"tool","tool_call_id":"c","content":[` + screenshot + `,` + screenshot + `]}`),
			[]string{"/messages/0/content/0/extras/type", "/messages/1/content/0/extras/type", "/messages/1/content/1/extras/type"}},
		{"reasoning", document.Outputs, nativeDocument(`{"role":"reasoning","content":[{"type":"text","text":"a"},{"type":"reasoning","text":"a","extras":{"type":"reasoning_text"}},` +
			`{"type":"reasoning","text":"b","extras":{"signature":"s"}}],"extras":{"x":1}},{"role":"assistant","content":[{"type":"reasoning","text":"a"}]}`),
			[]string{
				"/messages/0/content/0", "/messages/0/content/2", "/messages/0/extras/x",
			}},
		{"the order of content and calls, and who calls", document.Inputs,
			nativeDocument(`{"role":"assistant","content":[{"type":"tool_call","id":"a","name":"f","args":{}},{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"tool_call","id":"b","name":"f","args":{}}]}`),
			[]string{"/messages/0/content/1", "/messages/1/content/0"}},
		{"calls that would join the message before", document.Inputs,
			nativeDocument(`{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_call","id":"a","name":"f","args":{}}],"extras":{"status":"x"}}`),
			[]string{"/messages/1"}},
		{"calls of server tools", document.Outputs, nativeDocument(`{"role":"assistant","content":[` + call(`{}`) + `,` + call(`{"type":"file_search_call","x":1}`) + `,` +
			`{"type":"server_tool_result","tool_call_id":"t","output":1},{"type":"server_tool_call","id":"s","name":"x","args":{},"extras":{"type":"file_search_call"}},` +
			`{"type":"server_tool_result","id":"r","tool_call_id":"s","status":"error","output":"A"}]}`),
			[]string{
				"/messages/0/content/0", "/messages/0/content/1/extras/x", "/messages/0/content/1/args", "/messages/0/content/2",
				"/messages/0/content/3/name", "/messages/0/content/4/id", "/messages/0/content/4/status",
			}},
		{"parts", document.Inputs, userDocument(`{"type":"text"},{"type":"image","url":"u","base64":"A","mime_type":"a/b"},{"type":"image","url":"u","mime_type":"a/b"},{"type":"image","base64":"A"},` +
			`{"type":"file","base64":"data:a/b;base64,A"},{"type":"file","url":"u","mime_type":"a/b"},{"type":"audio","url":"u"},{"type":"video","url":"u"}`),
			[]string{
				"/messages/0/content/0", "/messages/0/content/1/url", "/messages/0/content/2/mime_type", "/messages/0/content/3",
				"/messages/0/content/4", "/messages/0/content/5/mime_type", "/messages/0/content/6", "/messages/0/content/7",
			}},
		{"items in the wrong message", document.Inputs, nativeDocument(`{"role":"assistant","content":[{"type":"item_reference","extras":{"id":"a"}}]},` +
			`{"role":"user","content":[{"type":"mcp_list_tools","extras":{"type":"x"}}]}`),
			[]string{"/messages/0/content/0", "/messages/1/content/0/extras/type", "/messages/1/content/0"}},
	})
}

// TestResponsesCallsOfMessages checks that a call belongs to the preceding message of the assistant, and to no other.
func TestResponsesCallsOfMessages(t *testing.T) {
	t.Parallel()
	const call, message, reasoning = `{"type":"function_call","call_id":"a"}`, `{"type":"message","role":"assistant","content":[]}`, `{"type":"reasoning","summary":[]}`
	for _, c := range []struct {
		name, items string
		want        []int // The number of blocks of each message.
	}{
		{"a message and two calls", message + "," + call + "," + call, []int{2}},
		{"two calls and a message", call + "," + call + "," + message, []int{2, 0}},
		{"reasoning between", call + "," + reasoning + "," + call, []int{1, 0, 1}},
		{"after the user", `{"type":"message","role":"user","content":[]},` + call, []int{0, 1}},
		{"after a message without content", `{"type":"message","role":"assistant"},` + call, []int{0, 1}},
		{"an unknown item", message + `,{"type":"hologram"},{"type":7},{"type":""}`, []int{3}},
		{"an unknown item of a known block", message + `,{"type":"tool_call","name":"a"},{"type":"server_tool_result"}`, []int{2}},
		{"a result in an item", message + `,{"type":"mcp_call","output":"a"},{"type":"mcp_call","output":null,"error":1}`, []int{4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc := []byte(`{"object":"response","output":[` + c.items + `]}`)
			d := normalized(t, doc, document.Outputs)
			got := make([]int, len(d.Messages))
			for i := range d.Messages {
				got[i] = len(d.Messages[i].Content)
			}
			if len(got) != len(c.want) {
				t.Fatalf("blocks = %v, want %v", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("blocks = %v, want %v", got, c.want)
				}
			}
			checkDocument(t, d, doc)
		})
	}
}
