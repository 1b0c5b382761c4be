package message

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

func TestConvertToChat(t *testing.T) {
	t.Parallel()
	checkConverted(t, document.FormatChatCompletions, []conversion{
		{"one text becomes a string", document.Inputs,
			nativeDocument(`{"role":"user","content":[{"type":"text","text":"Hi"}]}`),
			`{"messages":[{"role":"user","content":"Hi"}]}`},
		{"several blocks become parts", document.Inputs,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","url":"https://e.x/a.png","extras":{"image_url":{"detail":"low"}}}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"https://e.x/a.png","detail":"low"}}]}]}`},
		{"data becomes a data URL", document.Inputs,
			`{"messages":[{"role":"user","content":[{"type":"image","base64":"AAAA","mime_type":"image/png"},{"type":"video","base64":"AAAA","mime_type":"video/mp4"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},` +
				`{"type":"video_url","video_url":{"url":"data:video/mp4;base64,AAAA"}}]}]}`},
		{"audio and files", document.Inputs,
			`{"messages":[{"role":"user","content":[{"type":"audio","base64":"AAAA","mime_type":"audio/wav"},{"type":"file","id":"f1"},` +
				`{"type":"file","base64":"AAAA","mime_type":"application/pdf","extras":{"file":{"filename":"a.pdf"}}}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}},{"type":"file","file":{"file_id":"f1"}},` +
				`{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA","filename":"a.pdf"}}]}]}`},
		{"calls move out of the content", document.Inputs,
			`{"messages":[{"role":"assistant","content":[{"type":"text","text":"Wait"},{"type":"tool_call","id":"c","name":"add","args":{"a": 1.0}}]},` +
				`{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"1"}]}]}`,
			`{"messages":[{"role":"assistant","content":"Wait","tool_calls":[{"id":"c","type":"function","function":{"name":"add","arguments":"{\"a\": 1.0}"}}]},` +
				`{"role":"tool","tool_call_id":"c","content":"1"}]}`},
		{"an answer becomes a choice", document.Outputs,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"add","args":{}}],"usage_metadata":{"input_tokens":1},` +
				`"extras":{"choice":{"index":0,"finish_reason":"tool_calls"}}}],"extras":{"model":"m","id":"x"}}`,
			`{"id":"x","model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,` +
				`"tool_calls":[{"id":"c","type":"function","function":{"name":"add","arguments":"{}"}}]}}],"usage_metadata":{"input_tokens":1}}`},
		{"several answers stay a list", document.Outputs,
			nativeDocument(`{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[]}`),
			`{"messages":[{"role":"assistant","content":"a"},{"role":"assistant","content":[]}]}`},
		{"the answer's audio", document.Inputs,
			`{"messages":[{"role":"assistant","content":[{"type":"audio","id":"audio_1"}]}]}`,
			`{"messages":[{"role":"assistant","content":null,"audio":{"id":"audio_1"}}]}`},
		{"annotations and a refusal", document.Inputs,
			`{"messages":[{"role":"assistant","content":[{"type":"text","text":"a","annotations":[{"x":1}]}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"No.","extras":{"refusal":true}}]}]}`,
			`{"messages":[{"role":"assistant","content":"a","annotations":[{"x":1}]},{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}]}`},
		{"a custom tool's call", document.Inputs,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"sh","args":{"input":"ls"},"extras":{"type":"custom"}}]}]}`,
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sh","input":"ls"}}]}]}`},
		{"the framework's messages", document.Inputs,
			`{"messages":[[{"lc":1,"id":["HumanMessage"],"kwargs":{"content":"Hi","additional_kwargs":{}}}]]}`,
			`{"messages":[{"role":"user","content":"Hi"}]}`},
		{"what is empty is no loss", document.Inputs,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a","extras":{"cache":null,"tags":[]}}],"extras":{"meta":{}}}],"extras":{"trace":null}}`,
			`{"messages":[{"role":"user","content":"a"}]}`},
		{"a text in a message with the role reasoning is reasoning", document.Inputs,
			nativeDocument(`{"role":"reasoning","content":[{"type":"text","text":"Greet."}]},{"role":"assistant","content":[{"type":"text","text":"Hello!"}]}`),
			`{"messages":[{"role":"assistant","reasoning_content":"Greet.","content":"Hello!"}]}`},
	})
}

