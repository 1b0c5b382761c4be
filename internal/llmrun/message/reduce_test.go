package message

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// streamed are the formats of streams. The names of cases begin with them.
var streamed = StreamFormats()

func isJSON(data []byte) bool { return utf8.Valid(data) && json.Valid(data) }

// reduction is a stream and the answer it adds up to, written by hand or by the SDK of the provider.
type reduction struct {
	name   string
	format document.Format
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
			assert.Must(t, err)
			assert.Same(t, "document", decoded(t, c.answer), decoded(t, got))
			if _, source, ok := strings.Cut(sources, "- `"+c.name+"`: "); !ok || strings.TrimSpace(source) == "" {
				t.Error("the case has no source")
			}
		})
	}
}

// reducedCase are chunks of a stream, and the answer that they add up to.
type reducedCase struct {
	name   string
	format document.Format
	chunks []string
	want   string
}

func checkReduced(t *testing.T, cases []reducedCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chunks := make([]json.RawMessage, len(c.chunks))
			for i, chunk := range c.chunks {
				chunks[i] = json.RawMessage(chunk)
			}
			got, err := Reduce(c.format, chunks)
			assert.Must(t, err)
			assert.Same(t, "answer", decoded(t, []byte(c.want)), decoded(t, got))
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
	checkReduced(t, []reducedCase{
		{"a custom tool's call", document.FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"custom","custom":{"name":"sh","input":"l"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"","custom":{"input":"s"}}]}}]}`,
		}, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sh","input":"ls"}}]}}]}`},
		{"calls that share an index", document.FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}`,
		}, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},` +
			`{"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\":1}"}}]}}]}`},
		{"calls without index", document.FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"b","type":"function","function":{"name":"g","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"b","type":"custom","function":{"name":"h","arguments":"}"}}]}}]}`,
		}, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{"}},` +
			`{"id":"b","type":"custom","function":{"name":"h","arguments":"{}"}}]}}]}`},
		{"a call whose ID comes late", document.FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"type":"","function":{"name":"","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"arguments":"}"}}]}}]}`,
		}, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"","function":{"name":"","arguments":"{}"}}]}}]}`},
		{"parts of the wrong type", document.FormatChatCompletions, []string{
			`{"choices":[{"index":0,"delta":7},{"index":1,"delta":{"content":"a","tool_calls":[7],"function_call":"f","audio":"b"}},` +
				`{"index":2,"delta":{"tool_calls":[{"index":0,"id":"c","function":"f","custom":"x"}]}},{"index":3,"delta":{"content":"a","tool_calls":null}}]}`,
		}, `{"choices":[{"index":0,"delta":7,"message":{"role":"assistant","content":null}},` +
			`{"index":1,"message":{"role":"assistant","content":"a","tool_calls":[7],"function_call":"f","audio":"b"}},` +
			`{"index":2,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":"f","custom":"x"}]}},` +
			`{"index":3,"message":{"role":"assistant","content":"a","tool_calls":null}}]}`},
		{"a message in place of deltas", document.FormatChatCompletions, []string{`{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`},
			`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`},
		{"choices that are none", document.FormatChatCompletions, []string{`{"choices":[]}`, `{"choices":[7]}`}, `{"unreduced_chunks":[{"choices":[7]}]}`},
		{"deltas of the wrong type", document.FormatMessages, []string{
			start, delta(`"type":"text_delta","text":1`), delta(`"type":"signature_delta"`), delta(`"type":"input_json_delta"`), delta(`"type":"citations_delta"`),
			`{"type":"message_delta","delta":1}`, `{"type":"message_start"}`,
		}, answer(`{"type":"text","text":"a"}`) + `,"unreduced_chunks":[` + delta(`"type":"text_delta","text":1`) + `,` + delta(`"type":"signature_delta"`) + `,` +
			delta(`"type":"input_json_delta"`) + `,` + delta(`"type":"citations_delta"`) + `,{"type":"message_delta","delta":1},{"type":"message_start"}]}`},
		{"a beginning that comes late, with content", document.FormatMessages, []string{
			start, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`,
			`{"type":"message_start","message":{"id":"m","stop_reason":null,"content":[{"type":"text","text":"old"},{"type":"text","text":"b"}],"usage":{"input_tokens":2,"output_tokens":1}}}`,
		}, `{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"usage":{"input_tokens":2,"output_tokens":5}}`},
		{"an end that says more", document.FormatMessages, []string{start, `{"type":"message_delta","delta":{},"usage":null,"context_management":{"a":1}}`},
			answer(`{"type":"text","text":"a"}`) + `,"usage":null,"context_management":{"a":1}}`},
		{"an item that begins with content", document.FormatResponses, []string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"a"}]}}`,
			`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"b"}`,
			`{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}`,
			`{"type":"response.content_part.done","output_index":0,"content_index":1,"part":{"type":"refusal","refusal":"No."}}`,
		}, `{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"ab"},{"type":"refusal","refusal":"No."}]}],` +
			`"unreduced_chunks":[{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}]}`},
		{"changes of the wrong type", document.FormatResponses, []string{
			`{"type":"response.queued","response":{"id":"r"}}`, `{"type":"response.created","response":7}`, `{"type":"response.output_text.done","output_index":0,"content_index":0}`,
			`{"type":"response.output_text.annotation.added","output_index":0,"content_index":0}`, `{"type":"response.output_text.smell","output_index":0,"content_index":0}`,
			`{"type":"response.refusal.done","output_index":0,"refusal":"No."}`,
		}, `{"id":"r","output":[],"unreduced_chunks":[{"type":"response.created","response":7},{"type":"response.output_text.done","output_index":0,"content_index":0},` +
			`{"type":"response.output_text.annotation.added","output_index":0,"content_index":0},{"type":"response.output_text.smell","output_index":0,"content_index":0},` +
			`{"type":"response.refusal.done","output_index":0,"refusal":"No."}]}`},
	})
}

