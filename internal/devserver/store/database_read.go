package store

import (
	"context"
	"database/sql"
	"errors"
)

// Read runs work on a snapshot, in a read-only transaction: it neither blocks nor is blocked by transactions that
// write. When ctx ends, work is stopped with the error of ctx.
func (s *Store) Read(ctx context.Context, work func(*Tx) error) error {
	err := s.read(ctx, work)
	if err != nil && ctx.Err() != nil && !errors.Is(err, ErrBusy) {
		return ctx.Err() // The database only reports that it was interrupted.
	}
	return s.withCause(err)
}

// ReadTraced is Read for traced data, and for upkeep. It leaves some connections to the control plane, which never waits for them.
func (s *Store) ReadTraced(ctx context.Context, work func(*Tx) error) error {
	giveBack, err := s.tracedTurn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	return s.Read(ctx, work)
}

// ReadLong is ReadTraced for work that may take long: it leaves some connections to other work, and to other workspaces.
func (s *Store) ReadLong(ctx context.Context, workspaceID string, work func(*Tx) error) error {
	giveBack, err := s.longTurn.Take(ctx, workspaceID)
	if err != nil {
		return errors.Join(ErrBusy, err)
	}
	defer giveBack()
	return s.ReadTraced(ctx, work)
}

func (s *Store) read(ctx context.Context, work func(*Tx) error) error {
	giveBack, err := s.readTurn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	s.asked.prepare(ctx, s.readers)
	began := s.traces.clock.Load()
	connection, tx, err := s.beginOn(ctx, s.readers, readOptions)
	if err != nil {
		return err
	}
	defer connection.Close()
	defer tx.Rollback() //nolint:errcheck // There is nothing to lose.
	end, err := s.backend.interruptible(ctx, connection)
	if err != nil {
		return err
	}
	defer end() // Before the rollback, which nothing must interrupt.
	t := &Tx{
		ctx: ctx, db: s, backend: s.backend, tx: tx, prepared: map[string]readyStatement{}, kept: &s.asked, readOnly: true, index: s.index,
		traces: s.traces, began: began, subtrees: map[subtreeKey]map[int64]float64{},
	}
	// The first statement takes the snapshot. Running it here makes the snapshot older than any time that work reads.
	if t.snapshot, err = s.backend.begin(ctx, s, t); err != nil {
		return err
	}
	return work(t)
}

// readOptions are those of transactions that read. Those of SQLite read a snapshot anyway.
var readOptions = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
