package store

import "context"

// Any number of processes use a database of PostgreSQL together. Each has one connection that writes, and a transaction on it begins with a
// lock. Most transactions are alone in the database: whatever holds because one process writes one transaction after the other holds for
// all of them. Those that log runs are alone in their workspaces, and share the database with those of other workspaces. What they have in
// common is the row of commits, whose lock they take last, so that they commit in the order of their numbers.

// beginWriting makes its transaction wait for the disk, because how commits wait may change while a connection is open.
var beginWriting = "SELECT number, priced, indexed, now, ahead, " + waiting(true) + " FROM begin_writing($1)" //nolint:gosec // Constants.

func (p *postgres) begin(ctx context.Context, s *Store, t *Tx) (before snapshot, err error) {
	if t.readOnly {
		return p.beginReading(ctx, s, t)
	}
	if err := p.ready(ctx, t.tx, writerSettings); err != nil {
		return before, err
	}
	// Waiting for the lock ends with ctx, unlike all later statements.
	row := t.tx.QueryRowContext(ctx, beginWriting, t.scope.workspaces)
	if err := row.Scan(&before.number, &before.priced, &before.indexed, &before.now, &before.ahead, new(any)); err != nil {
		return before, err
	}
	p.clock.observe(before.now)
	s.learn(before)
	t.pending = &pendingRuns{}
	return before, nil
}

// count gives a transaction that has changed something its number.
func (t *Tx) count() (int64, error) {
	return queryOne(t, scanNumber, `UPDATE commits SET number = number + 1, priced = CASE WHEN CAST(? AS BOOLEAN) THEN number + 1 ELSE priced END
		RETURNING number`, t.priced)
}

func (p *postgres) beginReading(ctx context.Context, s *Store, t *Tx) (before snapshot, err error) {
	if err := p.ready(ctx, t.tx, readerSettings); err != nil {
		return before, err
	}
	row := t.tx.QueryRowContext(ctx, "SELECT number, priced, ("+selectAhead+") FROM commits")
	if err := row.Scan(&before.number, &before.priced, &before.ahead); err != nil {
		return before, err
	}
	s.learn(before)
	return before, nil
}

// noteChangesBefore waits for transactions of all processes, which are part of the next snapshots.
func (*postgres) noteChangesBefore(ctx context.Context, s *Store, run int64) error {
	return s.Tend(ctx, func(tx *Tx) error {
		if run <= tx.snapshot.indexed {
			return nil
		}
		return tx.exec("UPDATE commits SET indexed = ?", run)
	})
}
