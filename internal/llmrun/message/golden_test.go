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

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
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
	assert.Must(t, err)
	return data
}

// normalized normalizes a document that is JSON.
func normalized(t testing.TB, data []byte, side document.Side) *document.Document {
	t.Helper()
	d, err := Normalize(data, side)
	assert.Must(t, err)
	return d
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
	for _, g := range goldens(t, slices.Concat(ownFormats, readFormats, itemFormats)...) {
		t.Run(string(g.format)+"/"+g.name, func(t *testing.T) {
			t.Parallel()
			d, again := normalized(t, g.doc, g.side), normalized(t, g.native, g.side)
			assert.Same(t, "format", g.format, d.Format)
			assert.Same(t, "normal form", decoded(t, g.native), decoded(t, d.Native()))
			checkDocument(t, d, g.doc)
			if again.Format != document.FormatNative || again.Shape != document.ShapeNormal {
				t.Errorf("the normal form was read as format %s, shape %s", again.Format, again.Shape)
			}
			if diff := differ(d, again); diff != "" {
				t.Errorf("normalized again (-first +second):\n%s", diff)
			}
			for _, d := range []*document.Document{d, again} {
				checkConversions(t, d)
				checkItemConversions(t, d)
				checkLossy(t, d)
			}
			if !slices.Contains(itemFormats, g.format) {
				return
			}
			// A normal form made from a format can always be converted back, unless values have a wrong type.
			_, _, err := Build(again, g.format, false)
			if wrong := strings.HasSuffix(g.name, "_wrong_types"); wrong == (err == nil) && !slices.Contains(oneWay, g.name) {
				t.Errorf("conversion from the normal form: error = %v, want one: %t", err, wrong)
			}
		})
	}
}

func TestGoldensHaveSources(t *testing.T) {
	t.Parallel()
	for _, format := range slices.Concat(ownFormats, readFormats, itemFormats) {
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
		assert.Same(t, string(format), names, listed)
	}
}