// TestStreamFormat recognizes the format of every recorded stream, and of single chunks if they are recognizable.
func TestStreamFormat(t *testing.T) {
	t.Parallel()
	for _, c := range reductions(t) {
		assert.Same(t, "StreamFormat of "+c.name, c.format, StreamFormat(c.chunks))
		for i := range c.chunks {
			if got := StreamFormat(c.chunks[i : i+1]); got != c.format && got != document.FormatUnrecognized {
				t.Errorf("StreamFormat of chunk %d of %s = %s, want %s or none", i, c.name, got, c.format)
			}
		}
	}
}

// readBack has the cases whose answers have another format than their stream.
var readBack = map[string]document.Format{
	"chat_completions_conversation": document.FormatConversations,
	"gemini_interaction":            document.FormatInteractions,
	"cohere_version_2":              document.FormatChatCompletions,
	"ollama_chat":                   document.FormatChatCompletions, "ollama_generate": document.FormatChatCompletions, "ollama_error": document.FormatChatCompletions,
}

// TestReducedIsRead checks that Normalize can read reduced streams, because they have the shape of answers without streaming.
func TestReducedIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range reductions(t) {
		d := normalized(t, c.answer, document.Outputs)
		want := c.format
		if name, ok := readBack[c.name]; ok {
			want = name
		}
		if d.Format != want {
			t.Errorf("reduced %s was read as format %s, want %s", c.name, d.Format, want)
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
				if !strings.Contains(string(got), chunk.Unreduced) {
					t.Errorf("%s, %d chunks: error = %v, want the chunks kept: %s", c.name, n+1, err, got)
				}
				continue
			}
			for _, raw := range c.chunks[:n+1] {
				for _, place := range growing(t, c.format, raw) {
					// Arguments are text in the stream and an object in the answer.
					if !strings.ContainsAny(place.text, `{}"`) && !strings.Contains(string(got), place.text) {
						t.Errorf("%s, %d chunks: the text %s is missing: %s", c.name, n+1, place.text, got)
					}
				}
			}
		}
	}
}

