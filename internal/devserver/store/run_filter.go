package store

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// RunFilter selects runs; empty fields match all.
type RunFilter struct {
	WorkspaceID string
	ProjectIDs  []string
	IDs         []string
	TraceID     string
	ParentRunID string
	RunType     string
	Root        *bool
	BelowRoot   bool // Directly.
	Failed      *bool
	From, To    *time.Time // Bounds of start_time: From inclusive, To exclusive.
	Status      string
	// Newest, unless 0, limits the search to that many newest runs of the projects, so that a search for something rare
	// ends.
	Newest   int
	Examples []string // Dataset examples for which the runs were made.
	// Where, RootWhere and TreeWhere must hold for the run, for the root of its trace, and for any run of its trace.
	Where, RootWhere, TreeWhere filter.Expr
	// Subtrees makes these conditions compare tokens, costs and first tokens of a run including all runs below it.
	Subtrees bool
	// FeedbackFrom and FeedbackTo restrict the feedback in these conditions by the time of its last change: From inclusive,
	// To exclusive.
	FeedbackFrom, FeedbackTo *time.Time

	candidates *candidates // What the search index knows; nil before narrow, and if it knows nothing.
	traces     traces
	on         dialect // Nil before a transaction has set it: that of SQLite.
}

// in makes a filter one of the transaction's database.
func (f RunFilter) in(t *Tx) RunFilter {
	f.on = t.backend
	return f
}

// RunCursor is the position of a run in lists.
type RunCursor struct {
	StartTime time.Time
	Seq       int64
}

// startColumn is the column for comparing times. The plus keeps SQLite from using an index: runs are found by ID first.
func (f RunFilter) startColumn() string {
	if f.IDs != nil || f.narrowed() {
		return unindexed("r.start_time")
	}
	return "r.start_time"
}

func (f RunFilter) conditions() (string, []any) {
	where, args := "r.workspace_id = ?", []any{f.WorkspaceID}
	if f.IDs == nil && (f.ProjectIDs != nil || f.TraceID != "" || f.ParentRunID != "") || f.narrowed() {
		where = "+" + where // Conditions narrower than a workspace should not use the index on workspaces.
	}
	and := func(condition string, values ...any) {
		where += " AND " + condition
		args = append(args, values...)
	}
	if f.ProjectIDs != nil {
		of := ofProjects(f.ProjectIDs)
		if f.narrowed() {
			of = of.within("+", "")
		}
		and(of.text, of.arguments...)
	} else {
		and(alive("r"))
	}
	if f.IDs != nil {
		and("r.id IN ("+marks(len(f.IDs))+")", anys(f.IDs)...)
	}
	for _, of := range []struct{ column, value string }{
		{"r.trace_id", f.TraceID}, {"r.parent_run_id", f.ParentRunID}, {"r.run_type", f.RunType}, {"r.status", f.Status},
	} {
		if of.value != "" {
			and(of.column+" = ?", of.value)
		}
	}
	if f.Root != nil {
		and("r.is_root = ?", *f.Root)
	}
	if f.BelowRoot {
		and("r.parent_run_id = r.trace_id")
	}
	if f.Failed != nil { // The index contains only the failed ones.
		and(map[bool]string{true: "r.error IS NOT NULL", false: "r.error IS NULL"}[*f.Failed])
	}
	if f.From != nil {
		and(f.startColumn()+" >= ?", micros(*f.From))
	}
	if f.To != nil {
		and(f.startColumn()+" < ?", micros(*f.To))
	}
	if f.Newest > 0 {
		of := ofProjects(f.ProjectIDs)
		and("r.start_time >= coalesce((SELECT r.start_time FROM runs r WHERE "+of.text+
			" ORDER BY r.start_time DESC LIMIT 1 OFFSET ?), ?)", append(of.arguments, f.Newest-1, int64(math.MinInt64))...)
	}
	if f.listed() {
		and("r.seq IN "+numbers("?"), f.candidates.listed)
	}
	for _, c := range f.asked(condition{where, args}) {
		and(c.text, c.arguments...)
	}
	return where, args
}

// asked returns the conditions that may need questions, about runs that satisfy others.
func (f RunFilter) asked(others condition) (all []condition) {
	run, of := f.row("r"), others
	if f.candidates != nil && !f.listed() {
		known := others
		run.among = func() condition { return known }
		c := run.on.askColumn(run, f.candidates, condition{text: "r.seq"})
		all, others = append(all, c), join([]condition{others, c}, "AND", true)
	}
	run.among = func() condition { return f.cheaper(run, of, others) }
	return append(all, f.wheres(run, of)...)
}

