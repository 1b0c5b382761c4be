package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

// Copied is the progress of a copy.
type Copied struct {
	Table string
	// Rows is how many rows of the table are copied, and All how many it has.
	Rows, All int64
}

// copyRows and copyBytes are the size of a batch, which is one transaction: what an interruption can cost.
const (
	copyRows  = 10_000
	copyBytes = 16 << 20
)

// Copy copies all rows of a SQLite file that no server uses into a PostgreSQL database without rows. A copy that was interrupted goes on where it
// was. Prepare is called before anything is copied, and may change the file; progress is called after each batch.
func Copy(ctx context.Context, path, address string, prepare func() error, progress func(Copied)) (err error) {
	return copyInBatches(ctx, path, address, copyRows, prepare, progress)
}

func copyInBatches(ctx context.Context, path, address string, rows int, prepare func() error, progress func(Copied)) (err error) {
	if IsPostgres(path) || !IsPostgres(address) {
		return errors.New("only a SQLite file can be copied, and only into a PostgreSQL database: use -from with the path of a file, and -to with postgres://…")
	}
	if _, err := os.Stat(path); err != nil {
		return err // Opening would create it.
	}
	claim, err := Claim(ctx, path, "devserver copy")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	to, err := openCopyTarget(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	begun, err := to.begun(ctx)
	if err != nil {
		return err
	}
	if !begun {
		if err := prepare(); err != nil {
			return err
		}
	}
	from, err := openCopySource(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.db.Close()) }()
	if begun {
		err = to.resume(ctx, from)
	} else {
		err = to.begin(ctx, from)
	}
	if err != nil {
		return err
	}
	for _, table := range from.tables {
		if err := copyRowsOf(ctx, from, to, table, rows, progress); err != nil {
			return fmt.Errorf("copy the table %s: %w", table.name, err)
		}
	}
	return to.finish(ctx, from)
}

// copyRowsOf copies the rest of a table. The rows of a file that doesn't change have an order, so their number says where the rest begins.
func copyRowsOf(ctx context.Context, from *copySource, to *copyTarget, table sourceTable, most int, progress func(Copied)) (err error) {
	done, err := to.copied(ctx, table.name)
	if err != nil {
		return err
	}
	types, err := to.types(ctx, table)
	if err != nil {
		return err
	}
	rows, err := from.rows(ctx, table, done)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var batch [][]any
	size := 0
	for more := true; more; {
		if more = rows.Next(); more {
			values, bytes, err := scanCopied(rows, table, types)
			if err != nil {
				return err
			}
			batch, size = append(batch, values), size+bytes
		}
		if len(batch) < most && size < copyBytes && more || len(batch) == 0 {
			continue
		}
		if err := to.store(ctx, table, batch); err != nil {
			return err
		}
		done += int64(len(batch))
		batch, size = nil, 0
		progress(Copied{table.name, done, table.rows})
	}
	return rows.Err()
}

// sourceTable is a table of the file.
type sourceTable struct {
	name    string
	columns []string
	order   string // What orders its rows.
	rows    int64
}

// copySource is the file that is copied.
type copySource struct {
	db     *sql.DB
	tables []sourceTable // After those that their rows refer to.
	// version tells the contents of the file apart from those that it has later.
	version string
}

// openCopySource opens a file that no other process writes. Its log is empty then, so that whatever changes it changes the file itself.
func openCopySource(ctx context.Context, path string) (*copySource, error) {
	db, err := openDriver(path, url.Values{"_pragma": {patience}})
	if err != nil {
		return nil, err
	}
	s := &copySource{db: db}
	if err := s.open(ctx, path); err != nil {
		return nil, errors.Join(fmt.Errorf("open %q: %w", path, err), db.Close())
	}
	return s, nil
}

func (s *copySource) open(ctx context.Context, path string) error {
	var busy, frames, written int64
	if err := s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &written); err != nil {
		return err
	}
	if busy != 0 {
		return errors.New("another program reads it: end that program first")
	}
	if err := sqliteSchema.migrate(ctx, s.db); err != nil {
		return err
	}
	file, err := os.Stat(path)
	if err != nil {
		return err
	}
	s.version = fmt.Sprintf("%d bytes of %s", file.Size(), file.ModTime().UTC().Format(time.RFC3339Nano))
	// Tables are created after those that they refer to.
	names, err := copyNames(ctx, s.db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
	if err != nil {
		return err
	}
	for _, name := range names {
		table, err := s.describe(ctx, name)
		if err != nil {
			return err
		}
		s.tables = append(s.tables, table)
	}
	return nil
}

func (s *copySource) describe(ctx context.Context, name string) (t sourceTable, err error) {
	t.name = name
	if t.columns, err = copyNames(ctx, s.db, "SELECT name FROM pragma_table_info(?) ORDER BY cid", name); err != nil {
		return t, err
	}
	var keyed bool
	if err := s.db.QueryRowContext(ctx, "SELECT wr FROM pragma_table_list(?)", name).Scan(&keyed); err != nil {
		return t, err
	}
	t.order = "rowid"
	if keyed {
		err = s.db.QueryRowContext(ctx, "SELECT group_concat(name, ', ' ORDER BY pk) FROM pragma_table_info(?) WHERE pk > 0", name).Scan(&t.order)
	}
	if err == nil {
		err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM "+name).Scan(&t.rows)
	}
	return t, err
}

// copyNames returns the rows of a query for names.
func copyNames(ctx context.Context, db *sql.DB, query string, args ...any) (names []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}
