package store

import (
	"database/sql/driver"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// figure is a measure of a run that can be combined with those of the runs below it.
type figure struct {
	// value is an expression after the alias of a row. earliest says that values are times of which the first counts; others are
	// added up.
	value    string
	earliest bool
	// cost reports whether the value is stored as text, which holds more digits than a number.
	cost bool
}

// figureFields are the fields that are figures.
var figureFields = map[filter.Field]figure{
	filter.TotalTokens:    {value: "total_tokens"},
	filter.PromptTokens:   {value: "prompt_tokens"},
	filter.OutputTokens:   {value: "completion_tokens"},
	filter.TotalCost:      {value: "total_cost", cost: true},
	filter.PromptCost:     {value: "prompt_cost", cost: true},
	filter.OutputCost:     {value: "completion_cost", cost: true},
	filter.FirstTokenTime: {value: "first_token_time", earliest: true},
}

// figureOf returns the figure of a field; false if the field is no figure.
func figureOf(field filter.Field) (figure, bool) {
	if of, kind, is := field.Detail(); is {
		return figure{value: memberText("figures", string(of), kind), cost: true}, true
	}
	f, is := figureFields[field]
	return f, is
}

// own is the figure of a row alone.
func (f figure) own(r runRow) string {
	if f.cost {
		return realOf(r.column(f.value))
	}
	return r.column(f.value)
}

// figureRuns are the runs whose figures, including all runs below, compare with one of some values as an operator says; nil stands for null.
type figureRuns struct {
	*subtreeFigures
	operator filter.Op
	values   []*float64
}

// compareSubtrees requires the figure of the row, including all runs below, to compare with one of some values.
func (r runRow) compareSubtrees(f figure, operator filter.Op, values ...filter.Value) condition {
	if r.figures[f.value] == nil {
		r.figures[f.value] = &subtreeFigures{figure: f, of: r}
	}
	runs := figureRuns{subtreeFigures: r.figures[f.value], operator: operator}
	for _, value := range values {
		var number *float64
		switch {
		case value.Time != nil:
			number = new(float64(micros(*value.Time)))
		case value.Number != nil:
			n, _ := strconv.ParseFloat(*value.Number, 64) // Beyond its range, it is infinite.
			number = &n
		}
		runs.values = append(runs.values, number)
	}
	return r.in(runs)
}

func (s figureRuns) find(t *Tx) (jsonNumbers, error) {
	if err := s.compute(t); err != nil {
		return nil, err
	}
	found := jsonNumbers{}
	for _, run := range s.asked {
		figure, has := s.computed[run.Seq]
		if slices.ContainsFunc(s.values, func(value *float64) bool { return s.compares(figure, has, value) }) {
			found = append(found, run.Seq)
		}
	}
	return found, nil
}

// compares reports whether a figure, if a run has it, compares with a value. It differs from all values if not.
func (s figureRuns) compares(figure float64, has bool, value *float64) bool {
	switch {
	case value == nil:
		return has == (s.operator != filter.Equal)
	case !has:
		return s.operator == filter.NotEqual
	}
	switch s.operator {
	case filter.Equal:
		return figure == *value
	case filter.NotEqual:
		return figure != *value
	case filter.Greater:
		return figure > *value
	case filter.GreaterOrEqual:
		return figure >= *value
	case filter.Less:
		return figure < *value
	default:
		return figure <= *value
	}
}

// subtreeFigures are a figure, including all runs below, of each run that can matter to a statement. They are computed from one look at all runs
// of the traces: adding up what is below each run would read a run once for every run above it. A run whose place is unknown has nothing below it.
type subtreeFigures struct {
	figure
	of       runRow
	sorted   bool // Start times are read, too, which are stored behind long dotted orders.
	asked    []RunCursor
	computed map[int64]float64 // By the numbers of those of the asked runs that have any; nil before compute.
}

// subtreeKey is a figure of the runs of a trace, or only of its root.
type subtreeKey struct {
	workspaceID, figure, traceID string
	ofRoot                       bool
}

// maxSubtreeFigures is how many figures a transaction remembers. A trace counts as one in addition, since it may have none.
const maxSubtreeFigures = 1 << 18

// rememberSubtrees remembers the figures of a trace, which change only in a transaction that writes. Those that have no more room are computed
// again: if they took the place of others, a list whose parts all have runs of the same traces would find none of them.
func (t *Tx) rememberSubtrees(key subtreeKey, figures map[int64]float64) {
	if size := len(figures) + 1; t.readOnly && t.subtreeFigures+size <= maxSubtreeFigures {
		t.subtreeFigures += size
		t.subtrees[key] = figures
	}
}

// tracesPerRead is how many traces are read at a time. Their runs are read in the order of their IDs: those of traces that were logged at about the same
// time are in the same pages of a database, which would otherwise be read again and again.
const tracesPerRead = 1000

// compute computes the figures, once.
func (s *subtreeFigures) compute(t *Tx) error {
	if s.computed != nil {
		return nil
	}
	var traces []string
	computed, inTrace := map[int64]float64{}, map[string][]int64{}
	ofRoots := true
	statement, args := s.askedRuns()
	err := each(t, scanAskedRun, func(run askedRun) error {
		s.asked = append(s.asked, run.RunCursor)
		if !run.placed {
			if run.own != nil {
				computed[run.Seq], _ = run.own.Float64()
			}
			return nil
		}
		if inTrace[run.traceID] == nil {
			traces = append(traces, run.traceID)
		}
		inTrace[run.traceID] = append(inTrace[run.traceID], run.Seq)
		ofRoots = ofRoots && run.root
		return nil
	}, statement, args...)
	if err != nil {
		return err
	}
	take := func(traceID string, figures map[int64]float64) {
		for _, run := range inTrace[traceID] {
			if figure, has := figures[run]; has {
				computed[run] = figure
			}
		}
	}
	var unknown []string
	for _, traceID := range traces {
		if figures, known := t.subtrees[s.key(traceID, ofRoots)]; known {
			take(traceID, figures)
		} else {
			unknown = append(unknown, traceID)
		}
	}
	for some := range slices.Chunk(unknown, tracesPerRead) {
		err := s.eachTrace(t, some, ofRoots, func(traceID string, figures map[int64]float64) {
			t.rememberSubtrees(s.key(traceID, ofRoots), figures)
			take(traceID, figures)
		})
		if err != nil {
			return err
		}
	}
	s.computed = computed
	return nil
}

func (s *subtreeFigures) key(traceID string, ofRoot bool) subtreeKey {
	return subtreeKey{s.of.workspaceID, s.value, traceID, ofRoot}
}

// askedRuns reads the runs that the statement can ask about.
func (s *subtreeFigures) askedRuns() (string, []any) {
	among := s.of.among()
	run, start := s.of.alias+".", "0"
	if s.sorted {
		start = run + "start_time"
	}
	return "SELECT " + start + ", " + run + "seq, " + run + "trace_id, " + run + "is_root, " + run + "dotted_order IS NOT NULL, CASE WHEN " + run +
		"dotted_order IS NULL THEN " + run + s.value + " END FROM runs " + s.of.alias + " WHERE " + among.text, among.arguments
}

// askedRun is a run with its trace; without a place in that, it has its own figure.
type askedRun struct {
	RunCursor
	traceID      string
	root, placed bool
	own          *big.Rat
}

func scanAskedRun(row scanner) (r askedRun, err error) {
	var value any
	if err = row.Scan(timeColumn{&r.StartTime}, &r.Seq, &r.traceID, &r.root, &r.placed, &value); err == nil {
		r.own, err = ratOf(value)
	}
	return r, err
}

// eachTrace computes the figures of all runs of some traces. Of roots, it needs only the runs that have any: a root contains the whole trace.
func (s *subtreeFigures) eachTrace(t *Tx, ids []string, ofRoots bool, visit func(traceID string, figures map[int64]float64)) error {
	if ofRoots {
		return s.readTraces(t, ids, "'', '', ''", " AND (d.is_root OR d."+s.value+" IS NOT NULL)", func(trace []*subtreeRun) {
			figures, _ := s.sums(trace)
			visit(trace[0].traceID, figures)
		})
	}
	var incomplete []string
	err := s.readTraces(t, ids, placeColumns, "", func(trace []*subtreeRun) {
		if figures, complete := s.sums(trace); complete {
			visit(trace[0].traceID, figures)
		} else {
			incomplete = append(incomplete, trace[0].traceID)
		}
	})
	if err != nil || len(incomplete) == 0 {
		return err
	}
	return s.readTraces(t, incomplete, placeColumnsWithOrder, "", func(trace []*subtreeRun) {
		figures, _ := s.sums(trace)
		visit(trace[0].traceID, figures)
	})
}

// By its place, a run finds its parent, or without one the next run above it by the dotted order. Dotted orders are long, and few runs need them.
const placeColumns = "d.id, coalesce(d.parent_run_id, ''), ''"

var placeColumnsWithOrder = "d.id, coalesce(d.parent_run_id, ''), CASE WHEN d.parent_run_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs p " +
	"WHERE p.workspace_id = d.workspace_id AND p.id = d.parent_run_id AND p.trace_id || '' = d.trace_id AND " + alive("p") + ") THEN d.dotted_order ELSE '' END"

// readTraces reads the matching runs of some traces, one trace after the other.
func (s *subtreeFigures) readTraces(t *Tx, ids []string, place, where string, visit func([]*subtreeRun)) error {
	var trace []*subtreeRun
	statement, args := s.runsOfTraces(ids, place, where)
	err := each(t, scanSubtreeRun, func(run *subtreeRun) error {
		if len(trace) > 0 && trace[0].traceID != run.traceID {
			visit(trace)
			trace = trace[:0]
		}
		trace = append(trace, run)
		return nil
	}, statement, args...)
	if err == nil && len(trace) > 0 {
		visit(trace)
	}
	return err
}

// runsOfTraces names the index, because SQLite would otherwise read the whole workspace.
func (s *subtreeFigures) runsOfTraces(ids []string, place, where string) (string, []any) {
	return "SELECT d.seq, d.trace_id, d.is_root, d." + s.value + ", " + place + " FROM runs d" + using("runs_of_trace") + "WHERE d.trace_id IN " + elements("?") +
		" AND " + unindexed("d.workspace_id") + " = ? AND d.dotted_order IS NOT NULL AND " + alive("d") + where + " ORDER BY d.trace_id", []any{jsonList(ids), s.of.workspaceID}
}

// subtreeRun is a run of a trace.
type subtreeRun struct {
	seq                   int64
	id, traceID, parentID string
	root                  bool
	order                 string   // If there is no run with the ID of the parent.
	sum                   *big.Rat // Of the run and what has been added of the runs below it; nil without values.
	above                 *subtreeRun
	missing               int // How many runs directly below haven't been added.
}

func scanSubtreeRun(row scanner) (*subtreeRun, error) {
	var r subtreeRun
	var value any
	err := row.Scan(&r.seq, &r.traceID, &r.root, &value, &r.id, &r.parentID, &r.order)
	if err == nil {
		r.sum, err = ratOf(value)
	}
	return &r, err
}

// ratOf returns the exact value of a number; nil for null. Sums of binary fractions would differ from the displayed sums: 0.1 plus 0.2
// would not equal 0.3.
func ratOf(value driver.Value) (*big.Rat, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case int64:
		return new(big.Rat).SetInt64(v), nil
	case float64: // It was read from a decimal: use the shortest one that it represents.
		value = strconv.FormatFloat(v, 'g', -1, 64)
	}
	n, is := new(big.Rat).SetString(fmt.Sprint(value))
	if !is {
		return nil, fmt.Errorf("a figure is a number, not %v", value)
	}
	return n, nil
}