// row is a row of the runs that a statement reads for the filter.
func (f RunFilter) row(alias string) runRow {
	run := runRow{on: f.on, alias: alias, whole: f.Subtrees, feedbackFrom: f.FeedbackFrom, feedbackTo: f.FeedbackTo}
	if run.on == nil {
		run.on = sqliteSQL{}
	}
	return run
}

// listed reports whether runs are looked up by the numbers that the search index returned.
func (f RunFilter) listed() bool {
	return f.candidates != nil && f.candidates.listed != nil
}

// narrowed reports whether runs are looked up by what the search index returned.
func (f RunFilter) narrowed() bool { return f.listed() || f.traces.few }

// ofProjects selects runs of some projects that aren't being deleted. A single project is compared with =, so that an index returns its runs in list
// order.
func ofProjects(ids []string) condition {
	if len(ids) == 1 {
		return where("r.project = (SELECT p.seq FROM projects p WHERE p.id = ? AND p.workspace_id <> '')", ids[0])
	}
	return where("r.project IN (SELECT p.seq FROM projects p WHERE p.workspace_id <> '' AND p.id IN ("+marks(len(ids))+"))", anys(ids)...)
}

// wheres returns the conditions that need more than a column. All runs satisfy others.
func (f RunFilter) wheres(run runRow, others condition) []condition {
	root, other := f.row("t"), f.row("t")
	root.among = func() condition { return run.among().within("t.id IN (SELECT r.trace_id FROM runs r WHERE ", ")") }
	other.among = func() condition {
		return run.among().within("t.trace_id IN (SELECT r.trace_id FROM runs r WHERE ", ")")
	}
	all := f.traces.conditions()
	if f.Where != nil {
		all = append(all, run.holds(f.Where))
	}
	if f.RootWhere != nil {
		all = append(all, run.inRoot(f.WorkspaceID, f.traces.roots.among(root, f.RootWhere)))
	}
	if f.TreeWhere != nil {
		all = append(all, run.inTrace(f.WorkspaceID, others, f.traces.members.among(other, f.TreeWhere)))
	}
	if f.Examples != nil {
		all = append(all, run.madeFor(f.Examples))
	}
	return all
}

// candidatesAtOnce is the number of candidates whose bodies are read before it is known whether a page is full.
const candidatesAtOnce = 256

// unread is the filter without what reads bodies.
func (f RunFilter) unread() RunFilter {
	f.Where, f.RootWhere, f.TreeWhere, f.Examples = nil, nil, nil, nil
	return f
}

// listedRuns is Runs for listed candidates. It sorts them before it reads their bodies, so that it reads those of a page only.
func (t *Tx) listedRuns(f RunFilter, ascending bool, after *RunCursor, limit int) ([]Run, error) {
	statement, args := f.unread().listOf("r.seq", ascending, after, len(f.candidates.listed))
	sorted, err := query(t, scanNumber, statement, args...)
	found := []Run{}
	for some := range slices.Chunk(sorted, candidatesAtOnce) {
		if err != nil || len(found) == limit {
			break
		}
		f.candidates = &candidates{listed: some}
		statement, args := f.list(ascending, nil, limit-len(found))
		var more []Run
		more, err = query(t, scanRun, statement, args...)
		found = append(found, more...)
	}
	return found, err
}

// pagedRuns is Runs for a filter whose questions, or conditions on traces, are answered ahead: it asks about some runs at a time, until the page is full.
func (t *Tx) pagedRuns(f RunFilter, ascending bool, after *RunCursor, limit int) ([]Run, error) {
	known, unread, found := f.candidates, f.unread(), []Run{}
	unread.candidates = nil
	for some := candidatesAtOnce; len(found) < limit; some = min(2*some, 8*candidatesAtOnce) {
		statement, args := unread.listOf("r.start_time, r.seq", ascending, after, some)
		next, err := query(t, scanRunCursor, statement, args...)
		if err != nil {
			return nil, err
		}
		f.candidates = &candidates{listed: jsonNumbers{}}
		for _, run := range next {
			if known == nil || known.has(run.Seq) {
				f.candidates.listed = append(f.candidates.listed, run.Seq)
			}
			after = &run
		}
		statement, args = f.list(ascending, nil, limit-len(found))
		more, err := query(t, scanRun, statement, args...)
		found = append(found, more...)
		if err != nil || len(next) < some {
			return found, err
		}
	}
	return found, nil
}

func scanRunCursor(row scanner) (c RunCursor, err error) {
	err = row.Scan(timeColumn{&c.StartTime}, &c.Seq)
	return c, err
}

// marks returns n placeholders. None match nothing, as in IN ().
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func anys[T any](values []T) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}
