package store

import (
	"context"
	"sync/atomic"
)

// leastGrowth is the number of new runs after which the tables of runs are analyzed.
const leastGrowth = 1000

// growth has the tables of runs analyzed whenever they have twice the rows. PostgreSQL does that itself, but only once a minute: until then,
// it plans as if they were still empty, and a page of 20,000 runs can take longer than it may.
type growth struct {
	// added are the runs since the last time, and known those before it.
	added, known atomic.Int64
	due          chan struct{} // Receives a value when it is time.
}

// check is called after transactions, which may have added runs.
func (g *growth) check() {
	if g.added.Load() < max(leastGrowth, g.known.Load()) {
		return
	}
	signal(g.due)
}

// run analyzes until ctx ends. If that fails, PostgreSQL does it later.
func (g *growth) run(ctx context.Context, s *Store) {
	var known int64
	if s.readers.QueryRowContext(ctx, "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = 'runs'::regclass").Scan(&known) == nil {
		g.known.Add(max(0, known))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.due:
		}
		g.known.Add(g.added.Swap(0))
		_, _ = s.readers.ExecContext(ctx, "ANALYZE runs, run_bodies, run_labels")
		wait(ctx, notifyEvery)
	}
}
