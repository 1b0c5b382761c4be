package message

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestNormalizeArguments checks that the first of several arguments is read as the request, and the others are kept.
func TestNormalizeArguments(t *testing.T) {
	t.Parallel()
	raw := `{"args":[{"model":"m","messages":[{"role":"user","content":"Hi"}]},{"headers":{"a":"b"}}]}`
	d := normalized(t, []byte(raw), document.Inputs)
	if d.Format != document.FormatChatCompletions || len(d.Messages) != 1 || *d.Messages[0].Content[0].Text != "Hi" {
		t.Errorf("format = %s, messages = %+v; want chat completions with one message", d.Format, d.Messages)
	}
	want := document.Extras{"model": json.RawMessage(`"m"`), "args": json.RawMessage(`[{"headers":{"a":"b"}}]`)}
	assert.Same(t, "extras", want, d.Extras)
	if built, _, err := Build(d, document.FormatChatCompletions, false); err != nil || string(built) != raw {
		t.Errorf("built %s, %v; want the original document", built, err)
	}
	for _, other := range []string{`{"args":[1,{}]}`, `{"args":[{"a":1},{}]}`, `{"args":[]}`} {
		if d, err := Normalize([]byte(other), document.Inputs); err != nil || d.Format != document.FormatUnrecognized {
			t.Errorf("%s was read as format %s, %v; want it unrecognized", other, d.Format, err)
		}
	}
}

// TestDetect tests documents whose format doesn't follow from the shape alone.
func TestDetect(t *testing.T) {
	t.Parallel()
	message := func(content string) string { return `{"messages":[{"role":"user","content":` + content + `}]}` }
	for _, c := range []struct {
		name, doc string
		side      document.Side
		want      document.Format
	}{
		{"the normal form", `{"messages":[{"role":"user","content":"a"}],"extras":{}}`, document.Inputs, document.FormatNative},
		{"a text as a string", message(`"a"`), document.Inputs, document.FormatChatCompletions},
		{"a text in a list", message(`[{"type":"text","text":"a"}]`), document.Inputs, document.FormatChatCompletions},
		{"a text in a list beside extras", message(`[{"type":"text","text":"a","extras":{}}]`), document.Inputs, document.FormatNative},
		{"a text in a list of a traced message", `{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"}],"usage_metadata":{}}]}`, document.Outputs, document.FormatNative},
		{"no messages", `{"messages":[]}`, document.Inputs, document.FormatChatCompletions},
		{"no messages, but a model", `{"messages":[],"model":"m"}`, document.Inputs, document.FormatChatCompletions},
		{"an image by url", message(`[{"type":"image","url":"a"}]`), document.Inputs, document.FormatNative},
		{"an image_url", message(`[{"type":"image_url","image_url":{"url":"a"}}]`), document.Inputs, document.FormatChatCompletions},
		{"an image's source", message(`[{"type":"image","source":{"type":"url","url":"a"}}]`), document.Inputs, document.FormatMessages},
		{"a nested file", message(`[{"type":"file","file":{"file_id":"a"}}]`), document.Inputs, document.FormatChatCompletions},
		{"a file", message(`[{"type":"file","id":"a"}]`), document.Inputs, document.FormatNative},
		{"a tool's use", message(`[{"type":"tool_use","id":"a"}]`), document.Inputs, document.FormatMessages},
		{"a tool's result", message(`[{"type":"tool_result","tool_use_id":"a"}]`), document.Inputs, document.FormatMessages},
		{"a server tool's result", message(`[{"type":"web_search_tool_result"}]`), document.Inputs, document.FormatMessages},
		{"a native server tool's result", message(`[{"type":"server_tool_result"}]`), document.Inputs, document.FormatNative},
		{"a cached text", message(`[{"type":"text","text":"a","cache_control":{}}]`), document.Inputs, document.FormatMessages},
		{"a system prompt beside strings", `{"system":"s","messages":[{"role":"user","content":"a"}]}`, document.Inputs, document.FormatMessages},
		{"function calls", `{"messages":[{"role":"assistant","tool_calls":[{"function":{}}]}]}`, document.Inputs, document.FormatChatCompletions},
		{"native calls", `{"messages":[{"role":"assistant","tool_calls":[{"args":{}}]}]}`, document.Inputs, document.FormatNative},
		{"role developer", `{"messages":[{"role":"developer","content":[{"type":"text","text":"a"}]}]}`, document.Inputs, document.FormatChatCompletions},
		{"role reasoning", `{"messages":[{"role":"reasoning","content":"a"}]}`, document.Inputs, document.FormatNative},
		{"an input text", `{"input":"a"}`, document.Inputs, document.FormatResponses},
		{"an input text beside messages", `{"input":"a","messages":[{"role":"user","content":"b"}]}`, document.Inputs, document.FormatChatCompletions},
		{"an input of nothing, and a model", `{"input":[],"model":"m"}`, document.Inputs, document.FormatUnrecognized},
		{"an input of numbers, and a model", `{"input":[7],"model":"m"}`, document.Inputs, document.FormatUnrecognized},
		{"typed messages as an input, and a model", `{"input":[{"type":"human","content":"a"}],"model":"m"}`, document.Inputs, document.FormatUnrecognized},
		{"input messages and a model", `{"input":[{"role":"user","content":"a"}],"model":"m"}`, document.Inputs, document.FormatResponses},
		{"input items", `{"input":[{"type":"function_call","name":"a"}]}`, document.Inputs, document.FormatResponses},
		{"input parts", `{"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]}]}`, document.Inputs, document.FormatResponses},
		{"output items", `{"output":[{"type":"message","role":"assistant","content":[]}]}`, document.Outputs, document.FormatResponses},
		{"a messages answer", `{"role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`, document.Outputs, document.FormatMessages},
		{"a messages answer in chat words", `{"role":"assistant","content":null,"tool_calls":[],"stop_reason":"tool_use"}`, document.Outputs, document.FormatChatCompletions},
		{"two words", `["good","morning"]`, document.Outputs, document.FormatUnrecognized},
		{"a pair as inputs", `["user","a"]`, document.Inputs, document.FormatUnrecognized},
		{"choices as inputs", `{"choices":[{"message":{"role":"user","content":"a"}}]}`, document.Inputs, document.FormatUnrecognized},
		{"two lists", `{"a":[{"role":"user","content":"a"}],"b":[]}`, document.Inputs, document.FormatUnrecognized},
		{"nested lists", `{"messages":[[{"role":"user","content":"a"}]]}`, document.Inputs, document.FormatFramework},
		{"typed messages", `{"messages":[{"type":"human","content":"a"}]}`, document.Inputs, document.FormatFramework},
		{"generations", `{"generations":[[{"text":"a"}]]}`, document.Outputs, document.FormatFramework},
		{"null", `null`, document.Inputs, document.FormatUnrecognized},
	} {
		assert.Same(t, c.name, c.want, detect(document.NewSource(json.RawMessage(c.doc), c.side)))
	}
}

func TestNormalizeKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	const doc = `{"question": 12345678901234567890.10, "usage": {"total_tokens": 3}}`
	d := normalized(t, []byte(doc), document.Inputs)
	want := &document.Document{Format: document.FormatUnrecognized, Extras: document.Extras{"raw": json.RawMessage(doc)}}
	assert.Same(t, "document", want, d, cmpopts.IgnoreFields(document.Document{}, "Source"), cmpopts.IgnoreUnexported(document.Document{}))
	back, _, err := Build(d, document.FormatUnrecognized, false)
	if err != nil || string(back) != doc {
		t.Errorf("built back %s, %v; want the original document", back, err)
	}
}

// TestNormalizeKeepsDigits checks that numbers that a float64 can't represent, or would format differently, are kept unchanged.
func TestNormalizeKeepsDigits(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"0.10", "1e-6", "12345678901234567890", "1E400", "-0", "5.0"} {
		d, err := Normalize([]byte(`{"messages":[{"role":"assistant","content":[{"type":"tool_call","args":{"a":`+number+`}}],`+
			`"usage_metadata":{"total_cost":`+number+`}}],"temperature":`+number+`}`), document.Outputs)
		assert.Must(t, err)
		got := []string{string(d.Messages[0].Content[0].Args), string(d.Messages[0].UsageMetadata), string(d.Extras["temperature"])}
		assert.Same(t, number, []string{`{"a":` + number + `}`, `{"total_cost":` + number + `}`, number}, got)
		native := d.Native()
		want := `{"messages":[{"role":"assistant","content":[{"type":"tool_call","args":{"a":` + number + `}}],` +
			`"usage_metadata":{"total_cost":` + number + `}}],"extras":{"temperature":` + number + `}}`
		assert.Same(t, "normal form of "+number, want, string(native))
	}
}

