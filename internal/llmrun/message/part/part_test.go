package part

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
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
		o, _ := rawjson.ReadObject([]byte(`{"type":"reasoning",` + test.members + `}`))
		b := Append(nil, o)[0]
		var text string
		if b.Text != nil {
			text = *b.Text
		}
		assert.Same(t, fmt.Sprintf("%s: text", name), test.text, text)
		assert.Same(t, fmt.Sprintf("%s: extras", name), test.extras, b.Extras)
	}
}

// TestTable demands that each word of the table of forms is known.
func TestTable(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		lines++
		for i, word := range words {
			name, isShort := strings.CutPrefix(word, "$")
			taker, isTaker := strings.CutPrefix(word, "by:")
			switch {
			case isShort && i > 0 && !strings.Contains(table, "\n$"+name+" ") && strings.Count(" media file url input_audio function custom ", " "+name+" ") == 0:
				t.Errorf("%s%s isn't defined", line, word)
			case isTaker && takers[taker] == nil:
				t.Errorf("%s%s isn't a function", line, word)
			case i > 0 && words[i-1] == "->" && BlockFields[word] == nil && word != "media":
				t.Errorf("%s%s isn't the type of a block", line, word)
			}
		}
	}
	if lines < 100 {
		t.Errorf("%d lines, want at least 100", lines)
	}
}
