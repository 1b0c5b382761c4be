package store

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// RunFigures is what a run contributes to the tokens and costs of the runs above it, and its place among them.
type RunFigures struct {
	ID, TraceID    string
	RunType        string
	ParentRunID    *string
	DottedOrder    *string // Nil while its parent is unknown.
	FirstTokenTime *time.Time

	PromptTokens, CompletionTokens, TotalTokens int64
	PromptCost, CompletionCost, TotalCost       *string // US dollars, as exact decimals.
	Figures                                     string  // A JSON object.
	// Failed runs have an error. Interrupted ones are those whose error is an interrupt of a graph.
	Failed, Interrupted bool
}

const figureColumns = `r.id, r.trace_id, r.run_type, r.parent_run_id, r.dotted_order, r.first_token_time, r.prompt_tokens,
	r.completion_tokens, r.total_tokens, r.prompt_cost, r.completion_cost, r.total_cost, r.error IS NOT NULL, coalesce(` + interrupted + `, FALSE)`

// interrupted selects the same errors as llmrun.Interrupted.
const interrupted = "(r.error LIKE 'GraphInterrupt%' OR r.error LIKE '%\n\nGraphInterrupt:%')"

// columns are the figureColumns.
func (f *RunFigures) columns() []any {
	return []any{
		&f.ID, &f.TraceID, &f.RunType, &f.ParentRunID, &f.DottedOrder, nullableTimeColumn{&f.FirstTokenTime}, &f.PromptTokens,
		&f.CompletionTokens, &f.TotalTokens, &f.PromptCost, &f.CompletionCost, &f.TotalCost, &f.Failed, &f.Interrupted,
	}
}

func scanFigures(row scanner) (RunFigures, error) {
	var f RunFigures
	err := row.Scan(append(f.columns(), &f.Figures)...)
	return f, err
}

// EachFigures calls visit with the figures of every matching run, in no particular order, until visit fails.
func (t *Tx) EachFigures(f RunFilter, visit func(RunFigures) error) error {
	f, err := t.narrow(f)
	if err != nil {
		return err
	}
	statement, args := f.figures()
	return each(t, scanFigures, visit, statement, args...)
}

func (f RunFilter) figures() (string, []any) {
	where, args := f.conditions()
	return "SELECT " + figureColumns + ", r.figures FROM runs r WHERE " + where, args
}

// EachFiguresOfTraces is EachFigures for all runs in the traces of the matching runs. Runs without figures that call no model are skipped.
// The JSON objects are included only on request, because decoding them takes most of the time. Otherwise, they say no more than whether
// the cost is complete.
func (t *Tx) EachFiguresOfTraces(f RunFilter, whole bool, visit func(RunFigures) error) error {
	f, err := t.narrow(f)
	if err != nil {
		return err
	}
	statement, args := f.figuresOfTraces(whole)
	return each(t, scanFigures, visit, statement, args...)
}

// CompleteCost is the JSON object of a run whose cost is complete, if nothing else of it is read. It is how such objects begin.
const CompleteCost = `{"cost_incomplete":[]}`

// onlyComplete selects of a JSON object whether the cost is complete.
const onlyComplete = `CASE WHEN r.figures LIKE '{"cost_incomplete":[]%' THEN '` + CompleteCost + `'
	WHEN r.figures LIKE '{"cost_incomplete":[%' THEN '{"cost_incomplete":[""]}' ELSE '{}' END`

// figuresOfTraces names the index, because SQLite would otherwise read the whole workspace.
func (f RunFilter) figuresOfTraces(whole bool) (string, []any) {
	where, args := f.conditions()
	figures := onlyComplete
	if whole {
		figures = "r.figures"
	}
	return "SELECT " + figureColumns + ", " + figures + ` FROM runs r` + using("runs_of_trace") + `
		WHERE r.trace_id IN (SELECT r.trace_id FROM runs r WHERE ` + where + `) AND r.workspace_id = ? AND ` + alive("r") + `
		AND (r.figures <> '{}' OR r.first_token_time IS NOT NULL OR r.run_type IN ('llm', 'embedding'))`, append(args, f.WorkspaceID)
}

