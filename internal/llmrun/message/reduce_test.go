package message

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// streamed are the formats of streams. The names of cases begin with them.
var streamed = []Format{FormatChatCompletions, FormatMessages, FormatResponses}

// reduction is a stream and the answer it adds up to, both written by hand.
type reduction struct {
	name   string
	format Format
	chunks []json.RawMessage
	answer json.RawMessage
}

func reductions(t testing.TB) []reduction {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "reduce", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("found no cases: %v", err)
	}
	var all []reduction
	for _, path := range paths {
		var c struct {
			Chunks []json.RawMessage `json:"chunks"`
			Answer json.RawMessage   `json:"answer"`
		}
		if err := json.Unmarshal(readFile(t, path), &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		r := reduction{name: strings.TrimSuffix(filepath.Base(path), ".json"), chunks: c.Chunks, answer: c.Answer}
		for _, format := range streamed {
			if strings.HasPrefix(r.name, string(format)+"_") {
				r.format = format
			}
		}
		if r.format == "" {
			t.Fatalf("%s: want a name that begins with a format", path)
		}
		all = append(all, r)
	}
	return all
}

func TestReduce(t *testing.T) {
	t.Parallel()
	sources := string(readFile(t, filepath.Join("testdata", "reduce", "SOURCES.md")))
	for _, c := range reductions(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Reduce(c.format, c.chunks)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decoded(t, c.answer), decoded(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, source, ok := strings.Cut(sources, "- `"+c.name+"`: "); !ok || strings.TrimSpace(source) == "" {
				t.Error("the case has no source")
			}
		})
	}
}

