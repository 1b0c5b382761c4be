package envelope

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// TestEnvelope tests every shape: its name, its messages, their pointers, and the members next to them.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	const a, b = `{"role":"assistant","content":"a"}`, `{"role":"assistant","content":"b"}`
	for _, c := range []struct {
		name, doc string
		side      document.Side
		shape     string
		messages  []string
		bases     []string
		rest      []string
	}{
		{"messages", `{"messages":[` + a + `,` + b + `],"model":"m"}`, document.Inputs, "messages", []string{a, b}, []string{"/messages/0", "/messages/1"}, []string{"model"}},
		{"messages as outputs", `{"messages":[{}]}`, document.Outputs, "messages", []string{`{}`}, []string{"/messages/0"}, nil},
		{"list", `[` + a + `]`, document.Inputs, "list", []string{a}, []string{"/0"}, nil},
		{"choices", `{"id":1,"choices":[{"index":0,"message":` + a + `}]}`, document.Outputs, "choices", []string{a}, []string{"/choices/0/message"}, []string{"id"}},
		{"choices before messages", `{"choices":[{"message":` + a + `}],"messages":[]}`, document.Outputs, "choices", []string{a}, []string{"/choices/0/message"}, []string{"messages"}},
		{"no choices", `{"choices":[]}`, document.Outputs, "choices", nil, nil, nil},
		{"completion", `{"choices":[{"text":"a"}]}`, document.Outputs, "completion", []string{a}, []string{"/choices/0"}, nil},
		{"message", `{"message":` + a + `,"done":true}`, document.Outputs, "message", []string{a}, []string{"/message"}, []string{"done"}},
		{"bare", a, document.Outputs, "bare", []string{a}, []string{""}, nil},
		{"bare with more", `{"id":1,"role":"assistant","content":"a"}`, document.Outputs, "bare", []string{a}, []string{""}, []string{"id"}},
		{"pair", `["assistant","a"]`, document.Outputs, "pair", []string{a}, []string{""}, nil},
		{"prompt", `{"prompt":"a","n":1}`, document.Inputs, "prompt", []string{`{"role":"user","content":"a"}`}, []string{""}, []string{"n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, ok := Open(document.NewSource(json.RawMessage(c.doc), c.side))
			if !ok {
				t.Fatal("the document isn't recognized as an envelope")
			}
			var messages, bases, rest []string
			for i, raw := range e.Messages {
				messages = append(messages, string(raw))
				bases = append(bases, e.Place("", i).Base)
			}
			for _, m := range rawjson.Object(nil).WithAll(e.Rest) {
				rest = append(rest, m.Key)
			}
			assert.Same(t, "shape", c.shape, e.Shape)
			for what, diff := range map[string]string{
				"messages": cmp.Diff(c.messages, messages), "places": cmp.Diff(c.bases, bases), "rest": cmp.Diff(c.rest, rest),
			} {
				if diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

func TestNoEnvelope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, doc string
		side      document.Side
	}{
		{"a text", `"a"`, document.Inputs},
		{"an empty list", `[]`, document.Inputs},
		{"an empty object", `{}`, document.Outputs},
		{"a list of something else", `[{"role":"user","content":"a"},{},{}]`, document.Inputs},
		{"messages that are none", `{"messages":[1]}`, document.Inputs},
		{"choices of two kinds", `{"choices":[{"text":"a"},{"message":{"role":"user","content":"a"}}]}`, document.Outputs},
		{"a choice that is none", `{"choices":[1]}`, document.Outputs},
		{"a choice without a message", `{"choices":[{"delta":{"content":"a"}}]}`, document.Outputs},
		{"a message without a role", `{"message":{"content":"a"}}`, document.Outputs},
		{"a role without anything said", `{"role":"user"}`, document.Outputs},
		{"a pair that is no message", `["a","b"]`, document.Outputs},
		{"three values", `["user","a","b"]`, document.Outputs},
		{"wrapped twice", `{"output":{"output":["user","a"]}}`, document.Outputs},
		{"an object under a name", `{"a":{"messages":[]}}`, document.Inputs},
		{"a prompt of tokens", `{"prompt":[1,2]}`, document.Inputs},
		{"a prompt as outputs", `{"prompt":"a"}`, document.Outputs},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if e, ok := Open(document.NewSource(json.RawMessage(c.doc), c.side)); ok {
				t.Errorf("read as shape %s, want none", e.Shape)
			}
		})
	}
}
