package message

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestNormalizeArguments checks that the first of several arguments is read as the request, and the others are kept.
func TestNormalizeArguments(t *testing.T) {
	t.Parallel()
	raw := `{"args":[{"model":"m","messages":[{"role":"user","content":"Hi"}]},{"headers":{"a":"b"}}]}`
	d, err := Normalize([]byte(raw), Inputs)
	if err != nil {
		t.Fatal(err)
	}
	if d.Format != FormatChatCompletions || len(d.Messages) != 1 || *d.Messages[0].Content[0].Text != "Hi" {
		t.Errorf("format = %s, messages = %+v; want chat completions with one message", d.Format, d.Messages)
	}
	want := Extras{"model": json.RawMessage(`"m"`), "args": json.RawMessage(`[{"headers":{"a":"b"}}]`)}
	if diff := cmp.Diff(want, d.Extras); diff != "" {
		t.Errorf("extras (-want +got):\n%s", diff)
	}
	if built, _, err := Build(d, FormatChatCompletions); err != nil || string(built) != raw {
		t.Errorf("built %s, %v; want the original document", built, err)
	}
	for _, other := range []string{`{"args":[1,{}]}`, `{"args":[{"a":1},{}]}`, `{"args":[]}`} {
		if d, err := Normalize([]byte(other), Inputs); err != nil || d.Format != FormatUnrecognized {
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
		side      Side
		want      Format
	}{
		{"the normal form", `{"messages":[{"role":"user","content":"a"}],"extras":{}}`, Inputs, FormatNative},
		{"a text as a string", message(`"a"`), Inputs, FormatChatCompletions},
		{"a text in a list", message(`[{"type":"text","text":"a"}]`), Inputs, FormatNative},
		{"no messages", `{"messages":[]}`, Inputs, FormatNative},
		{"no messages, but a model", `{"messages":[],"model":"m"}`, Inputs, FormatChatCompletions},
		{"an image by url", message(`[{"type":"image","url":"a"}]`), Inputs, FormatNative},
		{"an image_url", message(`[{"type":"image_url","image_url":{"url":"a"}}]`), Inputs, FormatChatCompletions},
		{"an image's source", message(`[{"type":"image","source":{"type":"url","url":"a"}}]`), Inputs, FormatMessages},
		{"a nested file", message(`[{"type":"file","file":{"file_id":"a"}}]`), Inputs, FormatChatCompletions},
		{"a file", message(`[{"type":"file","id":"a"}]`), Inputs, FormatNative},
		{"a tool's use", message(`[{"type":"tool_use","id":"a"}]`), Inputs, FormatMessages},
		{"a tool's result", message(`[{"type":"tool_result","tool_use_id":"a"}]`), Inputs, FormatMessages},
		{"a server tool's result", message(`[{"type":"web_search_tool_result"}]`), Inputs, FormatMessages},
		{"a native server tool's result", message(`[{"type":"server_tool_result"}]`), Inputs, FormatNative},
		{"a cached text", message(`[{"type":"text","text":"a","cache_control":{}}]`), Inputs, FormatMessages},
		{"a system prompt beside strings", `{"system":"s","messages":[{"role":"user","content":"a"}]}`, Inputs, FormatMessages},
		{"function calls", `{"messages":[{"role":"assistant","tool_calls":[{"function":{}}]}]}`, Inputs, FormatChatCompletions},
		{"native calls", `{"messages":[{"role":"assistant","tool_calls":[{"args":{}}]}]}`, Inputs, FormatNative},
		{"role developer", `{"messages":[{"role":"developer","content":[{"type":"text","text":"a"}]}]}`, Inputs, FormatChatCompletions},
		{"role reasoning", `{"messages":[{"role":"reasoning","content":"a"}]}`, Inputs, FormatNative},
		{"an input text", `{"input":"a"}`, Inputs, FormatResponses},
		{"an input text beside messages", `{"input":"a","messages":[{"role":"user","content":"b"}]}`, Inputs, FormatChatCompletions},
		{"an input of nothing, and a model", `{"input":[],"model":"m"}`, Inputs, FormatUnrecognized},
		{"an input of numbers, and a model", `{"input":[7],"model":"m"}`, Inputs, FormatUnrecognized},
		{"typed messages as an input, and a model", `{"input":[{"type":"human","content":"a"}],"model":"m"}`, Inputs, FormatUnrecognized},
		{"input messages alone", `{"input":[{"role":"user","content":"a"}]}`, Inputs, FormatChatCompletions},
		{"input messages and a model", `{"input":[{"role":"user","content":"a"}],"model":"m"}`, Inputs, FormatResponses},
		{"input items", `{"input":[{"type":"function_call","name":"a"}]}`, Inputs, FormatResponses},
		{"input parts", `{"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]}]}`, Inputs, FormatResponses},
		{"output items", `{"output":[{"type":"message","role":"assistant","content":[]}]}`, Outputs, FormatResponses},
		{"an output pair", `{"output":["assistant","a"]}`, Outputs, FormatChatCompletions},
		{"a messages answer", `{"role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`, Outputs, FormatMessages},
		{"a messages answer in chat words", `{"role":"assistant","content":null,"tool_calls":[],"stop_reason":"tool_use"}`, Outputs, FormatChatCompletions},
		{"two words", `["good","morning"]`, Outputs, FormatUnrecognized},
		{"a pair as inputs", `["user","a"]`, Inputs, FormatUnrecognized},
		{"choices as inputs", `{"choices":[{"message":{"role":"user","content":"a"}}]}`, Inputs, FormatUnrecognized},
		{"two lists", `{"a":[{"role":"user","content":"a"}],"b":[]}`, Inputs, FormatUnrecognized},
		{"nested lists", `{"messages":[[{"role":"user","content":"a"}]]}`, Inputs, FormatFramework},
		{"typed messages", `{"messages":[{"type":"human","content":"a"}]}`, Inputs, FormatFramework},
		{"generations", `{"generations":[[{"text":"a"}]]}`, Outputs, FormatFramework},
		{"null", `null`, Inputs, FormatUnrecognized},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := detect(NewSource(json.RawMessage(c.doc), c.side)); got != c.want {
				t.Errorf("detect = %s, want %s", got, c.want)
			}
		})
	}
}

func TestNormalizeKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	const doc = `{"question": 12345678901234567890.10, "usage": {"total_tokens": 3}}`
	d, err := Normalize([]byte(doc), Inputs)
	if err != nil {
		t.Fatal(err)
	}
	want := &Document{Format: FormatUnrecognized, Extras: Extras{"raw": json.RawMessage(doc)}}
	if diff := cmp.Diff(want, d, cmpopts.IgnoreFields(Document{}, "Source")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	back, _, err := Build(d, FormatUnrecognized)
	if err != nil || string(back) != doc {
		t.Errorf("built back %s, %v; want the original document", back, err)
	}
}

// TestNormalizeKeepsDigits checks that numbers that a float64 can't represent, or would format differently, are kept unchanged.
func TestNormalizeKeepsDigits(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"0.10", "1e-6", "12345678901234567890", "1E400", "-0", "5.0"} {
		d, err := Normalize([]byte(`{"messages":[{"role":"assistant","content":[{"type":"tool_call","args":{"a":`+number+`}}],`+
			`"usage_metadata":{"total_cost":`+number+`}}],"temperature":`+number+`}`), Outputs)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{string(d.Messages[0].Content[0].Args), string(d.Messages[0].UsageMetadata), string(d.Extras["temperature"])}
		if diff := cmp.Diff([]string{`{"a":` + number + `}`, `{"total_cost":` + number + `}`, number}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", number, diff)
		}
		native := d.Native()
		want := `{"messages":[{"role":"assistant","content":[{"type":"tool_call","args":{"a":` + number + `}}],` +
			`"usage_metadata":{"total_cost":` + number + `}}],"extras":{"temperature":` + number + `}}`
		if diff := cmp.Diff(want, string(native)); diff != "" {
			t.Errorf("normal form of %s (-want +got):\n%s", number, diff)
		}
	}
}

// TestNormalizeRepeatedKeys checks that the last of several equal keys counts, as with encoding/json.
func TestNormalizeRepeatedKeys(t *testing.T) {
	t.Parallel()
	d, err := Normalize([]byte(`{"messages":[],"messages":[{"role":"user","role":"assistant","content":7,"content":"a"}]}`), Inputs)
	if err != nil {
		t.Fatal(err)
	}
	text := "a"
	want := []Message{{Role: RoleAssistant, Content: []Block{{Type: BlockText, Text: &text}}}}
	if diff := cmp.Diff(want, d.Messages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
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
		d, err := Normalize([]byte(doc), Outputs)
		if err != nil {
			t.Fatal(err)
		}
		if d.Format != FormatUnrecognized || string(d.Extras["raw"]) != doc {
			t.Errorf("%s was read as format %s with %s, want it unrecognized and kept whole", doc, d.Format, d.Extras)
		}
	}
}

// TestDeepNesting normalizes JSON as deep as encoding/json accepts.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	const depth = 9000
	args := strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth)
	d, err := Normalize([]byte(`{"messages":[{"role":"assistant","content":[{"type":"tool_call","args":`+args+`}]}]}`), Inputs)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(d.Messages[0].Content[0].Args); got != args {
		t.Errorf("args of %d bytes were read as %d bytes, want them unchanged", len(args), len(got))
	}
}
