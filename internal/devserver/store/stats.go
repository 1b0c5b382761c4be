package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ProjectSpace is what a tracing project takes. Rows and labels include their entries in indexes and are estimated, like bodies.
type ProjectSpace struct {
	WorkspaceID, ID, Name string
	Deleted               bool // Its runs are being deleted.
	Space
}

// Bytes is the sum.
func (s Space) Bytes() int64 { return s.Rows + s.Bodies + s.Labels + s.Attachments }

// ProjectSpaces lists what the projects of a workspace take, or of all workspaces if the ID is empty, by workspace; the largest first.
func (t *Tx) ProjectSpaces(workspaceID string) ([]ProjectSpace, error) {
	attached := map[int64]int64{}
	err := each(t, func(row scanner) (o occupation, err error) {
		err = row.Scan(&o.project, &o.space.Attachments)
		return o, err
	}, func(o occupation) error {
		attached[o.project] = o.space.Attachments
		return nil
	}, `SELECT r.project, sum(a.stored) FROM attachments a JOIN runs r ON r.workspace_id = a.workspace_id AND r.id = a.run_id
		WHERE a.workspace_id = ?1 OR ?1 = '' GROUP BY r.project`, workspaceID)
	if err != nil {
		return nil, err
	}
	return query(t, func(row scanner) (p ProjectSpace, err error) {
		var seq int64
		err = row.Scan(&p.WorkspaceID, &seq, &p.ID, &p.Name, &p.Deleted, &p.Runs, &p.Rows, &p.Bodies, &p.Labels)
		p.Attachments = attached[seq]
		return p, err
	}, `SELECT s.workspace_id, s.project, p.id, p.name, p.workspace_id = '', s.runs, s.row_bytes, s.body_bytes, s.label_bytes
		FROM space s JOIN projects p ON p.seq = s.project WHERE s.workspace_id = ?1 OR ?1 = ''
		ORDER BY s.workspace_id, s.row_bytes + s.body_bytes + s.label_bytes DESC, s.project`, workspaceID)
}

// FileSpace returns the size of the database in bytes, and how much of it is free.
func (t *Tx) FileSpace() (size, free int64, err error) {
	p, err := t.backend.size(t)
	return p.all * p.size, p.free * p.size, err
}

// Stats say what takes how much in a file.
type Stats struct {
	Size, Free, Log                                   int64 // The log is a file of its own.
	Runs, Bodies, Labels, Attachments, Indexes, Other int64
	Projects                                          []ProjectSpace
}

// ReadStats reads what takes how much in a file, which a server may use at the same time. It reads all of the file.
func ReadStats(ctx context.Context, path string) (stats Stats, err error) {
	if err := checkFile(path, "devserver stats reads only SQLite files: for PostgreSQL, the page Space of the web UI says what projects take, and "+
		"pg_total_relation_size what a table does"); err != nil {
		return stats, err
	}
	readers, err := openReaders(path)
	if err != nil {
		return stats, err
	}
	defer func() { err = errors.Join(err, readers.Close()) }()
	s := &Store{backend: &sqlite{path: path}, readers: readers, readTurn: make(queue, 1), traces: &traceCache{}}
	if log, err := os.Stat(path + "-wal"); err == nil {
		stats.Log = log.Size()
	}
	err = s.Read(ctx, func(tx *Tx) error {
		if err := tx.checkVersion(); err != nil {
			return err
		}
		var err error
		if stats.Size, stats.Free, err = tx.FileSpace(); err != nil {
			return err
		}
		if stats.Projects, err = tx.ProjectSpaces(""); err != nil {
			return err
		}
		return tx.addTables(&stats)
	})
	return stats, err
}

// checkVersion returns an error if a file doesn't have this program's schema.
func (t *Tx) checkVersion() error {
	newest := sqliteSchema.newest()
	version, err := queryOne(t, scanNumber, sqliteSchema.version)
	if err == nil && int(version) != newest {
		err = fmt.Errorf("the schema version is %d, and this program reads only %d: start this program's server with the file, or use the program that wrote it",
			version, newest)
	}
	return err
}

// addTables adds up the pages of all tables and indexes.
func (t *Tx) addTables(stats *Stats) error {
	kinds := map[string]*int64{
		"runs": &stats.Runs, "run_bodies": &stats.Bodies, "run_labels": &stats.Labels, "attachments": &stats.Attachments, "attachment_pieces": &stats.Attachments,
	}
	type table struct {
		name  string
		index bool
		bytes int64
	}
	return each(t, func(row scanner) (of table, err error) {
		err = row.Scan(&of.name, &of.index, &of.bytes)
		return of, err
	}, func(of table) error {
		kind, known := kinds[of.name]
		switch {
		case of.index:
			kind = &stats.Indexes
		case !known:
			kind = &stats.Other
		}
		*kind += of.bytes
		return nil
	}, "SELECT s.name, coalesce(m.type = 'index', 0), s.pgsize FROM dbstat s LEFT JOIN sqlite_schema m ON m.name = s.name WHERE s.aggregate = TRUE")
}

// Usage is how the connections of a database are used at a moment.
type Usage struct {
	// WritersWaiting is how many transactions wait for their turn to write, and ReadersInUse how many are reading.
	WritersWaiting, ReadersInUse int64
}

// Usage is how the connections are used now.
func (s *Store) Usage() Usage {
	s.group.mu.Lock()
	grouped := len(s.group.waiting)
	s.group.mu.Unlock()
	return Usage{WritersWaiting: s.waiting.Load() + int64(grouped), ReadersInUse: int64(len(s.readTurn))}
}

// Measure makes each transaction that writes tell how long it has taken, without the wait for its turn.
func (s *Store) Measure(wrote func(took time.Duration)) { s.wrote.Store(&wrote) }