// TestNormalizeKeepsAnswers checks that neither an answer of a tool nor its ID takes the place of another.
func TestNormalizeKeepsAnswers(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string][]string{
		`{"messages":[{"role":"tool","content":[{"type":"tool-result","toolName":"lost"},{"type":"tool-result","toolCallId":"c2","result":[1]}]}]}`: {"lost", "c2"},
		`{"messages":[{"role":"tool","blocks":[{"block_type":"text","text":"a"},{"id":"c1","response":"b","type":"tool_call_response"}],` +
			`"additional_kwargs":{"tool_call_id":"c2"}}]}`: {"c1", "c2"},
		`{"messages":[{"role":"tool","blocks":[{"id":"c1","response":"b","type":"tool_call_response"},{"block_type":"text","text":"a"}],` +
			`"additional_kwargs":{"tool_call_id":"c2"}}]}`: {"c1", "c2"},
	} {
		d, err := Normalize([]byte(doc), document.Inputs)
		if err != nil || d.Format == document.FormatUnrecognized {
			t.Fatalf("format = %s, %v; want a recognized one: %s", d.Format, err, doc)
		}
		for _, text := range want {
			if !strings.Contains(string(d.Native()), `"`+text+`"`) {
				t.Errorf("%s lacks %s of %s", d.Native(), text, doc)
			}
		}
	}
}

// TestNormalizeRepeatedKeys checks that the last of several equal keys counts, as with encoding/json.
func TestNormalizeRepeatedKeys(t *testing.T) {
	t.Parallel()
	d := normalized(t, []byte(`{"messages":[],"messages":[{"role":"user","role":"assistant","content":7,"content":"a"}]}`), document.Inputs)
	text := "a"
	want := []document.Message{{Role: document.RoleAssistant, Content: []document.Block{{Type: document.BlockText, Text: &text}}}}
	assert.Same(t, "messages", want, d.Messages)
}

// TestNormalizeTakenKeys checks that nothing is overwritten if a document uses a key that a shape needs for the members next to
// a message.
func TestNormalizeTakenKeys(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{"choices":[{"index":0,"message":{"role":"assistant","content":"a","choice":1}}]}`,
		`{"generations":[[{"text":"a","message":{"lc":1,"id":["AIMessage"],"kwargs":{"content":"a","generation":1}}}]]}`,
		`{"messages":[[{"role":"user","content":"a"}]],"lists":[1]}`,
	} {
		d := normalized(t, []byte(doc), document.Outputs)
		if d.Format != document.FormatUnrecognized || string(d.Extras["raw"]) != doc {
			t.Errorf("%s was read as format %s with %s, want it unrecognized and kept whole", doc, d.Format, d.Extras)
		}
	}
}

// TestDeepNesting normalizes JSON as deep as encoding/json accepts.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	const depth = 9000
	args := strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth)
	d := normalized(t, []byte(`{"messages":[{"role":"assistant","content":[{"type":"tool_call","args":`+args+`}]}]}`), document.Inputs)
	if got := string(d.Messages[0].Content[0].Args); got != args {
		t.Errorf("args of %d bytes were read as %d bytes, want them unchanged", len(args), len(got))
	}
}

// TestWrapped reads messages that a client has put under a key of its own. What stands beside them, and beside the key, becomes extras.
func TestWrapped(t *testing.T) {
	t.Parallel()
	const a = `{"role":"assistant","content":7}`
	for doc, want := range map[string]string{
		`{"input":[` + a + `]}`: "inputs input.list /input/0", `{"a/b":[` + a + `],"n":1}`: "inputs a/b.list /a~1b/0 n", `{"a.b":[` + a + `]}`: "inputs a.b.list /a.b/0",
		`{"outputs":[` + a + `,` + a + `]}`: "outputs outputs.list /outputs/0 /outputs/1", `{"output":["assistant",7],"n":1}`: "outputs output.pair /output/1 n",
		`{"output":{"choices":[{"message":` + a + `}],"id":1},"n":1}`:       "outputs output.choices /output/choices/0/message id n",
		`{"outputs":["assistant",7],"usage_metadata":{"input_tokens":"x"}}`: "outputs outputs.pair /outputs/1 /usage_metadata/input_tokens",
	} {
		name, _, _ := strings.Cut(want, " ")
		side := map[string]document.Side{"inputs": document.Inputs, "outputs": document.Outputs}[name]
		d := normalized(t, []byte(doc), side)
		got := []string{name, d.Shape}
		for _, p := range ValidateRead(d) { // Content that is a number is a problem of each message.
			got = append(got, strings.TrimSuffix(p.Pointer, "/content"))
		}
		if got := strings.Join(append(got, slices.Sorted(maps.Keys(d.Extras))...), " "); got != want || d.Format != document.FormatChatCompletions {
			t.Errorf("%s = %s %s, want %s", doc, d.Format, got, want)
		}
	}
}
