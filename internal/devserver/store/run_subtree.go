package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math/big"
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

// subtreeKey is a figure of the runs of a trace.
type subtreeKey struct{ workspaceID, figure, traceID string }

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

// compute returns the figures of the runs that the statement can ask about, by their numbers.
func (s *subtreeFigures) compute(t *Tx) (map[int64]float64, error) {
	if s.computed != nil {
		return s.computed, nil
	}
	asked := map[string][]int64{} // By trace.
	statement, args := s.askedRuns()
	err := each(t, scanTracedRun, func(run tracedRun) error {
		asked[run.traceID] = append(asked[run.traceID], run.seq)
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
	for traceID := range asked {
		if figures, known := t.subtrees[s.key(traceID)]; known {
			take(traceID, figures)
		} else {
			unknown = append(unknown, traceID)
		}
	}
	err = s.eachTrace(t, unknown, func(traceID string, figures map[int64]float64) {
		t.rememberSubtrees(s.key(traceID), figures)
		take(traceID, figures)
	})
	if err == nil {
		s.computed = computed
	}
	return computed, err
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

func (s *subtreeFigures) key(traceID string) subtreeKey {
	return subtreeKey{s.of.workspaceID, s.value, traceID}
}

// askedRuns reads the runs that the statement can ask about.
func (s *subtreeFigures) askedRuns() (string, []any) {
	among := s.of.among()
	return "SELECT " + s.of.column("seq") + ", " + s.of.column("trace_id") + " FROM runs " + s.of.alias + " WHERE " + among.text, among.arguments
}

// tracedRun is the number of a run, with its trace.
type tracedRun struct {
	seq     int64
	traceID string
}

func scanTracedRun(row scanner) (r tracedRun, err error) {
	err = row.Scan(&r.seq, &r.traceID)
	return r, err
}

// eachTrace computes the figures of all runs of some traces, one trace after the other.
func (s *subtreeFigures) eachTrace(t *Tx, ids []string, visit func(traceID string, figures map[int64]float64)) error {
	var trace []*subtreeRun
	end := func() {
		if len(trace) > 0 {
			visit(trace[0].traceID, s.sums(trace))
		}
		trace = trace[:0]
	}
	if len(ids) == 0 {
		return nil
	}
	statement, args := s.ofTraces(ids)
	err := each(t, scanSubtreeRun, func(run *subtreeRun) error {
		if len(trace) > 0 && trace[0].traceID != run.traceID {
			end()
		}
		trace = append(trace, run)
		return nil
	}, statement, args...)
	if err == nil {
		end()
	}
	return err
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

// sums returns the figures of the runs of a trace that have any: of those with nothing below them first, and last that of the root, which contains
// the whole trace.
func (f figure) sums(trace []*subtreeRun) map[int64]float64 {
	byID := make(map[string]*subtreeRun, len(trace))
	for _, run := range trace {
		byID[run.id] = run
	}
	var all *big.Rat
	for _, run := range trace {
		all = f.combine(all, run.sum)
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
	figures := map[int64]float64{}
	for _, run := range trace { // Runs that are below each other still miss some: their figures are those without.
		sum := run.sum
		if run.root {
			sum = all
		}
		if sum != nil {
			figures[run.seq], _ = sum.Float64()
		}
	}
	return figures
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