// TestReducePieces reduces chunks that are rare in real streams: each must be used or kept.
func TestReducePieces(t *testing.T) {
	t.Parallel()
	const start = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`
	delta := func(delta string) string {
		return `{"type":"content_block_delta","index":0,"delta":{` + delta + `}}`
	}
	answer := func(content string) string {
		return `{"type":"message","role":"assistant","content":[` + content + `]`
	}
	for _, c := range []struct {
		name   string
		format Format
		chunks []string
		want   string
	}{
		{"a custom tool's call", FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"custom","custom":{"name":"sh","input":"l"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"","custom":{"input":"s"}}]}}]}`,
		}, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sh","input":"ls"}}]}}]}`},
		{"calls that share an index", FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}`,
		}, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},` +
			`{"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\":1}"}}]}}]}`},
		{"calls without index", FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"b","type":"function","function":{"name":"g","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"b","type":"custom","function":{"name":"h","arguments":"}"}}]}}]}`,
		}, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{"}},` +
			`{"id":"b","type":"custom","function":{"name":"h","arguments":"{}"}}]}}]}`},
		{"a call whose ID comes late", FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"type":"","function":{"name":"","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"arguments":"}"}}]}}]}`,
		}, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"","function":{"name":"","arguments":"{}"}}]}}]}`},
		{"parts of the wrong type", FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":7},{"index":1,"delta":{"content":"a","tool_calls":[7],"function_call":"f","audio":"b"}},` +
				`{"index":2,"delta":{"tool_calls":[{"index":0,"id":"c","function":"f","custom":"x"}]}},{"index":3,"delta":{"content":"a","tool_calls":null}}]}`,
		}, `{"choices":[{"index":0,"delta":7,"message":{"role":"assistant","content":null}},` +
			`{"index":1,"message":{"role":"assistant","content":"a","tool_calls":[7],"function_call":"f","audio":"b"}},` +
			`{"index":2,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":"f","custom":"x"}]}},` +
			`{"index":3,"message":{"role":"assistant","content":"a","tool_calls":null}}]}`},
		{"a message in place of deltas", FormatChatCompletions, []string{`{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`},
			`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`},
		{"choices that are none", FormatChatCompletions, []string{`{"choices":[]}`, `{"choices":[7]}`}, `{"unreduced_chunks":[{"choices":[7]}]}`},
		{"deltas of the wrong type", FormatMessages, []string{
			start, delta(`"type":"text_delta","text":1`), delta(`"type":"signature_delta"`), delta(`"type":"input_json_delta"`), delta(`"type":"citations_delta"`),
			`{"type":"message_delta","delta":1}`, `{"type":"message_start"}`,
		}, answer(`{"type":"text","text":"a"}`) + `,"unreduced_chunks":[` + delta(`"type":"text_delta","text":1`) + `,` + delta(`"type":"signature_delta"`) + `,` +
			delta(`"type":"input_json_delta"`) + `,` + delta(`"type":"citations_delta"`) + `,{"type":"message_delta","delta":1},{"type":"message_start"}]}`},
		{"a beginning that comes late, with content", FormatMessages, []string{
			start, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`,
			`{"type":"message_start","message":{"id":"m","stop_reason":null,"content":[{"type":"text","text":"old"},{"type":"text","text":"b"}],"usage":{"input_tokens":2,"output_tokens":1}}}`,
		}, `{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"usage":{"input_tokens":2,"output_tokens":5}}`},
		{"an end that says more", FormatMessages, []string{start, `{"type":"message_delta","delta":{},"usage":null,"context_management":{"a":1}}`},
			answer(`{"type":"text","text":"a"}`) + `,"usage":null,"context_management":{"a":1}}`},
		{"an item that begins with content", FormatResponses, []string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"a"}]}}`,
			`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"b"}`,
			`{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}`,
			`{"type":"response.content_part.done","output_index":0,"content_index":1,"part":{"type":"refusal","refusal":"No."}}`,
		}, `{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"ab"},{"type":"refusal","refusal":"No."}]}],` +
			`"unreduced_chunks":[{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}]}`},
		{"changes of the wrong type", FormatResponses, []string{
			`{"type":"response.queued","response":{"id":"r"}}`, `{"type":"response.created","response":7}`, `{"type":"response.output_text.done","output_index":0,"content_index":0}`,
			`{"type":"response.output_text.annotation.added","output_index":0,"content_index":0}`, `{"type":"response.output_text.smell","output_index":0,"content_index":0}`,
			`{"type":"response.refusal.done","output_index":0,"refusal":"No."}`,
		}, `{"id":"r","output":[],"unreduced_chunks":[{"type":"response.created","response":7},{"type":"response.output_text.done","output_index":0,"content_index":0},` +
			`{"type":"response.output_text.annotation.added","output_index":0,"content_index":0},{"type":"response.output_text.smell","output_index":0,"content_index":0},` +
			`{"type":"response.refusal.done","output_index":0,"refusal":"No."}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chunks := make([]json.RawMessage, len(c.chunks))
			for i, chunk := range c.chunks {
				chunks[i] = json.RawMessage(chunk)
			}
			got, err := Reduce(c.format, chunks)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decoded(t, []byte(c.want)), decoded(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestStreamFormat recognizes the format of every recorded stream, and of single chunks if they are recognizable.
func TestStreamFormat(t *testing.T) {
	t.Parallel()
	for _, c := range reductions(t) {
		if got := StreamFormat(c.chunks); got != c.format {
			t.Errorf("StreamFormat of %s = %s, want %s", c.name, got, c.format)
		}
		for i := range c.chunks {
			if got := StreamFormat(c.chunks[i : i+1]); got != c.format && got != FormatUnrecognized {
				t.Errorf("StreamFormat of chunk %d of %s = %s, want %s or none", i, c.name, got, c.format)
			}
		}
	}
}

// TestReducedIsRead checks that Normalize can read reduced streams, because they have the shape of answers without streaming.
func TestReducedIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range reductions(t) {
		d, err := Normalize(c.answer, Outputs)
		if err != nil {
			t.Fatal(err)
		}
		if d.Format != c.format {
			t.Errorf("reduced %s was read as format %s, want %s", c.name, d.Format, c.format)
		}
		checkDocument(t, d, c.answer)
	}
}

// TestReduceBreaksOffAnywhere checks that every prefix of a stream results in an answer without losing text.
func TestReduceBreaksOffAnywhere(t *testing.T) {
	t.Parallel()
	for _, c := range reductions(t) {
		for n := range c.chunks {
			got, err := Reduce(c.format, c.chunks[:n+1])
			if err != nil {
				if !strings.Contains(string(got), keyUnreduced) {
					t.Errorf("%s, %d chunks: error = %v, want the chunks kept: %s", c.name, n+1, err, got)
				}
				continue
			}
			for i, text := range textsOf(c.chunks[:n+1]) {
				if !strings.Contains(string(got), text) {
					t.Errorf("%s, %d chunks: text %d, %s, is missing: %s", c.name, n+1, i, text, got)
				}
			}
		}
	}
}

// textsOf returns the pieces of text in chunks of chat completions and messages.
func textsOf(chunks []json.RawMessage) []string {
	var texts []string
	for _, chunk := range chunks {
		var c struct {
			Choices []struct {
				Delta struct {
					Content json.RawMessage `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
			Delta json.RawMessage `json:"delta"`
		}
		if json.Unmarshal(chunk, &c) != nil {
			continue
		}
		for _, choice := range c.Choices {
			if raw := choice.Delta.Content; rawjson.IsString(raw) {
				texts = append(texts, string(raw[1:len(raw)-1]))
			}
		}
		if delta, ok := rawjson.ReadObject(c.Delta); ok {
			if raw := delta.Get("text"); rawjson.IsString(raw) {
				texts = append(texts, string(raw[1:len(raw)-1]))
			}
		}
	}
	return texts
}

