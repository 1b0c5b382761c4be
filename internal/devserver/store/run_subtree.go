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
	return where("CASE WHEN "+r.column("dotted_order")+" IS NULL THEN "+own+" ELSE "+figureFunction+"(?, "+r.column("seq")+") END",
		&subtreeFigures{figure: f, of: r})
}

// subtreeFigures is an argument of a statement: a figure, including all runs below, of each run that the statement reads. It is computed before the
// statement, in the same snapshot, from one look at all runs of the traces: adding up what is below each run would read a run once for every run above it.
type subtreeFigures struct {
	figure
	of runRow
}

// subtreeSums are such figures of the runs of some traces.
type subtreeSums struct {
	earliest bool
	traces   map[string]bool
	byRun    map[int64]float64 // Of the runs that have any, by number.
}

// compute returns the figures by the numbers of the runs. A transaction that only reads computes those of a trace once.
func (s *subtreeFigures) compute(t *Tx) (map[int64]float64, error) {
	among := s.of.among()
	traces, err := query(t, scanText, "SELECT DISTINCT "+s.of.column("trace_id")+" FROM runs "+s.of.alias+" WHERE "+among.text, among.arguments...)
	if err != nil {
		return nil, err
	}
	key := s.of.workspaceID + " " + s.value
	sums, known := t.subtrees[key]
	if !known {
		sums = subtreeSums{s.earliest, map[string]bool{}, map[int64]float64{}}
		if t.readOnly {
			t.subtrees[key] = sums
		}
	}
	statement, args := s.ofTraces(slices.DeleteFunc(traces, func(id string) bool { return sums.traces[id] }))
	var trace []*subtreeRun
	err = each(t, scanSubtreeRun, func(run *subtreeRun) error {
		if len(trace) > 0 && trace[0].traceID != run.traceID {
			sums.add(trace)
			trace = trace[:0]
		}
		trace = append(trace, run)
		return nil
	}, statement, args...)
	if err == nil && len(trace) > 0 {
		sums.add(trace)
	}
	return sums.byRun, err
}

// ofTraces reads all runs of some traces, one trace after the other. It names the index, because SQLite would otherwise read the whole workspace.
func (s *subtreeFigures) ofTraces(ids []string) (string, []any) {
	return "SELECT d.seq, d.id, d.trace_id, coalesce(d.parent_run_id, ''), d.is_root, d." + s.value + ", CASE WHEN d.parent_run_id IS NOT NULL AND NOT EXISTS (" +
		"SELECT 1 FROM runs p WHERE p.workspace_id = d.workspace_id AND p.id = d.parent_run_id AND p.trace_id || '' = d.trace_id AND " + alive("p") +
		") THEN d.dotted_order ELSE '' END FROM runs d" + using("runs_of_trace") + "WHERE d.trace_id IN " + elements("?") + " AND " + unindexed("d.workspace_id") +
		" = ? AND d.dotted_order IS NOT NULL AND " + alive("d") + " ORDER BY d.trace_id", []any{jsonList(ids), s.of.workspaceID}
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
	err := row.Scan(&r.seq, &r.id, &r.traceID, &r.parentID, &r.root, &value, &r.order)
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

// add adds the figures of the runs of a trace, from those with nothing below them up to the root, which contains the whole trace.
func (s subtreeSums) add(trace []*subtreeRun) {
	s.traces[trace[0].traceID] = true
	byID := make(map[string]*subtreeRun, len(trace))
	for _, run := range trace {
		byID[run.id] = run
	}
	var all *big.Rat
	for _, run := range trace {
		all = s.combine(all, run.sum)
		if run.above = run.nearest(byID); run.above != nil {
			run.above.missing++
		}
	}
	for _, run := range trace {
		for ; run != nil && run.missing == 0; run = run.above {
			run.missing = -1 // It has been added.
			s.put(run, run.sum)
			if run.above != nil {
				run.above.sum = s.combine(run.above.sum, run.sum)
				run.above.missing--
			}
		}
	}
	for _, run := range trace {
		if run.root {
			s.put(run, all)
		}
	}
}

// nearest returns the run directly above; if it isn't stored, the next one above it of those in the dotted order.
func (r *subtreeRun) nearest(byID map[string]*subtreeRun) *subtreeRun {
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
func (s subtreeSums) combine(sum, value *big.Rat) *big.Rat {
	switch {
	case value == nil:
		return sum
	case sum == nil:
		return new(big.Rat).Set(value)
	case !s.earliest:
		return sum.Add(sum, value)
	case value.Cmp(sum) < 0:
		return sum.Set(value)
	}
	return sum
}

// put sets the figure of a run to the nearest float.
func (s subtreeSums) put(run *subtreeRun, sum *big.Rat) {
	if sum != nil {
		s.byRun[run.seq], _ = sum.Float64()
	}
}
