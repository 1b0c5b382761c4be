package store

import (
	"database/sql/driver"
	"encoding/json"
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

// figure returns a figure of the row: its own, or that including all runs below. A run whose place is unknown has nothing
// below it.
func (r runRow) figure(f figure) condition {
	own := r.column(f.value)
	if f.cost {
		own = realOf(own)
	}
	if !r.whole {
		return where(own)
	}
	if r.figures[f.value] == nil {
		r.figures[f.value] = &subtreeFigures{figure: f, of: r}
	}
	return where("CASE WHEN "+r.column("dotted_order")+" IS NULL THEN "+own+" ELSE "+figureFunction+"(?, "+r.column("seq")+") END", r.figures[f.value])
}

// subtreeFigures is an argument of a statement: a figure, including all runs below, of each run that the statement reads. It is computed before the
// statement, in the same snapshot, from one look at all runs of the traces: adding up what is below each run would read a run once for every run above it.
type subtreeFigures struct {
	figure
	of       runRow
	computed map[int64]float64 // By the numbers of the runs that have any; nil before compute.
	encoded  string            // In JSON; empty before encode.
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

// compute returns the figures of the runs that the statement can ask about, by their numbers.
func (s *subtreeFigures) compute(t *Tx) (map[int64]float64, error) {
	if s.computed != nil {
		return s.computed, nil
	}
	var traces []string
	asked := map[string][]int64{} // By trace.
	ofRoots := true
	statement, args := s.askedRuns()
	err := each(t, scanTracedRun, func(run tracedRun) error {
		if asked[run.traceID] == nil {
			traces = append(traces, run.traceID)
		}
		asked[run.traceID] = append(asked[run.traceID], run.seq)
		ofRoots = ofRoots && run.root
		return nil
	}, statement, args...)
	if err != nil {
		return nil, err
	}
	computed := map[int64]float64{}
	take := func(traceID string, figures map[int64]float64) {
		for _, run := range asked[traceID] {
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
			return nil, err
		}
	}
	s.computed = computed
	return computed, nil
}

// encode returns the figures as JSON.
func (s *subtreeFigures) encode(t *Tx) (string, error) {
	if s.encoded == "" {
		figures, err := s.compute(t)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(figures)
		if err != nil {
			return "", err
		}
		s.encoded = string(text)
	}
	return s.encoded, nil
}

func (s *subtreeFigures) key(traceID string, ofRoot bool) subtreeKey {
	return subtreeKey{s.of.workspaceID, s.value, traceID, ofRoot}
}

// askedRuns reads the runs that the statement can ask about.
func (s *subtreeFigures) askedRuns() (string, []any) {
	among := s.of.among()
	return "SELECT " + s.of.column("seq") + ", " + s.of.column("trace_id") + ", " + s.of.column("is_root") + " FROM runs " + s.of.alias + " WHERE " + among.text, among.arguments
}

// tracedRun is the number of a run, with its trace.
type tracedRun struct {
	seq     int64
	traceID string
	root    bool
}

func scanTracedRun(row scanner) (r tracedRun, err error) {
	err = row.Scan(&r.seq, &r.traceID, &r.root)
	return r, err
}

// eachTrace computes the figures of all runs of some traces. Of roots, it needs only the runs that have any: a root contains the whole trace.
func (s *subtreeFigures) eachTrace(t *Tx, ids []string, ofRoots bool, visit func(traceID string, figures map[int64]float64)) error {
	if ofRoots {
		return s.readTraces(t, ids, "'', '', ''", " AND (d.is_root OR d."+s.value+" IS NOT NULL)", func(trace []*subtreeRun) {
			figures, _ := s.sums(trace)
			for _, run := range trace {
				if !run.root {
					delete(figures, run.seq)
				}
			}
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
