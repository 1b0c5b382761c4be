package store

import (
	"bytes"
	"context"
	"encoding/gob"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Lagging shows the control plane's tables as they were some time ago. Each transaction that changes them stores a snapshot of all their rows,
// which is simple, and slow with thousands of deployments: it is for tests. Servers that share a database find the snapshots in it.
type Lagging struct {
	of  *Store
	db  *Store // In memory, with the rows that were shown last, and with the snapshots if only one server uses the database.
	now func() time.Time
	lag time.Duration

	mu      sync.Mutex
	shown   int64 // The number of the snapshot that was shown last.
	columns map[string]string
}

// tableSnapshot has encoded rows. At is when they were stored; zero if they are to be shown at once.
type tableSnapshot struct {
	at   int64
	rows []byte
}

// laggingRows are rows by table, with their values by column, except for nulls.
type laggingRows map[string][]map[string]any

// laggingTables are ordered so that rows come after those that they refer to.
var laggingTables = []string{"listeners", "integrations", "repositories", "deployments", "revisions", "projects"}

var changesLagging = regexp.MustCompile(`^\s*(INSERT INTO|UPDATE|DELETE FROM) (` + strings.Join(laggingTables, "|") + `)\b`)

// Lagging returns what shows the control plane's tables as they were a lag ago, by a clock. What is stored so far is shown at once. Call it
// once, before the first transaction.
func (s *Store) Lagging(ctx context.Context, now func() time.Time, lag time.Duration) (*Lagging, error) {
	db, err := openSQLite(ctx, "")
	if err != nil {
		return nil, err
	}
	l := &Lagging{of: s, db: db, now: now, lag: lag, columns: map[string]string{}}
	s.lagging.Store(l)
	if err := db.Do(ctx, func(tx *Tx) error {
		for _, table := range laggingTables {
			columns, err := query(tx, scanText, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
			if err != nil {
				return err
			}
			l.columns[table] = strings.Join(columns, ", ")
		}
		return tx.exec("CREATE TABLE replicated (seq INTEGER PRIMARY KEY, stored_at INTEGER, at INTEGER, statement TEXT, arguments BLOB)")
	}); err != nil {
		return nil, err
	}
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

// snapshots returns where they are.
func (l *Lagging) snapshots() *Store {
	if l.of.shared {
		return l.of
	}
	return l.db
}

// take takes a snapshot of what a transaction sees.
func (l *Lagging) take(tx *Tx) (s tableSnapshot, err error) {
	tables := laggingRows{}
	for table, list := range l.columns {
		columns := strings.Split(list, ", ")
		tables[table], err = query(tx, func(row scanner) (map[string]any, error) {
			values, dest, present := make([]any, len(columns)), make([]any, len(columns)), map[string]any{}
			for i := range values {
				dest[i] = &values[i]
			}
			err := row.Scan(dest...)
			for i, value := range values {
				if value != nil {
					present[columns[i]] = value
				}
			}
			return present, err
		}, "SELECT "+list+" FROM "+table+" ORDER BY seq")
		if err != nil {
			return s, err
		}
	}
	var encoded bytes.Buffer
	err = gob.NewEncoder(&encoded).Encode(tables)
	s.rows = encoded.Bytes()
	if !tx.endsLag {
		s.at = micros(l.now())
	}
	return s, err
}

// store stores a snapshot, and deletes those that are too old to be shown again.
func (l *Lagging) store(tx *Tx, s tableSnapshot) error {
	err := tx.exec("DELETE FROM replicated WHERE seq < (SELECT max(seq) FROM replicated WHERE at <= ?)", s.at-l.lag.Microseconds())
	if err != nil {
		return err
	}
	return tx.exec("INSERT INTO replicated (stored_at, at, statement, arguments) VALUES (?, ?, '', ?)", tx.snapshot.now, s.at, s.rows)
}

func scanTables(row scanner) (tables laggingRows, err error) {
	var encoded []byte
	if err = row.Scan(&encoded); err == nil {
		err = gob.NewDecoder(bytes.NewReader(encoded)).Decode(&tables)
	}
	return tables, err
}

// Do runs work in a transaction on the rows as they were at a time. What it changes lasts until other rows are shown.
func (l *Lagging) Do(ctx context.Context, then time.Time, work func(*Tx) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var number int64
	var tables laggingRows
	// The newest snapshot up to the time, or else the oldest one.
	if err := l.snapshots().Read(ctx, func(tx *Tx) (err error) {
		number, err = queryOne(tx, scanNumber, `SELECT coalesce((SELECT max(seq) FROM replicated WHERE at <= ? AND statement = ''), min(seq))
			FROM replicated WHERE statement = ''`, micros(then))
		if err != nil || number == l.shown {
			return err
		}
		tables, err = queryOne(tx, scanTables, "SELECT arguments FROM replicated WHERE seq = ?", number)
		return err
	}); err != nil {
		return err
	}
	err := l.db.Do(ctx, func(tx *Tx) error {
		if number != l.shown {
			if err := l.show(tx, tables); err != nil {
				return err
			}
		}
		return work(tx)
	})
	if err == nil {
		l.shown = number
	}
	return err
}

// show replaces the rows of the tables.
func (l *Lagging) show(tx *Tx, tables laggingRows) error {
	for _, table := range slices.Backward(laggingTables) {
		if err := tx.exec("DELETE FROM " + table); err != nil {
			return err
		}
	}
	for _, table := range laggingTables {
		for _, row := range tables[table] {
			columns, values := slices.Sorted(maps.Keys(row)), []any{}
			for _, column := range columns {
				values = append(values, row[column])
			}
			if err := tx.exec("INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ("+marks(len(values))+")", values...); err != nil {
				return err
			}
		}
	}
	return nil
}
