package message

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
)

// saidByShape are members whose value the normal form represents in another way.
var saidByShape = []string{"role", "type", "thought", "format", "outcome", "source_type"}

// leaves returns the texts and numbers of a value, except those in saidByShape.
func leaves(v any) []string {
	switch v := v.(type) {
	case []any:
		var all []string
		if role, ok := first(v).(string); ok && len(v) == 2 && (envelope.ChatRoles[role] != "" || slices.Contains(envelope.PairRoles, role)) {
			v = v[1:]
		}
		for _, e := range v {
			all = append(all, leaves(e)...)
		}
		return all
	case map[string]any:
		var all []string
		_, constructor := v["kwargs"].(map[string]any)
		constructor = constructor && v["lc"] != nil
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if constructor && key != "kwargs" {
				continue // A constructor names a class, which is the role of the message.
			}
			if !slices.Contains(saidByShape, key) {
				all = append(all, leaves(v[key])...)
			}
		}
		return all
	case string:
		if _, data, ok := strings.Cut(v, ";base64,"); ok {
			return []string{data} // The media type has its own field.
		}
		return []string{v}
	case json.Number:
		return []string{v.String()}
	default:
		return nil
	}
}

func first(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// checkKept checks that the normal form contains all texts and numbers of a document. That it is written back proves nothing,
// because that is what was read.
func checkKept(t *testing.T, d *document.Document, data []byte) {
	t.Helper()
	kept := strings.Join(leaves(decoded(t, d.Native())), "\x00")
	for _, leaf := range leaves(decoded(t, data)) {
		plain := !strings.ContainsFunc(leaf, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) })
		if plain && len(leaf) > 2 && !strings.Contains(kept, leaf) {
			t.Fatalf("the normal form lacks %q of %s: %s", leaf, data, d.Native())
		}
	}
}

// TestReadFormatsKeepEverything mutates documents of formats that can only be read.
func TestReadFormatsKeepEverything(t *testing.T) {
	t.Parallel()
	m := newMutator(t, 17)
	known := goldens(t, readFormats...)
	for _, g := range known {
		m.collect(decoded(t, g.doc))
	}
	read := map[document.Format]int{}
	for _, g := range known {
		original := decoded(t, g.doc)
		for range 150 {
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
			checkConversions(t, d)
			if _, err := Validate(data, g.side); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, format := range readFormats {
		if read[format] < 50 {
			t.Errorf("%d documents were read as %s, want at least 50: %v", read[format], format, read)
		}
	}
}
