package part

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// TestReasoningParts reads one text, and keeps everything else in extras.
func TestReasoningParts(t *testing.T) {
	t.Parallel()
	const summary, mixed = `[{"type":"summary_text","text":"s"}]`, `[{"type":"summary_text","text":"s"},7]`
	for name, test := range map[string]struct {
		members string
		text    string
		extras  document.Extras
	}{
		"a text":             {`"reasoning":"r"`, "r", nil},
		"a summary":          {`"summary":` + summary, "s", nil},
		"both":               {`"reasoning":"r","summary":` + summary, "r", document.Extras{"summary": json.RawMessage(summary)}},
		"an unknown summary": {`"summary":` + mixed, "s", document.Extras{"summary": json.RawMessage(mixed)}},
	} {
		b := Append(nil, json.RawMessage(`{"type":"reasoning",`+test.members+`}`))[0]
		var text string
		if b.Text != nil {
			text = *b.Text
		}
		if text != test.text {
			t.Errorf("%s: text = %q, want %q", name, text, test.text)
		}
		if diff := cmp.Diff(test.extras, b.Extras); diff != "" {
			t.Errorf("%s: extras (-want +got):\n%s", name, diff)
		}
	}
}
