package message

import (
	"encoding/json"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// readChat reads one message of a chat-completions request.
func readChat(t *testing.T, message string) *document.Document {
	t.Helper()
	d, ok := readAs(document.NewSource([]byte(`{"messages":[`+message+`]}`), document.Inputs), document.FormatChatCompletions)
	if !ok {
		t.Fatalf("%s can't be read as a message", message)
	}
	return d
}

// TestChatWritings reads messages that are written in different ways and mean the same.
func TestChatWritings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		normal   string
		messages []string
	}{
		{`{"role":"user","content":[{"type":"text","text":"a"}]}`, []string{
			`{"role":"user","content":"a"}`, `{"role":"user","content":[{"type":"text","text":"a"}]}`,
		}},
		{`{"role":"system","content":[{"type":"text","text":"a"}]}`, []string{
			`{"role":"system","content":"a"}`, `{"role":"developer","content":"a"}`,
		}},
		{`{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"f","args":{"a":1}}]}`, []string{
			`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`,
			`{"role":"assistant","content":[],"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}}]}`,
			`{"role":"assistant","tool_calls":[{"id":"c","name":"f","args":{"a":1}}]}`,
			`{"role":"assistant","tool_calls":[{"id":"c","type":"tool_call","name":"f","args":{"a":1}}]}`,
		}},
		{`{"role":"assistant","content":[{"type":"tool_call","name":"f","args":{}}]}`, []string{
			`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`,
			`{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		}},
		{`{"role":"user","content":[{"type":"image","base64":"A","mime_type":"image/png"}]}`, []string{
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,A"}}]}`,
			`{"role":"user","content":[{"type":"image_url","image_url":"data:image/png;base64,A"}]}`,
			`{"role":"user","content":[{"type":"image","base64":"A","mime_type":"image/png"}]}`,
		}},
		{`{"role":"user","content":[{"type":"image","url":"data:image/svg+xml;utf8,A"}]}`, []string{
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/svg+xml;utf8,A"}}]}`,
		}},
		{`{"role":"user","content":[{"type":"text","text":"a","extras":{"b":1}}]}`, []string{
			`{"role":"user","content":[{"type":"text","text":"a","b":1}]}`,
		}},
	} {
		for _, text := range c.messages {
			want := canonical([]byte(`{"messages":[` + c.normal + `],"extras":{}}`))
			assert.Same(t, "normal form of "+text, want, canonical(readChat(t, text).Native()))
		}
	}
}

// TestChatArguments checks that arguments, which are a string, keep every byte, whether it contains a JSON object or not.
func TestChatArguments(t *testing.T) {
	t.Parallel()
	for arguments, args := range map[string]string{
		`{}`: `{}`, `{"a": 1.0,  "a": 2}`: `{"a": 1.0,  "a": 2}`, " {}\n": " {}\n",
		``: ``, `[1]`: ``, `null`: ``, `{"a":`: ``, `plain words`: ``, `"{}"`: ``,
	} {
		function := rawjson.Of("name", rawjson.Quote("f")).With("arguments", rawjson.Quote(arguments))
		message := rawjson.Of("role", rawjson.Quote("assistant")).With("content", json.RawMessage("null")).With("tool_calls", rawjson.EncodeArray([]json.RawMessage{
			rawjson.Of("id", rawjson.Quote("c")).With("type", rawjson.Quote("function")).With("function", function.Encode()).Encode(),
		}))
		d := readChat(t, string(message.Encode()))
		b := d.Messages[0].Content[0]
		if string(b.Args) != args {
			t.Errorf("%q: args = %q, want %q", arguments, b.Args, args)
		}
		kept := b.Extras["function"] != nil
		if kept != (args == "") {
			t.Errorf("%q: extras = %s, want the text kept there only if the args don't have it", arguments, b.Extras)
		}
		d.Format = document.FormatNative
		built, _, err := Build(d, document.FormatChatCompletions, false)
		assert.Must(t, err)
		assert.Same(t, "built from the normal form", `{"messages":[`+string(message.Encode())+`]}`, string(built))
	}
}
