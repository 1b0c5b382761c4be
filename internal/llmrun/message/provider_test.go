package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// itemFormats are the formats whose messages don't correspond one to one to those of the normal form.
var itemFormats = []document.Format{document.FormatMessages, document.FormatResponses}

func TestGoldensOfItems(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t, itemFormats...) {
		t.Run(string(g.format)+"/"+g.name, func(t *testing.T) {
			t.Parallel()
			d, err := Normalize(g.doc, g.side)
			if err != nil {
				t.Fatal(err)
			}
			if d.Format != g.format {
				t.Errorf("format = %s, want %s", d.Format, g.format)
			}
			native := d.Native()
			if diff := cmp.Diff(decoded(t, g.native), decoded(t, native)); diff != "" {
				t.Errorf("normal form (-want +got):\n%s", diff)
			}
			checkDocument(t, d, g.doc)
			checkItemConversions(t, d)
			// A normal form made from a format can always be converted back, unless values have a wrong type.
			again, err := Normalize(g.native, g.side)
			if err != nil {
				t.Fatal(err)
			}
			checkItemConversions(t, again)
			_, _, err = Build(again, g.format, false)
			if wrong := strings.HasSuffix(g.name, "_wrong_types"); wrong == (err == nil) && !slices.Contains(oneWay, g.name) {
				t.Errorf("conversion from the normal form: error = %v, want one: %t", err, wrong)
			}
		})
	}
}

// oneWay are the cases that can't be converted back from the normal form alone.
var oneWay = []string{
	// Members that a client adds around an answer can't be part of a message in the format.
	"inputs_tool_result_message",
	// A wrapper's members can't be next to messages.
	"inputs_list_wrapped", "outputs_wrapped",
	// The picture in the answer to a computer call isn't content.
	"inputs_computer",
	// A source without data can't be written from the normal form.
	"inputs_image_broken",
}

func TestGoldensOfItemsHaveSources(t *testing.T) {
	t.Parallel()
	for _, format := range itemFormats {
		var want []string
		for _, g := range goldens(t, format) {
			want = append(want, g.name)
		}
		var listed []string
		for line := range strings.Lines(string(readFile(t, filepath.Join("testdata", string(format), "SOURCES.md")))) {
			if rest, ok := strings.CutPrefix(line, "- `"); ok {
				name, source, _ := strings.Cut(rest, "`: ")
				if strings.TrimSpace(source) == "" {
					t.Errorf("%s: %s has no source", format, name)
				}
				listed = append(listed, name)
			}
		}
		slices.Sort(listed)
		if diff := cmp.Diff(want, listed); diff != "" {
			t.Errorf("%s (-cases +sources):\n%s", format, diff)
		}
	}
}

