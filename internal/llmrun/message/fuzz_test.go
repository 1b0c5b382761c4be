package message

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chatcompletions"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// checkDocument checks what must be true of every document that a parser has read from data.
func checkDocument(t *testing.T, d *document.Document, data []byte) {
	t.Helper()
	back, _, err := Build(d, d.Format, false)
	if err != nil {
		t.Fatalf("building %s back: %v", d.Format, err)
	}
	if !bytes.Equal(data, back) {
		t.Fatalf("%s, shape %s: built back (-want +got):\n%s", d.Format, d.Shape, cmp.Diff(string(data), string(back)))
	}
	native := d.Native()
	checkKept(t, native, data)
	checkNotEmpty(t, d, data)
	again, err := Normalize(native, d.Side)
	if err != nil {
		t.Fatalf("reading the normal form again: %v: %s", err, native)
	}
	if again.Format != document.FormatNative {
		t.Fatalf("the normal form was read as format %s: %s", again.Format, native)
	}
	if d.Messages == nil {
		again.Messages = nil
	}
	if diff := differ(d, again); diff != "" {
		t.Fatalf("normalizing %s again (-first +second):\n%s", native, diff)
	}
}

// differ compares two documents as far as the normal form represents them. Most pairs are byte-identical, which is
// much faster to check.
func differ(a, b *document.Document, options ...cmp.Option) string {
	if reflect.DeepEqual(plain(a), plain(b)) {
		return ""
	}
	return cmp.Diff(a, b, append(options, sameMessages)...)
}

func plain(d *document.Document) *document.Document {
	return &document.Document{Side: d.Side, Extras: d.Extras, Messages: append([]document.Message{}, d.Messages...)}
}

// checkConversions checks what must be true when building other formats: the result has the same messages, or the error lists what
// would be lost.
func checkConversions(t *testing.T, d *document.Document) {
	t.Helper()
	built, _, err := Build(d, document.FormatChatCompletions, false)
	var lost *document.LossError
	switch {
	case errors.As(err, &lost):
		if len(lost.Losses) == 0 {
			t.Fatal("the LossError has no losses")
		}
	case err != nil:
		if d.Format != document.FormatUnrecognized {
			t.Fatal(err)
		}
	default:
		again, ok := readAs(document.NewSource(built, d.Side), document.FormatChatCompletions)
		if !ok {
			again, ok = readWrapped(document.NewSource(built, d.Side))
		}
		if !ok {
			t.Fatalf("the result can't be read as chat completions: %s", built)
		}
		meant := d
		if d.Format != document.FormatChatCompletions {
			meant = &convert.Prepare(d, chatcompletions.Target).Document
		}
		if diff := differ(meaning(meant), meaning(again), ignoreVoid); diff != "" {
			t.Fatalf("%s: messages (-original +read from the result):\n%s", built, diff)
		}
	}
}

// alike returns a document with the same meaning as chat completions can express it: data is never a URL, and
// the usage of an answer's only message belongs to the message.
func alike(d *document.Document) *document.Document {
	out := *d
	out.Messages = make([]document.Message, len(d.Messages))
	for i := range d.Messages {
		m := convert.WithoutVoid(&d.Messages[i])
		for j := range m.Content {
			if b := &m.Content[j]; b.URL != nil && b.Base64 == nil {
				url := rawjson.Quote(*b.URL)
				b.URL = nil
				b.Take("address", url)
			}
		}
		out.Messages[i] = m
	}
	if d.Side == document.Outputs && d.Format != document.FormatChatCompletions && len(out.Messages) == 1 && out.Messages[0].UsageMetadata == nil &&
		rawjson.IsObject(out.Extras["usage_metadata"]) {
		out.Messages[0].UsageMetadata = out.Extras["usage_metadata"]
		out.Extras = out.Extras.Without("usage_metadata")
	}
	return &out
}

// ignoreVoid omits extras that have no meaning in another format.
var ignoreVoid = cmp.Transformer("ignoreVoid", func(e document.Extras) map[string]string {
	rest := map[string]string{}
	for key, value := range e {
		if !rawjson.IsVoid(value) {
			rest[key] = canonical(value)
		}
	}
	return rest
})

// FuzzNormalize reads documents as what they are, and as similar formats: a parser must keep everything it accepts.
func FuzzNormalize(f *testing.F) {
	for _, g := range append(goldens(f, slices.Concat(ownFormats, itemFormats)...), agentCases(f)...) {
		f.Add(g.doc, g.side == document.Outputs)
		if g.native != nil {
			f.Add(g.native, g.side == document.Outputs)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, outputs bool) {
		side := document.Inputs
		if outputs {
			side = document.Outputs
		}
		d, err := Normalize(data, side)
		if valid := isJSON(data); valid != (err == nil) {
			t.Fatalf("valid JSON: %t, but error = %v", valid, err)
		}
		if err != nil {
			return
		}
		checkDocument(t, d, data)
		checkConversions(t, d)
		if _, err := Validate(data, side); err != nil {
			t.Fatal(err)
		}
		// Only formats of the same group may be read in its place: those of others look alike in part.
		for _, group := range [][]document.Format{ownFormats, append(itemFormats, document.FormatNative)} {
			if !slices.Contains(group, d.Format) {
				continue
			}
			for _, format := range group {
				if other, ok := readAs(document.NewSource(data, side), format); ok {
					checkDocument(t, other, data)
					checkItemConversions(t, other)
				}
			}
		}
	})
}
