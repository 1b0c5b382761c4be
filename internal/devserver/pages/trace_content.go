package pages

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
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

// contents are the inputs and outputs of runs, by ID. They are empty where they are too large, or too many, to be read.
type contents map[string]store.RunPreview

// read adds those of more runs.
func (all contents) read(c *rest.Call, ids []string) error {
	left := maxContents
	for _, said := range all {
		left -= len(said.Inputs) + len(said.Outputs)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { _, is := all[id]; return is })
	for _, id := range ids {
		all[id] = store.RunPreview{}
	}
	for some := range slices.Chunk(ids, min(contentsAtOnce, limits.ListedIDs)) {
		if left <= 0 {
			break
		}
		found, err := c.Tx.RunPreviews(c.WorkspaceID, some, math.MaxInt)
		if err != nil {
			return err
		}
		for _, said := range found {
			all[said.ID], left = said, left-len(said.Inputs)-len(said.Outputs)
		}
	}
	return nil
}

// unread is the number of runs that couldn't be read.
func (all contents) unread() (n int64) {
	for _, said := range all {
		if said.ID == "" {
			n++
		}
	}
	return n
}

// idsOf returns the IDs of some runs.
func idsOf(rows []store.Run, wanted func(*store.Run) bool) (ids []string) {
	for i := range rows {
		if wanted(&rows[i]) {
			ids = append(ids, rows[i].ID)
		}
	}
	return ids
}

// addContents adds to each run of a tree whether it contains the text that is searched for, what is remarkable about it, and if its row is
// shown, what it was asked and has answered. It reads no more than that needs: traces can have thousands of large runs.
func addContents(c *rest.Call, rows []store.Run, view *web.TraceView) error {
	found := map[string]bool{}
	if view.Find != "" {
		matching, err := c.Tx.TraceRuns(store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: view.ID, Where: filter.Search{Text: view.Find}})
		if err != nil {
			return err
		}
		for _, row := range matching {
			found[row.ID] = true
		}
	}
	web.EachNode(view.Roots, func(n *web.TraceNode) { n.Found = found[n.ID] })
	unmarked := *view
	if unmarked.Only == "marked" {
		unmarked.Only = "" // Which runs are marked isn't known yet.
	}
	read := contents{}
	marks, err := marksOf(c, rows, view, unmarked.Shown(), read)
	if err != nil {
		return err
	}
	web.EachNode(view.Roots, func(n *web.TraceNode) { n.Marks = marks[n.ID] })
	shown := view.Shown()
	if err := read.read(c, idsOf(rows, func(row *store.Run) bool { return shown[row.ID] })); err != nil {
		return err
	}
	view.Unread = read.unread()
	web.EachNode(view.Roots, func(n *web.TraceNode) {
		if shown[n.ID] {
			n.Line = lineOf(llmrun.RunType(n.RunType), read[n.ID])
		}
	})
	return nil
}

// lineOf returns what a run was asked and has answered in a line, if it was read. A call of a model has just the answer: most of its input is that of the
// calls before it.
func lineOf(of llmrun.RunType, said store.RunPreview) string {
	if said.ID == "" {
		return "…"
	}
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
