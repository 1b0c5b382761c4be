package store

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Lagging shows the control plane's tables as they were some time ago. Each transaction that changes them stores a snapshot of all their rows,
// which is simple, and slow with thousands of deployments: it is for tests. Servers that share a database find the snapshots of all of them.
type Lagging struct {
	of  *Store
	db  *Store // In memory, with the rows that were shown last.
	now func() time.Time
	lag time.Duration
}

// laggingTables are ordered so that rows come after those that they refer to.
var laggingTables = []string{"listeners", "integrations", "repositories", "deployments", "revisions", "projects"}

var changesLagging = regexp.MustCompile(`^\s*(INSERT INTO|UPDATE|DELETE FROM) (` + strings.Join(laggingTables, "|") + `)\b`)

// laggingRows are the rows of these tables, oldest first.
type laggingRows struct {
	Listeners    []Listener
	Integrations []Integration
	Repositories []Repository
	Deployments  []Deployment
	Revisions    []Revision
	Projects     []Project
}

// Lagging returns what shows the control plane's tables as they were a lag ago, by a clock. What is stored so far is shown at once. Call it
// once, before the first transaction.
func (s *Store) Lagging(ctx context.Context, now func() time.Time, lag time.Duration) (*Lagging, error) {
	db, err := openSQLite(ctx, "")
	if err != nil {
		return nil, err
	}
	l := &Lagging{of: s, db: db, now: now, lag: lag}
	s.lagging.Store(l)
	err = l.End(ctx)
	return l, err
}

// End ends the lag of all that was stored so far, in all servers.
func (l *Lagging) End(ctx context.Context) error {
	return l.of.Do(ctx, func(tx *Tx) error {
		tx.wrote, tx.endsLag = true, true
		return nil
	})
}

// take stores a snapshot of what a transaction sees, and deletes those that are too old to be shown again. A snapshot that is to be shown at once has
// the time 0.
func (l *Lagging) take(tx *Tx) error {
	var rows laggingRows
	if err := errors.Join(
		listeners.list(tx, &rows.Listeners), integrations.list(tx, &rows.Integrations), repositories.list(tx, &rows.Repositories),
		deployments.list(tx, &rows.Deployments), revisions.list(tx, &rows.Revisions), projects.list(tx, &rows.Projects),
	); err != nil {
		return err
	}
	encoded, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	at := int64(0)
	if !tx.endsLag {
		at = micros(l.now())
	}
	return errors.Join(
		tx.exec("DELETE FROM replicated WHERE seq < (SELECT max(seq) FROM replicated WHERE at <= ?)", at-l.lag.Microseconds()),
		tx.exec("INSERT INTO replicated (stored_at, at, statement, arguments) VALUES (?, ?, '', ?)", tx.snapshot.now, at, encoded),
	)
}

func scanLagging(row scanner) (rows laggingRows, err error) {
	var encoded []byte
	if err = row.Scan(&encoded); err == nil {
		err = json.Unmarshal(encoded, &rows)
	}
	return rows, err
}

// Do runs work in a transaction on the rows as they were at a time. What it changes is lost.
func (l *Lagging) Do(ctx context.Context, then time.Time, work func(*Tx) error) error {
	var rows laggingRows
	if err := l.of.Read(ctx, func(tx *Tx) (err error) { // The newest snapshot up to the time, or else the oldest one.
		rows, err = queryOne(tx, scanLagging, `SELECT arguments FROM replicated WHERE seq = (
			SELECT coalesce((SELECT max(seq) FROM replicated WHERE at <= ? AND statement = ''), min(seq)) FROM replicated WHERE statement = '')`, micros(then))
		return err
	}); err != nil {
		return err
	}
	return l.db.Do(ctx, func(tx *Tx) error {
		if err := show(tx, rows); err != nil {
			return err
		}
		return work(tx)
	})
}

// show replaces the rows of the tables.
func show(tx *Tx, rows laggingRows) error {
	for _, table := range slices.Backward(laggingTables) {
		if err := tx.exec("DELETE FROM " + table); err != nil {
			return err
		}
	}
	return errors.Join(
		listeners.insert(tx, rows.Listeners...), integrations.insert(tx, rows.Integrations...), repositories.insert(tx, rows.Repositories...),
		deployments.insert(tx, rows.Deployments...), revisions.insert(tx, rows.Revisions...), projects.insert(tx, rows.Projects...),
	)
}
