package figure

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// rolled are the figures of the runs that started in a span of time.
//
// A run below several of these runs counts once in sums. But these may have started in different quarters, and a sum of quarters must
// not count it twice either. So the sum contains what counts in this quarter first, and later contains what has counted before, by the
// last quarter in which it has: it is added to the sum of a range that begins after that one.
type rolled struct {
	Figures
	later map[int64]usage.Totals
}

// storedRollup is the stored form of rolled, without its distribution. Names are short, because there are many rows.
type storedRollup struct {
	Runs     int           `json:"n"`
	Failed   int           `json:"f,omitempty"`
	Streamed int           `json:"s,omitempty"`
	Ended    int           `json:"e,omitempty"`
	Seconds  float64       `json:"d,omitempty"`
	Last     int64         `json:"l,omitempty"` // Microseconds.
	Sum      storedTotals  `json:"sum"`
	Later    []storedLater `json:"later,omitempty"`
}

type storedLater struct {
	Quarter int64        `json:"q"`
	Sum     storedTotals `json:"sum"`
}

// storedTotals are totals without a first token.
type storedTotals struct {
	PromptTokens           int64        `json:"p,omitempty"`
	CompletionTokens       int64        `json:"c,omitempty"`
	TotalTokens            int64        `json:"t,omitempty"`
	PromptTokenDetails     usage.Counts `json:"pd,omitempty"`
	CompletionTokenDetails usage.Counts `json:"cd,omitempty"`

	PromptCost            *decimal.Decimal `json:"p$,omitempty"`
	CompletionCost        *decimal.Decimal `json:"c$,omitempty"`
	TotalCost             *decimal.Decimal `json:"t$,omitempty"`
	PromptCostDetails     usage.Costs      `json:"pd$,omitempty"`
	CompletionCostDetails usage.Costs      `json:"cd$,omitempty"`
	OtherCost             *decimal.Decimal `json:"o$,omitempty"`
	UnpricedRuns          int64            `json:"u,omitempty"`
	UnpricedTokens        int64            `json:"ut,omitempty"`
	IncompleteRuns        int64            `json:"i,omitempty"`
	UncheckedRuns         int64            `json:"k,omitempty"`

	FirstTokenTime *time.Time `json:"-"`
}

// row returns the stored form of figures whose runs are few enough, or whose parts are stored.
func (r *rolled) row(scope store.RollupScope) (store.Rollup, error) {
	s := storedRollup{
		Runs: r.Runs, Failed: r.Failed, Streamed: r.streamed, Ended: r.ended, Seconds: r.seconds, Sum: storedTotals(r.Sum),
	}
	if r.Runs > 0 {
		s.Last = r.LastStart.UnixMicro()
	}
	for _, quarter := range slices.Sorted(maps.Keys(r.later)) {
		s.Later = append(s.Later, storedLater{quarter, storedTotals(r.later[quarter])})
	}
	text, err := json.Marshal(s)
	if err != nil {
		return store.Rollup{}, err
	}
	row := store.Rollup{RollupScope: scope, Figures: string(text)}
	d, err := distributionOf(r.parts, r.Runs)
	if err != nil {
		return row, err
	}
	if d.exact != nil && r.Runs <= limits.ExactPercentiles {
		row.Samples = d.exact.encode()
	}
	switch {
	case d.approx != nil:
		row.Sketches = d.approx.encode()
	case r.Runs > fewValues:
		sketches := newSketches()
		if err := sketches.add(*d.exact); err != nil {
			return row, err
		}
		row.Sketches = sketches.encode()
	}
	return row, nil
}

// newRolled is the reverse of row.
func newRolled(row store.Rollup) (*rolled, error) {
	var s storedRollup
	if err := json.Unmarshal([]byte(row.Figures), &s); err != nil {
		return nil, fmt.Errorf("rolled-up figures: %w", err)
	}
	r := &rolled{Figures: Figures{
		Runs: s.Runs, Failed: s.Failed, Sum: usage.Totals(s.Sum), streamed: s.Streamed, ended: s.Ended, seconds: s.Seconds,
	}}
	if s.Runs > 0 {
		r.LastStart = time.UnixMicro(s.Last).UTC()
		r.parts = []part{{samples: row.Samples, sketches: row.Sketches}}
	}
	for _, later := range s.Later {
		r.addLater(later.Quarter, usage.Totals(later.Sum))
	}
	return r, nil
}

func (r *rolled) addLater(quarter int64, sum usage.Totals) {
	if r.later == nil {
		r.later = map[int64]usage.Totals{}
	}
	r.later[quarter] = r.later[quarter].Add(sum)
}

// addSum adds the figures of a run that has counted before in a quarter, or never.
func (r *rolled) addSum(own usage.Totals, last *int64) {
	if last != nil {
		r.addLater(*last, own)
		return
	}
	r.Sum.Include(own)
}

// fold adds the next part of a span, which begins with the quarter first.
func (r *rolled) fold(next *rolled, first int64) {
	r.add(&next.Figures)
	for quarter, sum := range next.later {
		if quarter < first {
			r.addLater(quarter, sum)
		}
	}
}