// sums returns the figures of the runs of a trace that have any: of those with nothing below them first, and last that of the root, which contains
// the whole trace. They are complete unless a parent is missing and the order isn't known.
func (f figure) sums(trace []*subtreeRun) (figures map[int64]float64, complete bool) {
	byID := make(map[string]*subtreeRun, len(trace))
	for _, run := range trace {
		byID[run.id] = run
	}
	var all *big.Rat
	complete = true
	for _, run := range trace {
		all = f.combine(all, run.sum)
		complete = complete && (run.parentID == "" || run.order != "" || byID[run.parentID] != nil)
		if run.above = run.nearest(byID); run.above != nil {
			run.above.missing++
		}
	}
	for _, run := range trace {
		for ; run != nil && run.missing == 0; run = run.above {
			run.missing = -1 // It has been added.
			if run.above != nil {
				run.above.sum = f.combine(run.above.sum, run.sum)
				run.above.missing--
			}
		}
	}
	figures = map[int64]float64{}
	for _, run := range trace { // Runs that are below each other still miss some: their figures are those without.
		sum := run.sum
		if run.root {
			sum = all
		}
		if sum != nil {
			figures[run.seq], _ = sum.Float64()
		}
	}
	return figures, complete
}

// nearest returns the run directly above; if it isn't stored, the next one above it of those in the dotted order. No run is above itself.
func (r *subtreeRun) nearest(byID map[string]*subtreeRun) *subtreeRun {
	if r.parentID == r.id {
		return nil
	}
	if r.order == "" {
		return byID[r.parentID]
	}
	var above *subtreeRun
	for segment := range strings.SplitSeq(r.order, ".") {
		_, id, _ := strings.Cut(segment, "Z")
		if run := byID[id]; run != nil && run != r {
			above = run
		}
	}
	return above
}

// combine adds a value to a sum, or takes the earlier of two times.
func (f figure) combine(sum, value *big.Rat) *big.Rat {
	switch {
	case value == nil:
		return sum
	case sum == nil:
		return new(big.Rat).Set(value)
	case !f.earliest:
		return sum.Add(sum, value)
	case value.Cmp(sum) < 0:
		return sum.Set(value)
	}
	return sum
}
