package store

import (
	"context"
	"database/sql"
	"time"
)

// selectAhead reads what the clock has been advanced by, in microseconds. The table has at most one row.
const selectAhead = "SELECT coalesce(max(ahead), 0) FROM clock"

// Ahead is what AdvanceClock has added to the time. Now is without it.
func (s *Store) Ahead() time.Duration { return time.Duration(s.ahead.Load()) * time.Microsecond }

// loadAhead reads it from a file, which no other process changes.
func (s *Store) loadAhead(ctx context.Context, db *sql.DB) error {
	var ahead int64
	err := db.QueryRowContext(ctx, selectAhead).Scan(&ahead)
	s.learn(snapshot{ahead: ahead})
	return err
}

// Ahead is what Store.Ahead returned when this transaction, which writes, began, and what it has added to that.
func (t *Tx) Ahead() time.Duration { return time.Duration(t.snapshot.ahead) * time.Microsecond }

// AdvanceClock adds a duration, which is not negative, to what Store.Ahead returns after this transaction. Everything that is due then is due
// for Sweep, too.
func (t *Tx) AdvanceClock(by time.Duration) error {
	t.snapshot.ahead += by.Microseconds()
	t.marked = true
	changed, err := t.changed("UPDATE clock SET ahead = ?", t.snapshot.ahead)
	if err != nil || changed > 0 {
		return err
	}
	return t.exec("INSERT INTO clock (ahead) VALUES (?)", t.snapshot.ahead)
}
