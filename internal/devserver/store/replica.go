package store

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Replica is an in-memory copy of the control plane's tables that lags behind its store: it contains what was stored up to
// the time of the last CatchUp.
type Replica struct {
	db  *database
	now func() time.Time

	mu      sync.Mutex
	waiting []commit // What the copy doesn't contain yet, oldest first.
	// of is a database that other processes change, too; else nil. What was received from it is the changes through a number, at a time.
	of       *database
	through  int64
	received time.Time
}

// commit is what a transaction changed in the copied tables.
type commit struct {
	at      time.Time
	changes []change
}

// change is a statement that changed rows.
type change struct {
	statement string
	args      []any
}

// copiedTables are ordered so that rows come after those that they refer to.
var copiedTables = []string{"listeners", "integrations", "repositories", "deployments", "revisions", "projects"}

var changesCopied = regexp.MustCompile(`^\s*(INSERT INTO|UPDATE|DELETE FROM) (` + strings.Join(copiedTables, "|") + `)\b`)

// Replicate returns a replica that later transactions are copied to; now is the time at which they commit. Close closes it,
// too.
func (s *database) Replicate(ctx context.Context, now func() time.Time) (*Replica, error) {
	db, err := openSQLite(ctx, "")
	if err != nil {
		return nil, err
	}
	r := &Replica{db: db, now: now}
	if s.backend.shared() {
		r.of = s
	}
	s.replica.Store(r)
	return r, s.backend.copyTo(ctx, s, r)
}

// copyTo copies the rows of a file, which has the same schema as the replica.
func (q *sqlite) copyTo(ctx context.Context, _ *database, r *Replica) error {
	file, err := ensureFile(q.path)
	if err != nil {
		return err
	}
	// On the only connection, because the file is attached to a connection.
	if _, err := r.db.db.ExecContext(ctx, "ATTACH ? AS original", file); err != nil {
		return fmt.Errorf("copy %q: %w", q.path, err)
	}
	for _, table := range copiedTables {
		//nolint:gosec // The names are constants.
		if _, err := r.db.db.ExecContext(ctx, "INSERT INTO main."+table+" SELECT * FROM original."+table); err != nil {
			return fmt.Errorf("copy the %s of %q: %w", table, q.path, err)
		}
	}
	_, err = r.db.db.ExecContext(ctx, "DETACH original")
	return err
}

// add appends the changes of a transaction that has committed.
func (r *Replica) add(changes []change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, commit{r.now(), changes})
}

// CatchUp makes the replica contain what was stored up to a time.
func (r *Replica) CatchUp(ctx context.Context, to time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of != nil {
		if err := r.receive(ctx); err != nil {
			return err
		}
	}
	due := slices.IndexFunc(r.waiting, func(c commit) bool { return c.at.After(to) })
	if due < 0 {
		due = len(r.waiting)
	}
	if due == 0 {
		return nil
	}
	err := r.db.Do(ctx, func(tx *Tx) error {
		for _, commit := range r.waiting[:due] {
			for _, change := range commit.changes {
				if err := tx.exec(change.statement, change.args...); err != nil {
					return fmt.Errorf("catch up: %w", err)
				}
			}
		}
		return nil
	})
	if err == nil {
		r.waiting = slices.Clone(r.waiting[due:])
	}
	return err
}

// ShowAll makes the replica, and those of other processes, contain all that was stored so far.
func (r *Replica) ShowAll(ctx context.Context) error {
	if r.of != nil {
		if err := r.of.Do(ctx, func(tx *Tx) error { return tx.storeChange(shown, nil, r.now()) }); err != nil {
			return err
		}
	}
	return r.CatchUp(ctx, r.now())
}

// Do runs work in a transaction of the replica.
func (r *Replica) Do(ctx context.Context, work func(*Tx) error) error { return r.db.Do(ctx, work) }
