package llmruntest

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

//go:embed testdata/reported.tsv
var reported string

// Case is a row of the table, whose first line explains the columns.
type Case struct {
	// Name is the kind and the name of the case.
	Name, Op, Input string
	// Want are the results that are all right.
	Want []string
}

// Check compares the results of the cases with some operations with the expected ones. Cases whose names are pending are known to have
// other results: as soon as one of them has the right one, it fails, so that the list shrinks.
func Check(t *testing.T, ops, pending []string, result func(t *testing.T, c Case) string) {
	t.Helper()
	names := map[string]bool{}
	for line := range strings.Lines(reported) {
		w := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(w) != 6 || !slices.Contains(ops, w[2]) {
			continue
		}
		c := Case{w[0] + "/" + w[1], w[2], w[3], strings.Split(w[4], " ¦ ")}
		names[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			got := result(t, c)
			switch right := slices.ContainsFunc(c.Want, func(want string) bool { return matches(got, want) }); {
			case !right && !slices.Contains(pending, c.Name):
				t.Errorf("%s:\n got %s\nwant %s", c.Input, got, strings.Join(c.Want, "\n  or "))
			case right && slices.Contains(pending, c.Name):
				t.Error("the result is right: remove the case from the pending ones")
			}
		})
	}
	for _, name := range pending {
		if !names[name] {
			t.Errorf("there is no case %s", name)
		}
	}
}

// matches compares JSON by its values. The expected format * stands for any.
func matches(got, want string) bool {
	var a, b any
	if json.Unmarshal([]byte(got), &a) == nil && json.Unmarshal([]byte(want), &b) == nil {
		return reflect.DeepEqual(a, b)
	}
	if messages, ok := strings.CutPrefix(want, "* "); ok {
		_, got, _ = strings.Cut(got, " ")
		want = messages
	}
	return got == want
}

// Outline writes messages as the table has them: role<call>[block | block] for each.
func Outline(messages []document.Message) string {
	all := make([]string, len(messages))
	for i := range messages {
		m := &messages[i]
		blocks := make([]string, len(m.Content))
		for j := range m.Content {
			blocks[j] = outlineBlock(&m.Content[j])
		}
		call := ""
		if m.ToolCallID != nil {
			call = "<" + *m.ToolCallID + ">"
		}
		all[i] = m.Role + call + "[" + strings.Join(blocks, " | ") + "]"
	}
	return strings.Join(all, " ")
}

func outlineBlock(b *document.Block) string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	switch b.Type {
	case document.BlockText, document.BlockReasoning:
		if b.Annotations != nil {
			return b.Type + ":" + text(b.Text) + "+ann"
		}
		return b.Type + ":" + text(b.Text)
	case document.BlockToolCall, document.BlockServerToolCall:
		return b.Type + ":" + text(b.ID) + "/" + text(b.Name) + "/" + rawjson.Compact(b.Args)
	case document.BlockServerToolResult:
		return b.Type + ":" + text(b.ToolCallID) + "/" + text(b.Status) + "/" + rawjson.Compact(b.Output)
	case document.BlockImage, document.BlockFile, document.BlockAudio, document.BlockVideo:
		var members []string
		for _, m := range []struct {
			key   string
			value *string
		}{{"url", b.URL}, {"b64", b.Base64}, {"id", b.ID}, {"mime", b.MimeType}, {"text", b.Text}} {
			if m.value != nil {
				members = append(members, m.key+"="+*m.value)
			}
		}
		return b.Type + ":" + strings.Join(members, ",")
	default:
		return "?" + b.Type
	}
}