// RunTiming contains the times and the outcome of a run.
type RunTiming struct {
	ID        string
	TraceID   string
	Group     string // The value by which runs were grouped, if they were.
	StartTime time.Time
	EndTime   *time.Time
	Failed    bool
}

// RunGroup is the criterion for grouping runs. The zero value doesn't group.
type RunGroup struct {
	// Column of runs, a string.
	Column RunColumn
	// Labels groups by tags or by a metadata entry. A run with several tags is in several groups, and one without a label
	// in none.
	Labels *LabelGroup
	// Feedback groups by the scores, or the other values, of feedback with a key: a run without any is in no group.
	Feedback string
}

// RunColumn is a column by which runs can be grouped.
type RunColumn string

// The columns.
const (
	ByName    RunColumn = "r.name"
	ByRunType RunColumn = "r.run_type"
	ByStatus  RunColumn = "r.status"
)

// LabelGroup selects the tags, or the metadata entries with a key.
type LabelGroup struct {
	Kind LabelKind
	Key  string // Empty for tags.
	// Pairs selects all metadata entries: groups are JSON lists of a key and a value.
	Pairs bool
}

func scanTiming(row scanner) (RunTiming, error) {
	var r RunTiming
	err := row.Scan(&r.ID, &r.TraceID, &r.Group, timeColumn{&r.StartTime}, nullableTimeColumn{&r.EndTime}, &r.Failed)
	return r, err
}

// EachTiming calls visit with every matching run, once for each of its groups, in no particular order, until visit
// fails.
func (t *Tx) EachTiming(f RunFilter, by RunGroup, visit func(RunTiming) error) error {
	f, err := t.narrow(f)
	if err != nil {
		return err
	}
	statement, args := f.timings(by)
	return each(t, scanTiming, visit, statement, args...)
}

// timings reads the runs first, which the cross join enforces: there can be many more labels than matching runs.
func (f RunFilter) timings(by RunGroup) (string, []any) {
	where, args := f.conditions()
	group, labels, of := by.joined()
	distinct := ""
	if by.Feedback != "" { // Several people can give a run the same score.
		distinct = "DISTINCT "
	}
	return "SELECT " + distinct + "r.id, r.trace_id, " + group + ", r.start_time, r.end_time, r.error IS NOT NULL FROM runs r" + labels + " WHERE " + where, append(of, args...)
}

// joined returns the group of a run, and the join that it requires.
func (g RunGroup) joined() (group, labels string, args []any) {
	const join = thenJoin + "run_labels l ON l.run = r.seq AND l.kind = ?"
	switch {
	case g.Labels != nil && g.Labels.Pairs:
		return pair("l.key", "l.value"), join, []any{Metadata}
	case g.Labels != nil:
		return "l.value", join + " AND l.key = ?", []any{g.Labels.Kind, g.Labels.Key}
	case g.Feedback != "":
		return "coalesce(CAST(l.score AS TEXT), l.value)", thenJoin + "feedback l ON l.workspace_id = r.workspace_id AND l.run_id = r.id AND l.key = ? " +
			"AND (l.score IS NOT NULL OR l.value IS NOT NULL)", []any{g.Feedback}
	case g.Column != "":
		return string(g.Column), "", nil
	default:
		return "''", "", nil
	}
}

// GroupCount is the number of runs in a group.
type GroupCount struct {
	Group string
	Runs  int
}

func scanGroupCount(row scanner) (GroupCount, error) {
	var g GroupCount
	err := row.Scan(&g.Group, &g.Runs)
	return g, err
}

