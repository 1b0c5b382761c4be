package message

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/agents"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// saidByShape are members whose value the normal form represents in another way.
var saidByShape = []string{"role", "type", "thought", "format", "outcome", "source_type", "block_type", "part_kind", "kind", "modality"}

// leaves returns the texts and numbers of a value, except those in saidByShape, and the roles of pairs.
func leaves(v any, pairs bool) []string {
	switch v := v.(type) {
	case []any:
		var all []string
		if role, ok := first(v).(string); pairs && ok && len(v) == 2 && (envelope.ChatRoles[role] != "" || slices.Contains(envelope.PairRoles, role)) {
			v = v[1:]
		}
		for _, e := range v {
			all = append(all, leaves(e, pairs)...)
		}
		return all
	case map[string]any:
		var all []string
		_, constructor := v["kwargs"].(map[string]any)
		constructor = constructor && v["lc"] != nil
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if constructor && slices.Contains([]string{"lc", "id"}, key) {
				continue // A constructor names a class, which is the role of the message.
			}
			if !slices.Contains(saidByShape, key) {
				all = append(all, leaves(v[key], pairs)...)
			}
		}
		return all
	case string:
		if _, data, ok := strings.Cut(v, ";base64,"); ok && strings.HasPrefix(v, "data:") {
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
func checkKept(t *testing.T, native, data []byte) {
	t.Helper()
	if bytes.Contains(native, data) {
		return // It is kept as a whole.
	}
	kept := strings.Join(leaves(decoded(t, native), false), "\x00")
	for _, leaf := range leaves(decoded(t, data), true) {
		plain := !strings.ContainsFunc(leaf, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) })
		if plain && len(leaf) > 2 && !strings.Contains(kept, leaf) {
			t.Fatalf("the normal form lacks %q of %s: %s", leaf, data, native)
		}
	}
}

// agentCases are the documents of the cases in llmrun/testdata/formats whose formats package agents reads.
func agentCases(t testing.TB) []golden {
	t.Helper()
	var cases []golden
	for _, format := range agents.Formats {
		path := filepath.Join("..", "testdata", "formats", string(format)+".txt")
		side := document.Inputs
		for line := range bytes.Lines(readFile(t, path)) {
			switch {
			case bytes.HasPrefix(line, []byte("outputs ·")):
				side = document.Outputs
			case bytes.HasPrefix(line, []byte("inputs ·")):
				side = document.Inputs
			case rawjson.IsObject(line) || rawjson.IsArray(line):
				cases = append(cases, golden{format: format, side: side, doc: bytes.TrimSpace(line)})
			}
		}
	}
	return cases
}

// checkNotEmpty checks that a document with a message whose content is in no block has a problem: it was recognized, but nothing of
// what it says was.
func checkNotEmpty(t *testing.T, d *document.Document, data []byte) {
	t.Helper()
	for _, m := range d.Messages {
		for _, key := range []string{"content", "parts", "message"} {
			value := m.Extras[key]
			own := key != "message" || d.Format == document.FormatCohere
			isAnswer := m.Role == document.RoleTool && d.Format != document.FormatChatCompletions && d.Format != document.FormatMessages
			if len(m.Content) > 0 || d.Shape == document.ShapeNormal || isAnswer || !own || rawjson.IsVoidOrAbsent(value) || string(value) == `""` {
				continue
			}
			if problems, err := Validate(data, d.Side); err != nil || len(problems) == 0 {
				t.Fatalf("%s, shape %s: %s is in no block, and not a problem (%v): %s", d.Format, d.Shape, key, err, data)
			}
		}
	}
}
