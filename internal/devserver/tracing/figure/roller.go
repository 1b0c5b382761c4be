package figure

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Roller rolls up figures in the background: it computes those that are marked on a snapshot, and stores them in a short transaction
// unless they were marked again meanwhile.
type Roller struct{ db *store.Store }

// NewRoller returns a roller on a database.
func NewRoller(db *store.Store) *Roller { return &Roller{db} }

const (
	// slice is how long a roller computes before it stores. A quarter of an hour with many runs takes longer. A transaction stores
	// sliceRows, or as many more as the last span has: some hundreds if its runs have many names.
	slice     = 50 * time.Millisecond
	sliceRows = 100
	// rest is how long it waits if there is nothing to do. It waits as long as it has worked, or busyRest times as long while others
	// write.
	rest     = time.Second
	busyRest = 19
	// maxMarks is how many marks it reads at a time.
	maxMarks = 64
	// rolling is the name of this work, which one of the processes that share the data does.
	rolling = "figures"
)

// Run rolls up until ctx ends; failed is called with errors, after which it tries again.
func (r *Roller) Run(ctx context.Context, failed func(error)) {
	var done int64 = -1 // The number of transactions after which nothing was left to do.
	for {
		before, began, more := r.db.Commits(), time.Now(), false
		mine, err := r.db.Leads(ctx, rolling)
		if mine && before != done {
			if more, err = r.Slice(ctx); !more && err == nil {
				done = before
			}
		}
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
		wait := rest
		if more {
			wait = time.Since(began)
			if r.db.Commits() != before {
				wait *= busyRest
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// result is what was computed for a mark.
type result struct {
	mark store.RollupMark
	rows []store.Rollup
	open []string // Traces that aren't complete within a quarter.
}

// Computed is what was computed for some marks on a snapshot.
type Computed struct {
	results  []result
	snapshot int64
}

// Slice rolls up some of what is marked, and reports whether there may be more to do.
func (r *Roller) Slice(ctx context.Context) (more bool, _ error) {
	computed, err := r.Compute(ctx)
	if err != nil || len(computed.results) == 0 {
		return false, err
	}
	return true, r.Save(ctx, computed)
}

// Compute computes the figures of some marks.
func (r *Roller) Compute(ctx context.Context) (c Computed, err error) {
	end := time.Now().Add(slice)
	err = r.db.ReadTraced(ctx, func(tx *store.Tx) error {
		c.snapshot = tx.Snapshot()
		marks, err := tx.RollupMarks(maxMarks)
		if err != nil {
			return err
		}
		stored := 0
		for _, mark := range marks {
			one, err := compute(tx, mark)
			if err != nil {
				return err
			}
			c.results, stored = append(c.results, one), stored+len(one.rows)
			if stored >= sliceRows || time.Now().After(end) {
				break
			}
		}
		return nil
	})
	return c, err
}

// Save stores figures, unless they were marked again meanwhile.
func (r *Roller) Save(ctx context.Context, c Computed) error {
	return r.db.Tend(ctx, func(tx *store.Tx) error {
		// A process that has taken over meanwhile may have removed these marks, and others like them may have come.
		if mine, err := tx.Holds(rolling); err != nil || !mine {
			return err
		}
		for _, one := range c.results {
			if err := tx.SaveRollups(one.mark, one.rows, one.open, tx.Snapshot() == c.snapshot); err != nil {
				return err
			}
		}
		return nil
	})
}

// compute returns the figures for a mark.
func compute(tx *store.Tx, mark store.RollupMark) (result, error) {
	if mark.Span == store.OneDay {
		rows, err := fold(tx, mark)
		return result{mark: mark, rows: rows}, err
	}
	runs, err := tx.RolledRuns(mark)
	if err != nil {
		return result{}, err
	}
	q, err := gather(mark, runs)
	if err != nil {
		return result{}, err
	}
	rows, err := q.rows()
	return result{mark, rows, slices.Collect(maps.Keys(q.open))}, err
}

// rolled are the figures of the runs that started in a span of time.
//
// A run below several of these runs counts once in sums. But these may have started in different quarters, and a sum of quarters must
// not count it twice either. So the sum contains what counts in this quarter first, and later contains what has counted before, by the
// last quarter in which it has: it is added to the sum of a range that begins after that one.
type rolled struct {
	Figures
	later map[int64]usage.Totals
}

// storedRollup is the stored form of rolled, without its distribution.
type storedRollup struct {
	*Figures
	Last  int64         `json:"l,omitempty"` // Microseconds.
	Later []storedLater `json:"later,omitempty"`
}

type storedLater struct {
	Quarter int64        `json:"q"`
	Sum     usage.Totals `json:"sum"`
}

// row returns the stored form of figures whose runs are few enough, or whose parts are stored.
func (r *rolled) row(scope store.RollupScope) (store.Rollup, error) {
	s := storedRollup{Figures: &r.Figures}
	if r.Runs > 0 {
		s.Last = r.LastStart.UnixMicro()
	}
	for _, quarter := range slices.Sorted(maps.Keys(r.later)) {
		s.Later = append(s.Later, storedLater{quarter, r.later[quarter]})
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
	r := &rolled{}
	s := storedRollup{Figures: &r.Figures}
	if err := json.Unmarshal([]byte(row.Figures), &s); err != nil {
		return nil, fmt.Errorf("rolled-up figures: %w", err)
	}
	if r.Runs > 0 {
		r.LastStart = time.UnixMicro(s.Last).UTC()
		r.parts = []part{{samples: row.Samples, sketches: row.Sketches}}
	}
	for _, later := range s.Later {
		r.addLater(later.Quarter, later.Sum)
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