// checkItemConversions checks what must be true when building the messages or responses format from another one: the result has
// the same messages, or the error lists what would be lost.
func checkItemConversions(t *testing.T, d *document.Document) {
	t.Helper()
	targets := itemFormats
	if slices.Contains(itemFormats, d.Format) {
		targets = append([]document.Format{document.FormatChatCompletions}, targets...)
	}
	for _, format := range targets {
		if d.Format == format || d.Format == document.FormatUnrecognized {
			continue
		}
		built, _, err := Build(d, format, false)
		if lost, ok := errors.AsType[*document.LossError](err); ok {
			if len(lost.Losses) == 0 {
				t.Fatal("the LossError has no losses")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		again, ok := readAs(document.NewSource(built, d.Side), format)
		if !ok {
			t.Fatalf("the result can't be read as %s: %s", format, built)
		}
		if diff := differ(meaning(&convert.Prepare(d, findFormat(format).target).Document), meaning(again), ignoreVoid); diff != "" {
			t.Fatalf("%s: messages (-original +read from the result):\n%s", built, diff)
		}
	}
}

// meaning returns a document without what each format expresses differently or not at all: the success of a server's call, and missing content.
func meaning(d *document.Document) *document.Document {
	out := alike(d)
	if n := len(out.Messages); n > 0 && d.Side == document.Outputs && rawjson.IsObject(out.Extras["usage_metadata"]) && rawjson.IsVoidOrAbsent(out.Messages[n-1].UsageMetadata) {
		out.Messages[n-1].UsageMetadata = out.Extras["usage_metadata"]
		out.Extras = out.Extras.Without("usage_metadata")
	}
	for i := range out.Messages {
		m := &out.Messages[i]
		if rawjson.IsVoidOrAbsent(m.UsageMetadata) {
			m.UsageMetadata = nil
		}
		if (m.Role == document.RoleTool || m.Role == document.RoleReasoning) && m.Content == nil {
			m.Content = []document.Block{}
		}
		for j := range m.Content {
			b := &m.Content[j]
			if b.Type == document.BlockServerToolResult {
				b.Status = nil
			}
		}
	}
	return out
}

// TestNothingOfItemsIsLost mutates every known document of these formats many times, as TestNothingIsLost does the others.
func TestNothingOfItemsIsLost(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := newMutator(t, seed)
			known := goldens(t, itemFormats...)
			for _, g := range known {
				m.collect(decoded(t, g.doc))
			}
			read := map[document.Format]int{}
			for _, g := range append(known, goldens(t, document.FormatChatCompletions)...) {
				for _, doc := range [][]byte{g.doc, g.native} {
					original := decoded(t, doc)
					for range 10 {
						data, err := json.Marshal(m.mutate(original))
						if err != nil {
							t.Fatal(err)
						}
						d, err := Normalize(data, g.side)
						if err != nil {
							t.Fatal(err)
						}
						read[d.Format]++
						checkDocument(t, d, data)
						checkItemConversions(t, d)
						if _, err := Validate(data, g.side); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			for _, format := range itemFormats {
				if read[format] < 50 {
					t.Errorf("%d documents were read as %s, want at least 50: %v", read[format], format, read)
				}
			}
		})
	}
}

// TestNormalizeItemsMemory checks that normalizing a conversation in these formats takes at most three times the memory of decoding it into an any.
func TestNormalizeItemsMemory(t *testing.T) {
	text := strings.Repeat("The quick brown fox. ", 14)
	rounds := func(head, round, tail string) []byte {
		return []byte(head + strings.TrimSuffix(strings.Repeat(strings.ReplaceAll(round, "TEXT", text), rounds50KB), ",") + tail)
	}
	for _, c := range []struct {
		format document.Format
		data   []byte
	}{
		{document.FormatMessages, rounds(`{"system":"Be brief.","messages":[`, `{"role":"user","content":"TEXT"},{"role":"assistant","content":[{"type":"text","text":"TEXT"},`+
			`{"type":"tool_use","id":"t","name":"look_up","input":{"query":"fox","limit":10}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"TEXT"}]},`, `]}`)},
		{document.FormatResponses, rounds(`{"model":"m","input":[`, `{"role":"user","content":"TEXT"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"TEXT"}]},`+
			`{"type":"function_call","call_id":"t","name":"look_up","arguments":"{\"query\":\"fox\"}"},{"type":"function_call_output","call_id":"t","output":"TEXT"},`, `]}`)},
	} {
		d, err := Normalize(c.data, document.Inputs)
		if err != nil || d.Format != c.format {
			t.Fatalf("%s was read as format %s, %v", c.format, d.Format, err)
		}
		const runs = 10
		normalize, decode := measure(t, runs, normalizing(c.data)), measure(t, runs, decoding(c.data))
		if normalize.bytes > 3*decode.bytes {
			t.Errorf("%s: normalizing takes %d bytes, decoding %d; want at most three times as many", c.format, normalize.bytes/runs, decode.bytes/runs)
		}
		t.Logf("%s: %d bytes, %.2f times decoding", c.format, len(c.data), float64(normalize.bytes)/float64(decode.bytes))
	}
}

// fuzzItems gives a parser documents of its format and of the others.
func fuzzItems(f *testing.F, format document.Format) {
	f.Helper()
	for _, g := range goldens(f, itemFormats...) {
		f.Add(g.doc, g.side == document.Outputs)
		f.Add(g.native, g.side == document.Outputs)
	}
	f.Fuzz(func(t *testing.T, data []byte, outputs bool) {
		side := document.Inputs
		if outputs {
			side = document.Outputs
		}
		if !isJSON(data) {
			return
		}
		if d, ok := readAs(document.NewSource(data, side), format); ok {
			checkDocument(t, d, data)
			checkItemConversions(t, d)
		}
	})
}

func FuzzParseMessages(f *testing.F) { fuzzItems(f, document.FormatMessages) }

func FuzzParseResponses(f *testing.F) { fuzzItems(f, document.FormatResponses) }

func FuzzBuildItems(f *testing.F) { fuzzItems(f, document.FormatNative) }

// TestServerToolStatus reads whether a tool that the service called has failed.
func TestServerToolStatus(t *testing.T) {
	t.Parallel()
	sdk := func(member string) string {
		return `{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"a","input":{}},` +
			`{"type":"tool-result","toolCallId":"c","toolName":"a","output":{"type":"text","value":"x"}` + member + `}]}]}`
	}
	for doc, want := range map[string]string{
		sdk(""): "success", sdk(`,"isError":false`): "success", sdk(`,"isError":true`): "error",
	} {
		d, err := Normalize([]byte(doc), document.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		if native := string(d.Native()); d.Format != document.FormatAISDK || !strings.Contains(native, `"status":"`+want+`"`) {
			t.Errorf("%s was read as format %s, %s; want the status %s", doc, d.Format, native, want)
		}
	}
}
