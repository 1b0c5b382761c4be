package pages

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

const (
	// maxContents is how much of the inputs and outputs of a trace, or of a conversation, is read for a page, in bytes.
	maxContents = 32 << 20
	// maxLine is the largest input or output that is read for the line of a run, in bytes, and lineLength how much of each is shown.
	maxLine    = 32 << 10
	lineLength = 100
	// contentsAtOnce is the number of runs that are read together.
	contentsAtOnce = 100
)

// contents are the inputs and outputs of runs, by ID.
type contents map[string]store.RunPreview

// readContents reads those of the first runs, as far as they are small enough.
func readContents(c *rest.Call, rows []store.Run) (contents, error) {
	read, left := contents{}, maxContents
	for some := range slices.Chunk(rows, min(contentsAtOnce, limits.ListedIDs)) {
		if left <= 0 {
			break
		}
		found, err := c.Tx.RunPreviews(c.WorkspaceID, form.Collect(some, func(row store.Run) string { return row.ID }), math.MaxInt)
		if err != nil {
			return nil, err
		}
		for _, said := range found {
			read[said.ID], left = said, left-len(said.Inputs)-len(said.Outputs)
		}
	}
	return read, nil
}

// addContents adds to each run of a tree what it was asked and has answered, whether that contains the text that is searched for, and what
// is remarkable about it.
func addContents(c *rest.Call, rows []store.Run, view *web.TraceView) error {
	read, err := readContents(c, rows)
	if err != nil {
		return err
	}
	marks := marksOf(rows, read)
	search := newTextSearch(view.Find)
	eachNode(view.Roots, func(n *web.TraceNode) {
		said, is := read[n.ID]
		if !is {
			view.Unread++
			return
		}
		n.Line, n.Found, n.Marks = lineOf(llmrun.RunType(n.RunType), said), search.in(said), marks[n.ID]
	})
	return nil
}

// lineOf returns what a run was asked and has answered in a line. A call of a model has just the answer: most of its input is that of the
// calls before it.
func lineOf(of llmrun.RunType, said store.RunPreview) string {
	answer := partOfLine(said.Outputs, document.Outputs)
	if of.CallsModel() && answer != "" {
		return answer
	}
	return strings.Join(slices.DeleteFunc([]string{partOfLine(said.Inputs, document.Inputs), answer}, func(part string) bool { return part == "" }), " → ")
}

func partOfLine(raw string, side document.Side) string {
	if len(raw) > maxLine {
		return "…"
	}
	if raw == "{}" || raw == "null" {
		return ""
	}
	return form.Shortened(strings.Join(strings.Fields(previewOf(raw, side)), " "), lineLength)
}

// previewOf returns a readable summary of inputs or outputs: the last message with content, a single text, or the JSON.
func previewOf(said string, side document.Side) string {
	raw := json.RawMessage(said)
	if !json.Valid(raw) { // It was truncated.
		return said
	}
	if found, err := message.Normalize(raw, side); err == nil {
		for _, m := range slices.Backward(found.Messages) {
			if text := lineOfMessage(m); text != "" {
				return text
			}
		}
	}
	if members, is := rawjson.ReadObject(raw); is && len(members) == 1 {
		return plain(members[0].Value)
	}
	return said
}

// lineOfMessage returns the text of a message, and its calls.
func lineOfMessage(m document.Message) string {
	var parts []string
	if text := m.Text(); text != "" {
		parts = append(parts, text)
	}
	for _, b := range m.Content {
		if b.Type == "tool_call" && b.Name != nil {
			parts = append(parts, "calls "+*b.Name+" "+rawjson.Compact(b.Args))
		}
	}
	return strings.Join(parts, " ")
}

// textSearch finds a text in JSON, ignoring case.
type textSearch string

func newTextSearch(text string) textSearch { return textSearch(strings.ToLower(jsonText(text))) }

// jsonText returns a text as it stands within a JSON string.
func jsonText(text string) string {
	quoted := rawjson.Quote(text)
	return string(quoted[1 : len(quoted)-1])
}

// in reports whether inputs or outputs contain the text; an empty one is nowhere.
func (s textSearch) in(said store.RunPreview) bool {
	return s != "" && (strings.Contains(strings.ToLower(said.Inputs), string(s)) || strings.Contains(strings.ToLower(said.Outputs), string(s)))
}
