package pages

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// marks are what is remarkable about runs, by ID. None of it is an error for sure.
type marks map[string][]web.Mark

func (m marks) add(id, label, reason string) {
	if mark := (web.Mark{Label: label, Reason: reason}); !slices.Contains(m[id], mark) {
		m[id] = append(m[id], mark)
	}
}

// marksOf finds calls of tools that are repeated, outputs that report an error though the run has none, and where the argument of a failed
// call comes from. It reads what that needs: calls of models, which are most of a trace, only where they are shown. The view says for how many
// the rest wasn't done.
func marksOf(c *rest.Call, rows []store.Run, view *web.TraceView, shown map[string]bool, read contents) (found marks, err error) {
	examined := idsOf(rows, func(row *store.Run) bool { return shown[row.ID] || !llmrun.RunType(row.RunType).CallsModel() })
	if err := read.read(c, examined); err != nil {
		return nil, err
	}
	view.Unexamined = int64(len(rows) - len(examined))
	found = marks{}
	found.addRepeated(rows, read)
	view.Unsearched, err = found.addOrigins(c, found.addReported(rows, read), read)
	return found, err
}

func isTool(row *store.Run) bool { return llmrun.RunType(row.RunType) == llmrun.RunTypeTool }

// addRepeated marks calls of one tool with equal arguments. A call within another one is the same call, recorded twice.
func (m marks) addRepeated(rows []store.Run, read contents) {
	calls := map[string][]*store.Run{}
	for i := range rows {
		row := &rows[i]
		said := read[row.ID]
		if said.ID == "" || !isTool(row) {
			continue
		}
		key := row.Name + "\n" + sorted(said.Inputs)
		if !slices.ContainsFunc(calls[key], func(other *store.Run) bool { return row.IsBelow(other.ID) }) {
			calls[key] = append(calls[key], row)
		}
	}
	for _, equal := range calls {
		for i, row := range equal {
			if len(equal) > 1 {
				m.add(row.ID, "repeated", fmt.Sprintf("call %d of %d of %s with equal arguments", i+1, len(equal), row.Name))
			}
		}
	}
}

// sorted returns JSON with the keys of objects in order.
func sorted(text string) string {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber() // Large numbers keep all digits.
	var value any
	if decoder.Decode(&value) != nil {
		return text
	}
	encoded, _ := json.Marshal(value) // It was decoded from JSON.
	return string(encoded)
}

// addReported marks runs that succeeded with an output that reports an error. It returns all failed calls of tools.
func (m marks) addReported(rows []store.Run, read contents) (failed []*store.Run) {
	for i := range rows {
		row := &rows[i]
		if row.Status != string(llmrun.StatusSuccess) {
			if row.Error != nil && isTool(row) && !llmrun.Interrupted(*row.Error) {
				failed = append(failed, row)
			}
			continue
		}
		depth := maxWrappers
		if llmrun.RunType(row.RunType).CallsModel() {
			depth = 0 // What the model says isn't an error of the call.
		}
		if reason := reportedError(json.RawMessage(read[row.ID].Outputs), depth); reason != "" {
			m.add(row.ID, "reports an error", "the output has "+reason+", and the run succeeded")
			if isTool(row) {
				failed = append(failed, row)
			}
		}
	}
	return failed
}

// maxWrappers is how deep outputs are wrapped.
const maxWrappers = 3

// wrappers are the members that have the output itself.
var wrappers = []string{"output", "result", "content", "kwargs", "response"}

// reportedError describes the error that an output reports; empty if it reports none.
func reportedError(raw json.RawMessage, depth int) string {
	if text, is := rawjson.ReadString(raw); is {
		raw = json.RawMessage(text)
	}
	if !json.Valid(raw) {
		return ""
	}
	object, _ := rawjson.ReadObject(raw)
	if value := object.Get("error"); !rawjson.IsEmpty(value) && string(value) != "false" && string(value) != "0" {
		return "error: " + form.Shortened(plain(value), lineLength)
	}
	for _, key := range []string{"is_error", "isError"} {
		if string(object.Get(key)) == "true" {
			return key + ": true"
		}
	}
	for _, key := range []string{"status", "status_code", "statusCode"} {
		if status, err := decimal.Parse(string(object.Get(key))); err == nil && status.Cmp(decimal.Of(400)) >= 0 && status.Cmp(decimal.Of(600)) < 0 {
			return key + ": " + status.String()
		}
	}
	for _, key := range wrappers {
		if inner := object.Get(key); inner != nil && depth > 0 {
			if reason := reportedError(inner, depth-1); reason != "" {
				return reason
			}
		}
	}
	return ""
}

