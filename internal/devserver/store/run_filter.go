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

	besides    []condition // What an operation requires besides, without questions.
	sparse     bool        // That includes a list of IDs.
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
	if f.lookedUp() {
		return unindexed("r.start_time")
	}
	return "r.start_time"
}

func (f RunFilter) conditions() (string, []any) {
	where, args := "r.workspace_id = ?", []any{f.WorkspaceID}
	if !f.byID() && (f.ProjectIDs != nil || f.TraceID != "" || f.ParentRunID != "") || f.narrowed() {
		where = "+" + where // Conditions narrower than a workspace should not use the index on workspaces.
	}
	and := func(condition string, values ...any) {
		where += " AND " + condition
		args = append(args, values...)
	}
	if f.ProjectIDs != nil {
		of := ofProjects(f.ProjectIDs)
		if f.lookedUp() {
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
	for _, c := range f.besides {
		and(c.text, c.arguments...)
	}
	if f.Newest > 0 {
		of := ofProjects(f.ProjectIDs)
		and("r.start_time >= coalesce((SELECT r.start_time FROM runs r WHERE "+of.text+
			" ORDER BY r.start_time DESC LIMIT 1 OFFSET ?), ?)", append(of.arguments, f.Newest-1, int64(math.MinInt64))...)
	}
	if f.listed() {
		and("r.seq IN "+numbers("?"), f.candidates.listed)
	}
	for _, c := range f.beyond(condition{where, slices.Clip(args)}) {
		and(c.text, c.arguments...)
	}
	return where, args
}

// beyond returns the conditions that need more than columns. All runs satisfy those on columns.
func (f RunFilter) beyond(columns condition) (all []condition) {
	run := f.row("r")
	if f.candidates != nil && !f.listed() {
		run.among = func() condition {
			others := f.withoutQuestions()
			others.candidates = nil
			return others.condition()
		}
		all = append(all, run.on.askColumn(run, f.candidates, condition{text: "r.seq"}))
	}
	run.among = func() condition { return f.withoutQuestions().condition() }
	return append(all, f.wheres(run, columns)...)
}

// condition is conditions as one.
func (f RunFilter) condition() condition {
	text, args := f.conditions()
	return condition{text, args}
}

// row is a row of the runs that a statement reads for the filter.
func (f RunFilter) row(alias string) runRow {
	run := runRow{
		on: f.on, alias: alias, workspaceID: f.WorkspaceID, whole: f.Subtrees, figures: map[string]*subtreeFigures{},
		feedbackFrom: f.FeedbackFrom, feedbackTo: f.FeedbackTo,
	}
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

// byID reports whether runs are looked up by their IDs.
func (f RunFilter) byID() bool { return f.IDs != nil || f.sparse }

// lookedUp reports whether runs are looked up, rather than read in the order of an index.
func (f RunFilter) lookedUp() bool { return f.byID() || f.narrowed() }

// ofProjects selects runs of some projects that aren't being deleted. A single project is compared with =, so that an index returns its runs in list
// order.
func ofProjects(ids []string) condition {
	if len(ids) == 1 {
		return where("r.project = (SELECT p.seq FROM projects p WHERE p.id = ? AND p.workspace_id <> '')", ids[0])
	}
	return where("r.project IN (SELECT p.seq FROM projects p WHERE p.workspace_id <> '' AND p.id IN ("+marks(len(ids))+"))", anys(ids)...)
}

// wheres returns the conditions of expressions and examples.
func (f RunFilter) wheres(run runRow, columns condition) []condition {
	root, other := f.row("t"), f.row("t")
	root.among = func() condition {
		return join([]condition{
			where("t.workspace_id = ?", f.WorkspaceID), run.among().within("t.id IN (SELECT r.trace_id FROM runs r WHERE ", ")"),
		}, "AND", true)
	}
	other.among = func() condition {
		return run.among().within("t.trace_id IN (SELECT r.trace_id FROM runs r WHERE ", ")")
	}
	all := f.traces.conditions()
	if f.Where != nil {
		all = append(all, run.holds(f.Where))
	}
	if f.RootWhere != nil {
		all = append(all, run.inRoot(f.traces.roots.among(root, f.RootWhere)))
	}
	if f.TreeWhere != nil {
		all = append(all, run.inTrace(f.tested(run, columns), f.traces.members.among(other, f.TreeWhere)))
	}
	if f.Examples != nil {
		all = append(all, run.madeFor(f.Examples))
	}
	return all
}

// tested adds to the conditions on columns what else of the filter asks nothing: traces are searched for those of fewer runs.
func (f RunFilter) tested(run runRow, columns condition) condition {
	if cheap := run.withoutQuestions(f.Where); cheap != nil {
		return join([]condition{columns, run.holds(cheap)}, "AND", true)
	}
	return columns
}

// withoutQuestions is the filter without conditions that ask: it selects at least the same runs.
func (f RunFilter) withoutQuestions() RunFilter {
	run := f.row("r")
	f.Where = run.withoutQuestions(f.Where)
	f.RootWhere = run.withoutQuestions(f.RootWhere)
	f.TreeWhere = run.withoutQuestions(f.TreeWhere)
	f.Examples, f.traces.roots, f.traces.members = nil, nil, nil
	return f
}

// candidatesAtOnce is the number of runs that a list looks at before it is known whether a page is full.
const candidatesAtOnce = 256

// inParts calls visit with filters that select the next of the sorted runs, and with how many more are needed, until it has found so many. Each part
// is larger than the one before, see nextPart. What the search index has listed is sorted at once.
func (t *Tx) inParts(f RunFilter, ascending bool, after *RunCursor, limit int, visit func(part RunFilter, limit int) (found int, err error)) error {
	all, part := f.withoutQuestions(), f
	all.TreeWhere = nil
	if !f.listed() {
		all.candidates = nil
	}
	var sorted []RunCursor
	for some := candidatesAtOnce; limit > 0; some = f.nextPart(some) {
		if !f.listed() || sorted == nil {
			most := some
			if f.listed() {
				most = len(f.candidates.listed)
			}
			statement, args := all.listOf("r.start_time, r.seq", ascending, after, most)
			var err error
			if sorted, err = query(t, scanRunCursor, statement, args...); err != nil {
				return err
			}
		}
		next := sorted[:min(some, len(sorted))]
		sorted = sorted[len(next):]
		part.candidates = &candidates{listed: jsonNumbers{}}
		for _, run := range next {
			if f.candidates == nil || f.listed() || f.candidates.has(run.Seq) {
				part.candidates.listed = append(part.candidates.listed, run.Seq)
			}
			after = &run
		}
		found, err := visit(part, limit)
		if err != nil || len(next) < some {
			return err
		}
		limit -= found
	}
	return nil
}

// nextPart is the size of the part after one of some runs. Parts that read bodies, or compute figures, grow slowly, so that not much more of that is
// done than a page needs. They do grow, because each part also costs what doesn't depend on its size, such as a list of all runs with a tag. A
// condition on any run of a trace is evaluated again for each part with runs of that trace.
func (f RunFilter) nextPart(some int) int {
	if f.TreeWhere != nil {
		return 2 * some
	}
	return max(min(2*some, 8*candidatesAtOnce), some+some/4)
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
