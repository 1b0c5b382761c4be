package message

import (
	"bytes"
	"slices"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestLossyConversion converts what the target can't express: it is left out and listed.
func TestLossyConversion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, from string
		side       document.Side
		to         document.Format
		want       string
		dropped    []string
	}{
		{"a setting and a tool", chatRequest(`"seed":1,"stop":["a"],"tools":[` + chatTool + `,{"type":"custom","custom":{"name":"c"}}]`), document.Inputs, document.FormatMessages,
			chatRequest(`"stop_sequences":["a"],"tools":[` + messagesTool + `]`), []string{"/extras/tools/1", "/extras/seed"}},
		{"tools that no other format has", `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}],"tool_choice":"auto"}`, document.Inputs,
			document.FormatChatCompletions, `{"messages":[{"role":"user","content":"Hi"}]}`, []string{"/extras/tools/0", "/extras/tool_choice"}},
		{"blocks, and a message without any other", nativeDocument(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"hologram"}]},` +
			`{"role":"assistant","content":[{"type":"server_tool_call","id":"s","name":"n","args":{}}]},{"role":"user","content":[{"type":"text","text":"b"}]}`),
			document.Inputs, document.FormatChatCompletions, `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`,
			[]string{"/messages/0/content/1", "/messages/1/content/0", "/messages/1"}},
		{"the answer of a tool stays", nativeDocument(`{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"f","args":{}}]},` +
			`{"role":"tool","tool_call_id":"c","content":[{"type":"hologram"}]}`), document.Inputs, document.FormatChatCompletions,
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"c","content":[]}]}`, []string{"/messages/1/content/0"}},
		{"media without a source", userDocument(`{"type":"text","text":"a"},{"type":"image","id":"i"},{"type":"image","url":"u","mime_type":"image/png"}`), document.Inputs, document.FormatChatCompletions,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]}]}`,
			[]string{"/messages/0/content/1", "/messages/0/content/2/mime_type"}},
		{"a role", nativeDocument(`{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"system","content":[{"type":"text","text":"b"}]}`), document.Inputs, document.FormatMessages,
			`{"messages":[{"role":"user","content":"a"}]}`, []string{"/messages/1"}},
		{"a role and content", nativeDocument(`{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"system","usage_metadata":{"input_tokens":1}}`), document.Inputs, document.FormatMessages,
			`{"messages":[{"role":"user","content":"a"}]}`, []string{"/messages/1"}},
		{"alternatives", `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"}},{"index":1,"message":{"role":"assistant","content":"b"}}]}`, document.Outputs, document.FormatMessages,
			`{"role":"assistant","content":[{"type":"text","text":"a"}]}`, []string{"/messages/0/extras/choice", "/messages/1/extras/choice", "/messages/1"}},
		{"extras at every level", `{"messages":[{"role":"user","content":[{"type":"text","text":"a","extras":{"b":1,"index":3,"logprobs":[1]}}],"extras":{"c":3}}],"extras":{"d":4,"model":"m"}}`, document.Inputs, document.FormatResponses,
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}]}`,
			[]string{"/extras/d", "/messages/0/content/0/extras/b", "/messages/0/content/0/extras/index", "/messages/0/content/0/extras/logprobs", "/messages/0/extras/c"}},
		{"annotations after reasoning", nativeDocument(`{"role":"reasoning","content":[{"type":"reasoning","text":"r"}]},` +
			`{"role":"assistant","content":[{"type":"text","text":"a","annotations":[{"type":"url_citation"}]}]}`), document.Inputs, document.FormatMessages,
			`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"r"},{"type":"text","text":"a"}]}]}`, []string{"/messages/1/content/0/annotations"}},
		{"nothing is left", nativeDocument(`{"role":"user","content":[{"type":"hologram"}]}`), document.Inputs, document.FormatResponses, `{"input":[]}`,
			[]string{"/messages/0/content/0", "/messages/0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := normalized(t, []byte(c.from), c.side)
			if built, _, err := Build(d, c.to, false); err == nil {
				t.Errorf("the conversion isn't lossy: %s", built)
			}
			got, dropped, err := Build(d, c.to, true)
			assert.Must(t, err)
			assert.Same(t, "document", decoded(t, []byte(c.want)), decoded(t, got))
			assert.Same(t, "dropped", c.dropped, dropped)
		})
	}
}

// checkLossy checks that a document of a known format can be converted to every format, that a conversion which loses nothing is the
// same either way, and that the result can be converted to the format itself without a loss.
func checkLossy(t *testing.T, d *document.Document) {
	t.Helper()
	if d.Format == document.FormatUnrecognized {
		return
	}
	for _, to := range writtenFormats {
		if to == d.Format {
			continue // It is returned as it was read.
		}
		whole, _, failed := Build(d, to, false)
		built, dropped, err := Build(d, to, true)
		if err != nil {
			t.Fatalf("%s to %s: %v", d.Source, to, err)
		}
		if failed == nil && !bytes.Equal(whole, built) {
			t.Fatalf("%s to %s: without loss %s, lossy %s", d.Source, to, whole, built)
		}
		if failed != nil && len(dropped) == 0 && len(d.Messages) > 0 {
			t.Fatalf("%s to %s: nothing was dropped, in spite of %v", d.Source, to, failed)
		}
		if slices.Contains(dropped, "") {
			t.Fatalf("%s to %s: the whole document was dropped: %s", d.Source, to, dropped)
		}
		if _, ok := readAs(document.NewSource(built, d.Side), to); !ok {
			t.Fatalf("%s can't be read as %s", built, to)
		}
	}
}