// TestReduceAnything gives every reducer the chunks of all formats, shuffled, repeated and damaged: it must not panic, and
// must keep what it doesn't understand.
func TestReduceAnything(t *testing.T) {
	t.Parallel()
	var pool []json.RawMessage
	for _, c := range reductions(t) {
		pool = append(pool, c.chunks...)
	}
	for _, s := range []string{`null`, `7`, `[]`, `{}`, `{`, "\xff", `{"choices":{}}`, `{"choices":[7]}`, `{"type":"message_start"}`, `{"type":"message_delta","delta":3}`,
		`{"type":"message-start","message":7}`, `{"type":"message-end","message":[7]}`, `{"choices":[{"index":0,"message":7,"text":"a"}]}`, `{"choices":[],"outputs":7}`,
		`{"event_type":"interaction.created","interaction":{"candidates":7,"steps":7}}`, `{"event_type":"interaction.completed","interaction":{"steps":[7]}}`,
		`{"type":"response.created","response":{"output":7}}`, `{"type":"response.created","response":{"output":[7,{"content":[7],"summary":7}]}}`,
		`{"messageStart":{"content":7,"role":"assistant"}}`, `{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":7,"toolResult":"a","citationsContent":[7]}}}`,
		`{"type":"AIMessageChunk","tool_calls":[7],"response_metadata":7,"usage_metadata":7}`, `{"type":"finish","finishReason":"stop","content":7,"response":7}`,
		`{"type":"message_start","message":{"content":7,"usage":7}}`, `{"done":true,"message":{"content":7},"response":[7]}`, `{"event":"usage","usage":{}}`,
		`{"type":"conversation.response.done","outputs":7}`, `{"event":"content-block-start","index":0,"content":{"args":7}}`} {
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
			kept, _ := rawjson.ReadArray(o.Get(chunk.Unreduced))
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
		format document.Format
		chunks []json.RawMessage
		want   string
		err    string
	}{
		{"no chunks", document.FormatMessages, nil, `{}`, "there are no chunks"},
		{"only the end", document.FormatChatCompletions, []json.RawMessage{json.RawMessage(" [DONE]\n")}, `{}`, "there are no chunks"},
		{"chat completions", document.FormatChatCompletions, foreign, `{"unreduced_chunks":[{"a":1},"no"]}`, `none of the 2 chunks has this format; choose`},
		{"messages", document.FormatMessages, foreign, `{"unreduced_chunks":[{"a":1},"no"]}`, "reducing messages"},
		{"responses", document.FormatResponses, foreign, `{"unreduced_chunks":[{"a":1},"no"]}`, "reducing responses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Reduce(c.format, slices.Clone(c.chunks))
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error = %v, want %q", err, c.err)
			}
			assert.Same(t, "document", decoded(t, []byte(c.want)), decoded(t, got))
		})
	}
}

// TestReduceIsLinear isn't parallel, because it measures the memory of the whole process. Memory that is copied for every
// chunk would grow with the square of their number.
func TestReduceIsLinear(t *testing.T) {
	check := func(name string, format document.Format, chunks func(n int) []json.RawMessage) {
		count := func(n int) uint64 {
			all := chunks(n)
			return allocated(t, func() error {
				_, err := Reduce(format, all)
				return err
			})
		}
		if one, eight := count(20), count(160); eight > 10*one {
			t.Errorf("%s: eight times the chunks take %d bytes, want at most 10 times %d", name, eight, one)
		}
	}
	for _, c := range reductions(t) {
		check(c.name, c.format, func(n int) []json.RawMessage {
			return slices.Concat(slices.Repeat([][]json.RawMessage{c.chunks}, n)...)
		})
	}
	check("a member per chunk", document.FormatChatCompletions, func(n int) []json.RawMessage {
		chunks := make([]json.RawMessage, 50*n)
		for i := range chunks {
			chunks[i] = fmt.Appendf(nil, `{"choices":[{"index":0,"delta":{"m%d":"a"}}]}`, i)
		}
		return chunks
	})
	check("an argument in pieces", document.FormatGemini, func(n int) []json.RawMessage {
		return slices.Repeat([]json.RawMessage{json.RawMessage(`{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"word "}],"willContinue":true}}]}}]}`)}, 50*n)
	})
	check("kinds that alternate", document.FormatChatCompletions, func(n int) []json.RawMessage {
		chunks := make([]json.RawMessage, 50*n)
		for i := range chunks {
			chunks[i] = json.RawMessage([]string{`{"choices":[{"delta":{"content":"a"}}]}`, `{"choices":[{"delta":{"content":[{"type":"text","text":"b"},{"type":"c"}]}}]}`}[i%2])
		}
		return chunks
	})
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
			d := normalized(t, got, document.Outputs)
			checkDocument(t, d, got)
		}
	})
}
