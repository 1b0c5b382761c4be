package store

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// Runs lists runs by start time, newest first unless ascending, starting after a cursor if there is one.
func (t *Tx) Runs(f RunFilter, ascending bool, after *RunCursor, limit int) ([]Run, error) {
	f, err := t.narrow(f)
	if err != nil {
		return nil, err
	}
	statement, args := f.list(ascending, after, limit)
	if !f.listed() && (limit < 0 || f.TreeWhere == nil && !condition{arguments: args}.needsAnswers()) {
		return query(t, scanRun, statement, args...)
	}
	if limit < 0 {
		limit = math.MaxInt
	}
	all := []Run{}
	err = t.inParts(f, ascending, after, limit, func(part RunFilter, limit int) (int, error) {
		statement, args := part.list(ascending, nil, limit)
		found, err := query(t, scanRun, statement, args...)
		all = append(all, found...)
		return len(found), err
	})
	return all, err
}

// list sorts the runs of traces by their numbers, and reads all columns of those on the page only.
func (f RunFilter) list(ascending bool, after *RunCursor, limit int) (string, []any) {
	if f.TraceID == "" && !f.traces.few {
		return f.listOf(runColumns, ascending, after, limit)
	}
	page, args := f.listOf("r.seq", ascending, after, limit)
	direction := map[bool]string{true: "ASC", false: "DESC"}[ascending]
	return "SELECT " + runColumns + " FROM runs r WHERE r.seq IN (" + page + ") ORDER BY r.start_time " + direction + ", r.seq " + direction, args
}

func (f RunFilter) listOf(columns string, ascending bool, after *RunCursor, limit int) (string, []any) {
	where, args := f.conditions()
	direction, beyond := "DESC", "<"
	if ascending {
		direction, beyond = "ASC", ">"
	}
	if after != nil {
		where += " AND (" + f.startColumn() + ", r.seq) " + beyond + " (?, ?)"
		args = append(args, micros(after.StartTime), after.Seq)
	}
	return "SELECT " + columns + " FROM runs r WHERE " + where +
		" ORDER BY r.start_time " + direction + ", r.seq " + direction + " LIMIT ?", append(args, limit)
}

// RunSorts are the fields by which SortedRuns can sort.
var RunSorts = []filter.Field{filter.Latency, filter.TotalTokens, filter.TotalCost, filter.FirstTokenTime}

// SortedRuns lists the matching runs sorted by a field of RunSorts. Those without a value come last.
func (t *Tx) SortedRuns(f RunFilter, by filter.Field, ascending bool, page Page) ([]Run, error) {
	f, err := t.narrow(f)
	if err != nil {
		return nil, err
	}
	statement, args := f.sorted(by, ascending, page)
	return query(t, scanRun, statement, args...)
}

// sorted returns the sort expression. For the first token, it is the duration until it, whereas lists show its time.
func (f RunFilter) sorted(by filter.Field, ascending bool, page Page) (string, []any) {
	where, args := f.conditions()
	run := f.row("r")
	run.among = func() condition { return f.withoutQuestions().condition() }
	of := run.field(by)
	value := of.text
	if by == filter.FirstTokenTime {
		value = "(" + value + ") - r.start_time"
	}
	direction := "DESC"
	if ascending {
		direction = "ASC"
	}
	return "SELECT " + runColumns + " FROM runs r WHERE " + where + " ORDER BY " + value + " " + direction +
		" NULLS LAST, r.start_time DESC, r.seq DESC LIMIT ? OFFSET ?", append(append(args, of.arguments...), page.Limit, page.Offset)
}

// RunPreview contains the beginnings of a run's inputs and outputs, as JSON, and the example that it refers to.
type RunPreview struct{ ID, Inputs, Outputs, ExampleID string }

// previewedBody is the largest body that is decoded for a preview: a page of many larger ones would take seconds.
const previewedBody = 128 << 10

// RunPreviews returns the beginnings of the inputs and outputs of some runs; those of large runs are omitted.
func (t *Tx) RunPreviews(workspaceID string, ids []string, length int) ([]RunPreview, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := append([]any{workspaceID}, anys(ids)...)
	return query(t, func(row scanner) (p RunPreview, err error) {
		var body RunBody
		if err := row.Scan(&p.ID, packedColumn{&body.Post}, packedColumn{&body.Patch}); err != nil {
			return p, err
		}
		for name, to := range map[string]*string{"inputs": &p.Inputs, "outputs": &p.Outputs} {
			value, unread := bodyMember(t.ctx, body.Post, body.Patch, name)
			*to, err = beginning(value, length), errors.Join(err, unread)
		}
		example, unread := bodyMember(t.ctx, body.Post, body.Patch, "reference_example_id")
		p.ExampleID = strings.Trim(string(example), `"`)
		return p, errors.Join(err, unread)
	}, "SELECT r.id, b.post, b.patch FROM runs r JOIN run_bodies b ON b.run = r.seq WHERE r.workspace_id = ? AND r.id IN ("+
		marks(len(ids))+") AND length(b.post) + length(b.patch) <= ?", append(args, previewedBody)...)
}

// beginning returns at most so many characters of a text.
func beginning(text []byte, length int) string {
	if length >= len(text) {
		return string(text)
	}
	end := 0
	for ; length > 0 && end < len(text); length-- {
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	return string(text[:end])
}