func TestConvertToChatNamesEveryLoss(t *testing.T) {
	t.Parallel()
	checkRefused(t, document.FormatChatCompletions, []refusal{
		{"roles and blocks", document.Inputs, nativeDocument(`{"role":"reasoning","content":[{"type":"reasoning","text":"a"}]},` +
			`{"role":"assistant","content":[{"type":"server_tool_call","id":"s","name":"a","args":{}},{"type":"hologram"}]}`),
			[]string{"/messages/1/content/0", "/messages/1/content/1"}},
		{"extras at every level", document.Inputs,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a","extras":{"b":1,"a/b":2}}],"extras":{"c":3}}],"extras":{"d":4,"model":"m"}}`,
			[]string{"/extras/d", "/messages/0/content/0/extras/a~1b", "/messages/0/content/0/extras/b", "/messages/0/extras/c"}},
		{"media that parts can't say", document.Inputs, userDocument(`{"type":"image","id":"a"},{"type":"image","base64":"AAAA"},{"type":"image","url":"x","mime_type":"image/png"},` +
			`{"type":"audio","url":"x"},{"type":"audio","base64":"A","mime_type":"video/mp4"},{"type":"file","url":"x"},{"type":"image","url":"x","base64":"A","mime_type":"a;b"}`),
			[]string{
				"/messages/0/content/0", "/messages/0/content/1", "/messages/0/content/2/mime_type", "/messages/0/content/3",
				"/messages/0/content/4/mime_type", "/messages/0/content/5", "/messages/0/content/6",
			}},
		{"the order of content and calls", document.Inputs, nativeDocument(`{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"a","args":{}},{"type":"text","text":"a"}]}`),
			[]string{"/messages/0/content/1"}},
		{"the order of content and audio", document.Inputs, nativeDocument(`{"role":"assistant","content":[{"type":"audio","id":"a"},{"type":"text","text":"a"}]}`),
			[]string{"/messages/0/content/1"}},
		{"the order of calls and audio", document.Inputs, nativeDocument(`{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"a","args":{}},{"type":"audio","id":"a"}]}`),
			[]string{"/messages/0/content/1"}},
		{"two audios", document.Inputs, nativeDocument(`{"role":"assistant","content":[{"type":"audio","id":"a"},{"type":"audio","id":"b"}]}`),
			[]string{"/messages/0/content/1"}},
		{"two IDs of a file", document.Inputs, userDocument(`{"type":"file","id":"a","extras":{"file":{"file_id":{"b":1}}}}`),
			[]string{"/messages/0/content/0/extras/file"}},
		{"calls of others", document.Inputs, nativeDocument(`{"role":"user","content":[{"type":"tool_call","id":"c","args":{}}]},` +
			`{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"b","args":{},"extras":{"x":1,"function":{"name":"a"}}}]}`),
			[]string{"/messages/0/content/0", "/messages/1/content/0/extras/x", "/messages/1/content/0/extras/function"}},
		{"what calls of custom tools and answered audio can't say", document.Inputs, nativeDocument(`{"role":"assistant","content":[` +
			`{"type":"audio","id":"a","mime_type":"audio/wav"},` +
			`{"type":"tool_call","id":"c","name":"a","args":{},"extras":{"type":"custom","custom":{"name":"a","input":"x"}}}]}`),
			[]string{"/messages/0/content/0/mime_type", "/messages/0/content/1/args", "/messages/0/content/1/extras/custom"}},
		{"annotations of one text among several", document.Inputs, userDocument(`{"type":"text","text":"a","annotations":[{}]},{"type":"text","text":"b"}`),
			[]string{"/messages/0/content/0/annotations"}},
		{"tools of the framework", document.Inputs, `{"messages":[[{"lc":1,"id":["HumanMessage"],"kwargs":{"content":"Hi","id":"m"}}]],"tools":[1]}`,
			[]string{"/extras/tools"}},
		{"what follows reasoning that was moved", document.Inputs, afterReasoning, []string{"/messages/1/content/1", "/messages/2/extras/x"}},
		{"two usages, of which an answer has one", document.Outputs,
			`{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"}],"usage_metadata":{"input_tokens":1}}],"extras":{"usage_metadata":{"input_tokens":2}}}`,
			[]string{"/extras/usage_metadata"}},
	})
}

func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, from string
		to         document.Format
		want       string
	}{
		{"no JSON", `{`, document.FormatNative, "not JSON at byte 1"},
		{"no UTF-8", "\"\xff\"", document.FormatNative, "not UTF-8"},
		{"an unrecognized document", `{"a":1}`, document.FormatChatCompletions, "not recognized"},
		{"the framework", `{"messages":[]}`, document.FormatFramework, "not supported"},
		{"an unknown format", `{"messages":[]}`, "yaml", `"yaml"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := Convert([]byte(c.from), document.Inputs, c.to)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("converted to %s, error = %v; want %q", out, err, c.want)
			}
		})
	}
}

// TestBuildChatSaysWhyAnAnswerEnded converts stop reasons of the messages format, some of which chat completions doesn't have.
func TestBuildChatSaysWhyAnAnswerEnded(t *testing.T) {
	t.Parallel()
	text := "a"
	for reason, want := range map[string]string{
		"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter", "pause_turn": "",
	} {
		d := &document.Document{
			Format: document.FormatMessages, Side: document.Outputs, Shape: document.ShapeBare, Extras: document.Extras{"stop_reason": rawjson.Quote(reason), "id": rawjson.Quote("msg_1")},
			Messages: []document.Message{{Role: document.RoleAssistant, Content: []document.Block{{Type: document.BlockText, Text: &text}}}},
		}
		got, dropped, err := Build(d, document.FormatChatCompletions, false)
		assert.Must(t, err)
		wanted := `{"choices":[{"finish_reason":"` + want + `","message":{"role":"assistant","content":"a"}}],"id":"msg_1"}`
		if want == "" {
			wanted = `{"choices":[{"message":{"role":"assistant","content":"a"}}],"id":"msg_1"}`
		}
		if lists := slices.Equal(dropped, []string{"/extras/stop_reason"}); lists != (want == "") {
			t.Errorf("%s: dropped = %q, want the stop reason only if chat completions has no word for it", reason, dropped)
		}
		assert.Same(t, reason, decoded(t, []byte(wanted)), decoded(t, got))
	}
}

// Convert reads the inputs or outputs of a run in any format, and writes them in another.
func Convert(data []byte, side document.Side, to document.Format) ([]byte, error) {
	d, err := Normalize(data, side)
	if err != nil {
		return nil, err
	}
	built, _, err := Build(d, to, false)
	return built, err
}
