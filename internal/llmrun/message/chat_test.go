package message

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// TestChatKeepsItsWriting checks that documents with the same normal form, but written in different ways, are built back as they were.
func TestChatKeepsItsWriting(t *testing.T) {
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
			m := parseChatMessage(json.RawMessage(text), false)
			plain := withoutLayout(&m)
			if diff := cmp.Diff(canonical([]byte(c.normal)), canonical(buildNativeMessage(&plain))); diff != "" {
				t.Errorf("normal form of %s (-want +got):\n%s", text, diff)
			}
			if diff := cmp.Diff(canonical([]byte(text)), canonical(buildChatMessage(&m))); diff != "" {
				t.Errorf("built back (-want +got):\n%s", diff)
			}
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
		text := rawjson.Of("id", rawjson.Quote("c")).With("type", rawjson.Quote("function")).With("function", rawjson.Of("name", rawjson.Quote("f")).With("arguments", rawjson.Quote(arguments)).Encode()).Encode()
		b := parseCall(text, callFunction)
		if string(b.Args) != args {
			t.Errorf("%q: args = %q, want %q", arguments, b.Args, args)
		}
		kept := b.Extras["function"] != nil
		if kept != (args == "") {
			t.Errorf("%q: extras = %s, want the text kept there only if the args don't have it", arguments, b.Extras)
		}
		if diff := cmp.Diff(string(text), string(buildCall(&b, callFunction))); diff != "" {
			t.Errorf("built back (-want +got):\n%s", diff)
		}
	}
}

// TestBuildChatByHand builds a document that was written by hand, without the extras that Normalize adds.
func TestBuildChatByHand(t *testing.T) {
	t.Parallel()
	text, name, id := "a", "f", "c"
	d := &Document{Format: FormatChatCompletions, Shape: shapeMessages, Messages: []Message{
		{Role: RoleUser, Content: []Block{{Type: BlockText, Text: &text}}},
		{Role: RoleAssistant, Content: []Block{{Type: BlockToolCall, ID: &id, Name: &name, Args: json.RawMessage(`{}`)}}},
		{Role: RoleTool, ToolCallID: &id, Content: []Block{{Type: BlockText, Text: &text}, {Type: BlockReasoning, Text: &text}}},
	}}
	got, _, err := d.Build(FormatChatCompletions)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"messages":[{"role":"user","content":"a"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"a"},{"type":"reasoning","text":"a"}]}]}`
	if diff := cmp.Diff(decoded(t, []byte(want)), decoded(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