// newest narrows a filter, and if its conditions need answers, it selects only the newest matching runs.
func (t *Tx) newest(f RunFilter, newest int) (RunFilter, error) {
	f, err := t.narrow(f)
	if err != nil || !f.condition().needsAnswers() {
		return f, err
	}
	found := RunFilter{WorkspaceID: f.WorkspaceID, on: f.on, candidates: &candidates{listed: jsonNumbers{}}}
	return found, t.inParts(f, false, nil, newest, func(part RunFilter, limit int) (int, error) {
		statement, args := part.listOf("r.seq", false, nil, limit)
		some, err := query(t, scanNumber, statement, args...)
		found.candidates.listed = append(found.candidates.listed, some...)
		return len(some), err
	})
}

// CountGroups counts the newest matching runs in each group. The largest groups come first.
func (t *Tx) CountGroups(f RunFilter, by RunGroup, newest, groups int) ([]GroupCount, error) {
	f, err := t.newest(f, newest)
	if err != nil {
		return nil, err
	}
	where, args := f.conditions()
	group, labels, of := by.joined()
	return query(t, scanGroupCount, "SELECT "+group+", count(*) FROM (SELECT * FROM runs r WHERE "+where+
		" ORDER BY r.start_time DESC, r.seq DESC LIMIT ?) r"+labels+" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
		slices.Concat(args, []any{newest}, of, []any{groups})...)
}

// CountFacets is CountGroups for several groupings, which read the runs and their labels once.
func (t *Tx) CountFacets(f RunFilter, by []RunGroup, newest, groups int) ([][]GroupCount, error) {
	f, err := t.newest(f, newest)
	if err != nil {
		return nil, err
	}
	where, args := f.conditions()
	args = append(args, newest)
	counts := make([]string, len(by))
	for i, of := range by {
		group, grouped, from := string(of.Column), string(of.Column), "newest r"
		if of.Labels != nil {
			group, grouped, from = "l.value", "l.value", "labels l WHERE l.kind = ? AND l.key = ?"
			args = append(args, of.Labels.Kind, of.Labels.Key)
			if of.Labels.Pairs {
				group, grouped, from = pair("l.key", "l.value"), "l.key, l.value", "labels l WHERE l.kind = ?"
				args = args[:len(args)-1]
			}
		}
		counts[i] = "SELECT * FROM (SELECT " + strconv.Itoa(i) + ", " + group + ", count(*) FROM " + from + " GROUP BY " + grouped + " ORDER BY 3 DESC, 2 LIMIT ?) g"
		args = append(args, groups)
	}
	all := make([][]GroupCount, len(by))
	return all, each(t, func(row scanner) (g groupOf, err error) {
		err = row.Scan(&g.by, &g.Group, &g.Runs)
		return g, err
	}, func(g groupOf) error {
		all[g.by] = append(all[g.by], g.GroupCount)
		return nil
	}, "WITH newest AS MATERIALIZED (SELECT r.seq, r.name, r.run_type, r.status FROM runs r WHERE "+where+
		" ORDER BY r.start_time DESC, r.seq DESC LIMIT ?), labels AS MATERIALIZED (SELECT l.kind, l.key, l.value FROM newest r"+
		thenJoin+"run_labels l ON l.run = r.seq) "+strings.Join(counts, " UNION ALL "), args...)
}

// groupOf is a group of a grouping with a number.
type groupOf struct {
	by int
	GroupCount
}

// EachTimingOfTraces is EachTiming for runs in the traces of other runs.
func (t *Tx) EachTimingOfTraces(traces, f RunFilter, by RunGroup, visit func(RunTiming) error) error {
	among, of := traces.in(t).conditions()
	where, args := f.in(t).conditions()
	group, labels, joined := by.joined()
	return each(t, scanTiming, visit, "SELECT r.id, r.trace_id, "+group+", r.start_time, r.end_time, r.error IS NOT NULL FROM runs r"+using("runs_of_trace")+labels+
		" WHERE r.trace_id IN (SELECT r.trace_id FROM runs r WHERE "+among+") AND "+where, slices.Concat(joined, of, args)...)
}
