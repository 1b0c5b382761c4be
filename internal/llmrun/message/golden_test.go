package message

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// golden is a document and its normal form, both written by hand.
type golden struct {
	format document.Format
	name   string
	side   document.Side
	doc    []byte
	native []byte
}

func goldens(t testing.TB, formats ...document.Format) []golden {
	t.Helper()
	var all []golden
	for _, format := range formats {
		paths, err := filepath.Glob(filepath.Join("testdata", string(format), "*.native.json"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("found no cases of %s: %v", format, err)
		}
		for _, path := range paths {
			g := golden{format: format, name: strings.TrimSuffix(filepath.Base(path), ".native.json")}
			if strings.HasPrefix(g.name, "outputs_") {
				g.side = document.Outputs
			} else if !strings.HasPrefix(g.name, "inputs_") {
				t.Fatalf("%s: want a name that begins with inputs_ or outputs_", path)
			}
			g.native = readFile(t, path)
			g.doc = readFile(t, strings.TrimSuffix(path, ".native.json")+".json")
			all = append(all, g)
		}
	}
	return all
}

var ownFormats = []document.Format{document.FormatNative, document.FormatChatCompletions, document.FormatFramework}

// readFormats are the formats that can only be read.
var readFormats = []document.Format{document.FormatGemini, document.FormatConverse, document.FormatAISDK, document.FormatCohere}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decoded decodes JSON for comparison, ignoring the order of keys and keeping every digit of numbers.
func decoded(t testing.TB, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// sameMessages compares what the normal form represents.
var sameMessages = cmp.Options{
	cmpopts.IgnoreFields(document.Document{}, "Format", "Shape", "Source"),
	cmpopts.IgnoreUnexported(document.Document{}),
	cmp.Transformer("canonical", canonical),
}

// canonical writes a value with sorted keys and unchanged numbers.
func canonical(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t, slices.Concat(ownFormats, readFormats)...) {
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
			back, _, err := Build(d, g.format, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decoded(t, g.doc), decoded(t, back)); diff != "" {
				t.Errorf("built back (-want +got):\n%s", diff)
			}
			again, err := Normalize(g.native, g.side)
			if err != nil {
				t.Fatal(err)
			}
			if again.Format != document.FormatNative || again.Shape != document.ShapeNormal {
				t.Errorf("the normal form was read as format %s, shape %s", again.Format, again.Shape)
			}
			if diff := cmp.Diff(d, again, sameMessages); diff != "" {
				t.Errorf("normalized again (-first +second):\n%s", diff)
			}
			checkConversions(t, d)
			checkConversions(t, again)
			checkLossy(t, d)
			checkLossy(t, again)
		})
	}
}

func TestGoldensHaveSources(t *testing.T) {
	t.Parallel()
	for _, format := range slices.Concat(ownFormats, readFormats) {
		text := string(readFile(t, filepath.Join("testdata", string(format), "SOURCES.md")))
		var listed []string
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, "- `"); ok {
				name, source, _ := strings.Cut(rest, "`: ")
				if strings.TrimSpace(source) == "" {
					t.Errorf("%s: %s has no source", format, name)
				}
				listed = append(listed, name)
			}
		}
		var names []string
		for _, g := range goldens(t, format) {
			names = append(names, g.name)
		}
		slices.Sort(listed)
		if diff := cmp.Diff(names, listed); diff != "" {
			t.Errorf("%s (-cases +sources):\n%s", format, diff)
		}
	}
}
