package rest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestEncode checks that a body with large members is the same JSON as any other, in pieces that don't keep the members.
func TestEncode(t *testing.T) {
	t.Parallel()
	large := json.RawMessage(`"` + strings.Repeat("<ü>", largeMember) + `"`)
	run := map[string]any{"id": "a<b", "inputs": large, "extra": json.RawMessage(`{"a": 1}`), "error": nil, "tags": []string{}}
	for name, body := range map[string]any{
		"object": run,
		"list":   []map[string]any{run, {"id": "small"}, run},
		"struct": struct {
			Runs  []map[string]any `json:"runs"`
			Total int              `json:"total"`
		}{[]map[string]any{run}, 1},
		"alone": large,
		"small": map[string]any{"id": "a<b"},
		"empty": []any{},
		"null":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := encode(body, api.Neutral)
			assert.Must(t, err)
			var want, decoded any
			assert.Must(t, json.Unmarshal(got.joined(), &decoded))
			text, err := json.Marshal(body)
			assert.Must(t, err)
			assert.Must(t, json.Unmarshal(text, &want))
			assert.Same(t, "decoded", want, decoded)
			assert.Same(t, "size", len(got.joined()), got.size())
			for _, piece := range got {
				if cap(piece) > 2*pieceSize || len(piece) > 0 && &piece[0] == &large[0] {
					t.Errorf("a piece has %d bytes, or is a part of the body", cap(piece))
				}
			}
			if strings.Contains(string(got.joined()[:min(len(got.joined()), 100)]), `\u003c`) {
				t.Error("HTML is escaped")
			}
		})
	}
}

// TestEncode_refused checks that what can't be encoded is an error beside large members, too.
func TestEncode_refused(t *testing.T) {
	t.Parallel()
	large := json.RawMessage(fmt.Sprintf("%q", strings.Repeat("a", largeMember)))
	for _, body := range []any{
		map[string]any{"a": func() {}}, map[string]any{"a": func() {}, "inputs": large}, []any{large, []any{make(chan int)}},
		map[string]any{"inputs": large, "extra": json.RawMessage("{")},
	} {
		if _, err := encode(body, api.Neutral); err == nil {
			t.Errorf("encode(%T) = nil, want an error", body)
		}
	}
}
