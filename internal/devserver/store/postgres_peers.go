package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Any number of processes use a database of PostgreSQL together. Each has one connection that writes, and a transaction on it begins with a
// lock. Most transactions are alone in the database: whatever holds because one process writes one transaction after the other holds for
// all of them. Those that log runs are alone in their workspaces, and share the database with those of other workspaces. What they have in
// common is the row of commits, whose lock they take last, so that they commit in the order of their numbers.

// shared implements backend.
func (*postgres) shared() bool { return true }

func (p *postgres) now() time.Time { return p.clock.Now() }

// beginWriting makes its transaction wait for the disk, because how commits wait may change while a connection is open.
var beginWriting = "SELECT number, priced, indexed, now, ahead, " + waiting(true) + " FROM begin_writing($1)" //nolint:gosec // Constants.

func (p *postgres) begin(ctx context.Context, s *database, t *Tx) (before past, err error) {
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

func (p *postgres) committed(number int64) {
	if number > 0 {
		p.news.tell()
		p.growth.check()
	}
}

func (*postgres) count(t *Tx) (int64, error) {
	return queryOne(t, scanNumber, `UPDATE commits SET number = number + 1, priced = CASE WHEN CAST(? AS BOOLEAN) THEN number + 1 ELSE priced END
		RETURNING number`, t.priced)
}

func (p *postgres) look(s *database, t *Tx) (before past, err error) {
	if err := p.ready(t.ctx, t.tx, readerSettings); err != nil {
		return before, err
	}
	row := t.tx.QueryRowContext(t.ctx, "SELECT number, priced, ("+selectAhead+") FROM commits")
	if err := row.Scan(&before.number, &before.priced, &before.ahead); err != nil {
		return before, err
	}
	s.learn(before)
	return before, nil
}

// noteChangesBefore waits for transactions of all processes, which are part of the next snapshots.
func (*postgres) noteChangesBefore(ctx context.Context, s *database, run int64) error {
	return s.Tend(ctx, func(tx *Tx) error {
		if run <= tx.past.indexed {
			return nil
		}
		return tx.exec("UPDATE commits SET indexed = ?", run)
	})
}

// passing implements backend: PostgreSQL has ended one of several transactions that could not go on together.
func (*postgres) passing(err error) bool {
	of, is := errors.AsType[*pgconn.PgError](err)
	return is && (of.Code == "40001" || of.Code == "40P01")
}