// TestReduceAnything gives every reducer the chunks of all formats, shuffled, repeated and damaged: it must not panic, and
// must keep what it doesn't understand.
func TestReduceAnything(t *testing.T) {
	t.Parallel()
	var pool []json.RawMessage
	for _, c := range reductions(t) {
		pool = append(pool, c.chunks...)
	}
	for _, s := range []string{`null`, `7`, `[]`, `{}`, `{`, "\xff", `{"choices":{}}`, `{"choices":[7]}`, `{"type":"message_start"}`, `{"type":"message_delta","delta":3}`} {
		pool = append(pool, json.RawMessage(s))
	}
	random := rand.New(rand.NewPCG(6, 28))
	for range 300 {
		chunks := make([]json.RawMessage, 1+random.IntN(12))
		for i := range chunks {
			chunks[i] = pool[random.IntN(len(pool))]
		}
		for _, format := range streamed {
			got, err := Reduce(format, chunks)
			if !isJSON(got) {
				t.Fatalf("%s: the result isn't valid JSON: %s", format, got)
			}
			o, _ := rawjson.ReadObject(got)
			kept, _ := rawjson.ReadArray(o.Get(keyUnreduced))
			if err != nil && len(kept) != len(chunks) {
				t.Errorf("%s: error = %v with %d of %d chunks kept, want all", format, err, len(kept), len(chunks))
			}
		}
	}
}

func TestReduceErrors(t *testing.T) {
	t.Parallel()
	foreign := []json.RawMessage{json.RawMessage(`{"a":1}`), json.RawMessage(`no`)}
	for _, c := range []struct {
		name   string
		format Format
		chunks []json.RawMessage
		want   string
		err    string
	}{
		{"no chunks", FormatMessages, nil, `{}`, "there are no chunks"},
		{"only the end", FormatChatCompletions, []json.RawMessage{json.RawMessage(" [DONE]\n")}, `{}`, "there are no chunks"},
		{"chat completions", FormatChatCompletions, foreign, `{"unreduced_chunks":[{"a":1},"no"]}`, `none of the 2 chunks has this format; choose`},
		{"messages", FormatMessages, foreign, `{"unreduced_chunks":[{"a":1},"no"]}`, "reducing messages"},
		{"responses", FormatResponses, foreign, `{"unreduced_chunks":[{"a":1},"no"]}`, "reducing responses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Reduce(c.format, slices.Clone(c.chunks))
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error = %v, want %q", err, c.err)
			}
			if diff := cmp.Diff(decoded(t, []byte(c.want)), decoded(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReduceIsLinear isn't parallel, because it counts the allocations of the whole process.
func TestReduceIsLinear(t *testing.T) {
	count := func(n int) float64 {
		chunks := make([]json.RawMessage, n)
		for i := range chunks {
			chunks[i] = json.RawMessage(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}`)
		}
		return testing.AllocsPerRun(5, func() {
			if _, err := Reduce(FormatMessages, chunks); err != nil {
				t.Fatal(err)
			}
		})
	}
	if one, eight := count(500), count(4000); eight > 8.5*one {
		t.Errorf("eight times the chunks take %.0f allocations, want at most 8.5 times %.0f", eight, one)
	}
}

func FuzzReduce(f *testing.F) {
	for _, c := range reductions(f) {
		var lines []string
		for _, chunk := range c.chunks {
			lines = append(lines, canonical(chunk))
		}
		f.Add(strings.Join(lines, "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var chunks []json.RawMessage
		for line := range strings.Lines(text) {
			chunks = append(chunks, json.RawMessage(strings.TrimSuffix(line, "\n")))
		}
		for _, format := range streamed {
			got, err := Reduce(format, chunks)
			if !isJSON(got) {
				t.Fatalf("%s: the result isn't valid JSON: %q", format, got)
			}
			if err != nil {
				continue
			}
			d, err := Normalize(got, Outputs)
			if err != nil {
				t.Fatal(err)
			}
			checkDocument(t, d, got)
		}
	})
}
