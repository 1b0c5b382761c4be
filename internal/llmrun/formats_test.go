package llmrun

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// formatCase is a document as a program logs it, and its meaning. The cases are in testdata/formats: a file for what one
// provider or library logs, whose first lines name the documentation from which the documents and expectations were
// derived, and a paragraph for each case:
//
//	inputs · image by its address
//	{"messages":[…]}
//	user: text What is this? | image url=https://example.com/a.png
//
// A message is a line with its role, the call that it answers and its blocks. The outputs of a run have a line "usage" with
// the resulting tokens, unless they contain none, and a line "charges" with what else is billed. A line "problems" lists the problems of a document that
// violates the rules of its format; other documents have none.
type formatCase struct {
	side     document.Side
	doc      string
	messages []string
	usage    string
	charges  string
	problems []string
	// format and provider are those of the file, unless the case has its own line.
	format, provider string
}

// sideAndFeature is the first line of a case.
var sideAndFeature = regexp.MustCompile(`^(inputs|outputs) · (.+)$`)

// formatCases reads the cases of a file.
func formatCases(t *testing.T, path string) map[string]formatCase {
	t.Helper()
	data, err := os.ReadFile(path)
	assert.Must(t, err)
	head, body, _ := strings.Cut(string(data), "\n\n")
	var common formatCase
	source := false
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "source":
			source = true
		case "format":
			common.format = value
		case "provider":
			common.provider = value
		}
	}
	if !source || common.format == "" {
		t.Fatalf("%s: the first lines lack the source or the format", path)
	}
	cases := map[string]formatCase{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		title := sideAndFeature.FindStringSubmatch(lines[0])
		if title == nil || len(lines) < 2 {
			t.Fatalf("%s: not a case: %s", path, paragraph)
		}
		if _, twice := cases[lines[0]]; twice {
			t.Fatalf("%s: two cases are named %s", path, lines[0])
		}
		c := common
		c.doc = lines[1]
		if title[1] == "outputs" {
			c.side = document.Outputs
		}
		for _, line := range lines[2:] {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "usage":
				c.usage = value
			case "charges":
				c.charges = value
			case "problems":
				c.problems = strings.Split(value, ", ")
			case "format":
				c.format = value
			case "provider":
				c.provider = value
			default:
				c.messages = append(c.messages, line)
			}
		}
		cases[lines[0]] = c
	}
	return cases
}

// TestFormats reads documents as programs log them, feature by feature.
func TestFormats(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/formats/*.txt")
	assert.Must(t, err)
	count := 0
	for _, path := range paths {
		cases := formatCases(t, path)
		count += len(cases)
		for name, c := range cases {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt")+"/"+name, func(t *testing.T) {
				t.Parallel()
				c.check(t)
			})
		}
	}
	if count < 300 {
		t.Errorf("%d cases, want at least 300", count)
	}
}

func (c formatCase) check(t *testing.T) {
	t.Helper()
	d, err := message.Normalize([]byte(c.doc), c.side)
	assert.Must(t, err)
	if string(d.Format) != c.format {
		t.Errorf("format = %s, want %s", d.Format, c.format)
	}
	var got []string
	for i := range d.Messages {
		got = append(got, outline(&d.Messages[i]))
	}
	assert.Same(t, "messages", c.messages, got)
	back, _, err := message.Build(d, d.Format, false)
	assert.Must(t, err)
	assert.Same(t, "built back", decoded(t, []byte(c.doc)), decoded(t, back))
	problems, err := message.Validate([]byte(c.doc), c.side)
	assert.Must(t, err)
	assert.Same(t, "problems", c.problems, brief(t, problems))
	if c.side == document.Outputs {
		c.checkUsage(t)
		// A list of messages can be inputs or outputs.
		either, err := message.NormalizeEither([]byte(c.doc))
		assert.Must(t, err)
		if either.Side != c.side && !strings.HasPrefix(c.doc, `{"messages":`) {
			t.Errorf("side = %s, want %s", either.Side, c.side)
		}
	}
}

// checkUsage compares the usage of a run with these outputs.
func (c formatCase) checkUsage(t *testing.T) {
	t.Helper()
	run := fmt.Sprintf(`{"run_type":"llm","outputs":%s,"extra":{"metadata":{"ls_provider":%q}}}`, c.doc, c.provider)
	want, problems := usage.Read([]byte(c.usage))
	if c.charges != "" {
		assert.Must(t, json.Unmarshal([]byte(c.charges), &want.Charges))
	}
	if diff := cmp.Diff(want, decodeRun(t, run).Usage().Usage); diff != "" || c.usage != "" && problems != nil {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

// outline formats a message on one line.
func outline(m *document.Message) string {
	blocks := make([]string, len(m.Content))
	for i := range m.Content {
		blocks[i] = outlineBlock(&m.Content[i])
	}
	who := m.Role
	if m.ToolCallID != nil {
		who += " " + *m.ToolCallID
	}
	return strings.TrimSpace(who + ": " + strings.Join(blocks, " | "))
}

// outlineBlock formats a block: its type, then its content.
func outlineBlock(b *document.Block) string {
	words := []string{b.Type}
	if b.ToolCallID != nil {
		words = append(words, "of "+*b.ToolCallID)
	}
	if b.Name != nil {
		words = append(words, *b.Name)
	}
	if b.Text != nil && *b.Text != "" {
		words = append(words, *b.Text)
	}
	for _, m := range []struct {
		key   string
		value *string
	}{{"id", b.ID}, {"url", b.URL}, {"base64", b.Base64}, {"mime", b.MimeType}, {"status", b.Status}} {
		if m.value != nil {
			words = append(words, m.key+"="+*m.value)
		}
	}
	for _, m := range []struct {
		key   string
		value json.RawMessage
	}{{"args", b.Args}, {"output", b.Output}, {"annotations", b.Annotations}} {
		if m.value != nil {
			words = append(words, m.key+"="+string(m.value))
		}
	}
	return strings.Join(words, " ")
}
