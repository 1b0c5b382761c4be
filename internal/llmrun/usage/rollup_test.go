package usage

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// number is a run's ID; 0 means none.
func number(n int) uuid.UUID {
	if n == 0 {
		return uuid.Nil
	}
	return uuid.NewSHA1(uuid.Nil, []byte(strconv.Itoa(n)))
}

// spent returns a run with n tokens that cost n.
func spent(id, parent, trace, n int) Node {
	cost := decimal.Of(int64(n))
	return Node{ID: number(id), ParentRunID: number(parent), TraceID: number(trace), Totals: Totals{
		PromptTokens: int64(n), TotalTokens: int64(n), PromptTokenDetails: Counts{"cache_read": cost}, PromptCost: &cost, TotalCost: &cost,
	}}
}

func TestRollup(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		nodes        []Node
		runs, traces map[int]int64
	}{
		"nothing": {nil, map[int]int64{}, map[int]int64{}},
		"a trace": {
			[]Node{spent(1, 0, 1, 0), spent(2, 1, 1, 10), spent(3, 1, 1, 0), spent(4, 3, 1, 5), spent(5, 3, 1, 7)},
			map[int]int64{1: 22, 2: 10, 3: 12, 4: 5, 5: 7}, map[int]int64{1: 22},
		},
		"a parent with a usage of its own": {
			[]Node{spent(1, 0, 1, 100), spent(2, 1, 1, 10)}, map[int]int64{1: 110, 2: 10}, map[int]int64{1: 110},
		},
		"two traces": {
			[]Node{spent(1, 0, 1, 1), spent(2, 0, 2, 2), spent(3, 2, 2, 3)}, map[int]int64{1: 1, 2: 5, 3: 3}, map[int]int64{1: 1, 2: 5},
		},
		"an orphan counts for its trace": {
			[]Node{spent(1, 0, 1, 1), spent(3, 2, 1, 3), spent(4, 3, 1, 4)}, map[int]int64{1: 1, 3: 7, 4: 4}, map[int]int64{1: 8},
		},
		"its own parent": {[]Node{spent(1, 1, 1, 5), spent(2, 1, 1, 1)}, map[int]int64{1: 6, 2: 1}, map[int]int64{1: 6}},
		"a circle, and a run below it": {
			[]Node{spent(1, 2, 1, 1), spent(2, 3, 1, 10), spent(3, 1, 1, 100), spent(4, 3, 1, 1000)},
			map[int]int64{1: 1111, 2: 1111, 3: 1111, 4: 1000}, map[int]int64{1: 1111},
		},
		"two circles": {
			[]Node{spent(1, 2, 1, 1), spent(2, 1, 1, 2), spent(3, 4, 1, 10), spent(4, 3, 1, 20)},
			map[int]int64{1: 3, 2: 3, 3: 30, 4: 30}, map[int]int64{1: 33},
		},
		"the later of two": {[]Node{spent(1, 0, 1, 5), spent(1, 0, 1, 7)}, map[int]int64{1: 7}, map[int]int64{1: 7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs, traces := Rollup(tc.nodes)
			checkTotals(t, "runs", tc.runs, runs)
			checkTotals(t, "traces", tc.traces, traces)
		})
	}
}

func checkTotals(t *testing.T, what string, want map[int]int64, got map[uuid.UUID]Totals) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d totals by %s, want %d", len(got), what, len(want))
	}
	for n, total := range want {
		sum := got[number(n)]
		if sum.TotalTokens != total || sum.PromptTokens != total || !sum.TotalCost.Equal(decimal.Of(total)) ||
			!sum.PromptCost.Equal(decimal.Of(total)) || !sum.PromptTokenDetails["cache_read"].Equal(decimal.Of(total)) {
			t.Errorf("%s: totals of %d = %+v, want %d everywhere", what, n, sum, total)
		}
	}
}

// TestRollupProperties compares the totals of random forests, in any order and with missing parents, with a sum over all descendants.
func TestRollupProperties(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		nodes := make([]Node, 1+r.IntN(40))
		parents := map[int]int{}
		want, trace := map[int]int64{}, int64(0)
		for i := range nodes {
			id := i + 1
			parent := r.IntN(len(nodes) + 3) // It may be missing, come later, be the run itself, or form a cycle.
			nodes[i] = spent(id, parent, 1, r.IntN(100))
			parents[id] = parent
			trace += nodes[i].Totals.TotalTokens
		}
		for id := range parents {
			seen := map[int]bool{}
			for above, known := id, true; known && !seen[above]; _, known = parents[above] {
				seen[above] = true
				want[above] += nodes[id-1].Totals.TotalTokens
				above = parents[above]
			}
		}
		r.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		runs, traces := Rollup(nodes)
		checkTotals(t, "runs", want, runs)
		checkTotals(t, "traces", map[int]int64{1: trace}, traces)
	}
}

func TestTotalsAdd(t *testing.T) {
	t.Parallel()
	one, two, early, late := decimal.Of(1), decimal.Of(2), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	a := Totals{PromptTokens: 1, PromptCost: &one, TotalCost: &one, PromptCostDetails: Costs{"a": one}, FirstTokenTime: &late}
	b := Totals{CompletionTokens: 2, CompletionTokenDetails: Counts{"c": two}, TotalCost: &two, OtherCost: &two, PromptCostDetails: Costs{"a": two, "b": two}, FirstTokenTime: &early}
	three := decimal.Of(3)
	want := Totals{
		PromptTokens: 1, CompletionTokens: 2, CompletionTokenDetails: Counts{"c": two}, PromptCost: &one, TotalCost: &three, OtherCost: &two,
		PromptCostDetails: Costs{"a": three, "b": two}, FirstTokenTime: &early,
	}
	for name, got := range map[string]Totals{"a+b": a.Add(b), "b+a": b.Add(a), "a+b+0": a.Add(b).Add(Totals{})} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if !a.PromptCostDetails["a"].Equal(one) || !b.PromptCostDetails["a"].Equal(two) {
		t.Error("Add changed an operand")
	}
}