const (
	// minOrigin is the length from which a text says where it comes from.
	minOrigin = 12
	// maxOrigins is the number of different texts that are searched for, and of calls with one: each text costs time for each byte of a
	// trace, and each call is a mark.
	maxOrigins = 100
)

// addOrigins marks for each failed call the first run whose output has the longest text among its arguments. It returns the number of calls
// whose texts are too many.
func (m marks) addOrigins(c *rest.Call, failed []*store.Run, read contents) (unsearched int64, err error) {
	var searches filter.Or
	calls := map[string][]*store.Run{} // By their texts.
	for _, row := range failed {
		text := longest(textsIn(json.RawMessage(read[row.ID].Inputs)))
		switch {
		case utf8.RuneCountInString(text) < minOrigin:
			continue
		case calls[text] == nil && len(calls) == maxOrigins, len(calls[text]) == maxOrigins:
			unsearched++
			continue
		case calls[text] == nil:
			searches.Terms = append(searches.Terms, filter.Search{Text: verbatimPart(text)})
		}
		calls[text] = append(calls[text], row)
	}
	if len(calls) == 0 {
		return 0, nil
	}
	rows, err := c.Tx.TraceRuns(store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: failed[0].TraceID, Where: searches})
	if err == nil {
		err = read.read(c, idsOf(rows, func(*store.Run) bool { return true }))
	}
	decoded := contents{}
	for _, row := range rows {
		said := read[row.ID]
		said.Outputs = withTexts(said.Outputs)
		if row.ParentRunID == nil {
			said.Inputs = withTexts(said.Inputs)
		}
		decoded[row.ID] = said
	}
	for _, text := range slices.Sorted(maps.Keys(calls)) {
		first := firstWith(rows, decoded, text)
		for _, row := range calls[text] {
			if first != nil && decoded[first.ID].ID != "" && first.ID != row.ID && !first.EndTime.After(row.StartTime) {
				m.add(first.ID, "origin", fmt.Sprintf("the first output with %q, with which %s failed", form.Shortened(text, lineLength), row.Name))
			}
		}
	}
	return unsearched, err
}

// firstWith returns the first run whose output has a text, or may have it because it couldn't be read; nil if the trace begins with the text.
func firstWith(rows []store.Run, decoded contents, text string) (first *store.Run) {
	for i := range rows {
		row, said := &rows[i], decoded[rows[i].ID]
		if row.ParentRunID == nil && (said.ID == "" || strings.Contains(said.Inputs, text)) {
			return nil
		}
		if row.EndTime == nil || said.ID != "" && !strings.Contains(said.Outputs, text) {
			continue
		}
		// Of runs that ended together, the innermost one has made the output.
		if first == nil || row.EndTime.Before(*first.EndTime) || row.EndTime.Equal(*first.EndTime) && len(api.OrEmpty(row.DottedOrder)) > len(api.OrEmpty(first.DottedOrder)) {
			first = row
		}
	}
	return first
}

// withTexts returns JSON and the texts in it.
func withTexts(raw string) string {
	return strings.Join(append(textsIn(json.RawMessage(raw)), raw), "\n")
}

// textsIn returns the texts in JSON, also in JSON within texts.
func textsIn(raw json.RawMessage) (all []string) {
	if text, is := rawjson.ReadString(raw); is {
		raw = json.RawMessage(text)
		if !rawjson.IsObject(raw) && !rawjson.IsArray(raw) || !json.Valid(raw) {
			return []string{text}
		}
	}
	elements, _ := rawjson.ReadArray(raw)
	for _, element := range elements {
		all = append(all, textsIn(element)...)
	}
	members, _ := rawjson.ReadObject(raw)
	for _, member := range members {
		all = append(all, textsIn(member.Value)...)
	}
	return all
}

// verbatimPart returns the longest part of a text that isn't escaped in any JSON, by which also JSON within texts is found; the text if all
// parts are short.
func verbatimPart(text string) string {
	escaped := func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\/<>&'`, r) }
	if part := longest(strings.FieldsFunc(text, escaped)); len(part) >= minOrigin/2 {
		return part
	}
	return text
}

// longest returns the first of the texts with the most characters; empty if there are none.
func longest(texts []string) string {
	return slices.MaxFunc(append(texts, ""), func(a, b string) int { return utf8.RuneCountInString(a) - utf8.RuneCountInString(b) })
}
