package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// copyTarget is a database of PostgreSQL that a file is copied to. A table in it says which file that is, as long as the copy isn't complete.
type copyTarget struct {
	db         *sql.DB
	connection *sql.Conn
	pgx        *pgx.Conn
}

// openCopyTarget opens a database, whose only writer it is then, and migrates its schema.
func openCopyTarget(ctx context.Context, address string) (*copyTarget, error) {
	config, err := postgresConfig(address)
	if err != nil {
		return nil, err
	}
	name := nameOf(config)
	pooled, _, err := checkPostgres(ctx, config)
	if err == nil && pooled {
		err = errors.New("a connection pooler answers there, and a copy locks the database with its own connection: use the address of PostgreSQL itself")
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(1)
	t := &copyTarget{db: db}
	if err = postgresSchema.migrate(ctx, db); err == nil {
		t.connection, err = db.Conn(ctx)
	}
	if err == nil {
		err = t.connection.Raw(func(driver any) error {
			connection, is := driver.(*stdlib.Conn)
			if !is {
				return fmt.Errorf("%T can't copy rows", driver)
			}
			t.pgx = connection.Conn()
			return lockForCopy(ctx, t.pgx)
		})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", name, err), t.close())
	}
	return t, nil
}

// copyWait is how long a copy waits for a server that is about to end.
const copyWait = 3 * time.Second

// lockForCopy takes the lock that transactions have that write, so that none does before the copy ends. Nobody else may use the database, not
// even later: a server would count on what it has read.
func lockForCopy(ctx context.Context, connection *pgx.Conn) error {
	_, err := connection.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d; SELECT %s", copyWait.Milliseconds(), waiting(false)))
	if err == nil {
		_, err = connection.Exec(ctx, "SELECT pg_advisory_lock(x'6170'::int, ('x' || left(md5(current_schema()), 8))::bit(32)::int)")
	}
	if of, is := errors.AsType[*pgconn.PgError](err); is && of.Code == "55P03" {
		return errors.New("another process writes to the database: stop it, or use another database")
	}
	for began := time.Now(); err == nil; time.Sleep(copyWait / 100) {
		var by string
		err = connection.QueryRow(ctx, "SELECT application_name || ', connected from ' || coalesce(host(client_addr), 'the same machine') FROM pg_stat_activity "+
			"WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE '"+applicationName+" %' LIMIT 1").Scan(&by)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err == nil && time.Since(began) > copyWait {
			err = fmt.Errorf("%s uses the database: stop that server, or use another database", by)
		}
	}
	return err
}

func (t *copyTarget) close() (err error) {
	if t.connection != nil {
		err = t.connection.Close()
	}
	return errors.Join(err, t.db.Close())
}

// begun reports whether a copy into the database has begun and isn't complete.
func (t *copyTarget) begun(ctx context.Context) (begun bool, err error) {
	err = t.pgx.QueryRow(ctx, selectCopying).Scan(&begun)
	return begun, err
}

const selectCopying = "SELECT to_regclass('copy_progress') IS NOT NULL"

// checkCopied refuses a database with a part of a copy.
func checkCopied(ctx context.Context, db *sql.DB) error {
	var begun bool
	if err := db.QueryRowContext(ctx, selectCopying).Scan(&begun); err != nil || !begun {
		return err
	}
	return errors.New("a copy into it isn't complete: run devserver copy again, which goes on where it was")
}

// begin notes that nothing is copied yet, unless the database has rows.
func (t *copyTarget) begin(ctx context.Context, from *copySource) error {
	return pgx.BeginFunc(ctx, t.pgx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "CREATE TABLE copy_progress (source TEXT NOT NULL)"); err != nil {
			return err
		}
		for _, table := range from.tables {
			var has bool
			if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+table.name+")").Scan(&has); err != nil {
				return err
			}
			if has {
				return fmt.Errorf("the database has rows already, in the table %s: use an empty database", table.name)
			}
		}
		_, err := tx.Exec(ctx, "INSERT INTO copy_progress (source) VALUES ($1)", from.version)
		return err
	})
}

// resume checks that the copy that has begun is of the same contents.
func (t *copyTarget) resume(ctx context.Context, from *copySource) error {
	var others int64
	err := t.pgx.QueryRow(ctx, "SELECT count(*) FROM copy_progress WHERE source <> $1", from.version).Scan(&others)
	if err == nil && others > 0 {
		err = errors.New("the database has a part of a copy of another file, or the file has changed since: use an empty database")
	}
	return err
}

// copied is how many rows of a table are copied.
func (t *copyTarget) copied(ctx context.Context, table string) (rows int64, err error) {
	err = t.pgx.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&rows)
	return rows, err
}

// types are those of the columns.
func (t *copyTarget) types(ctx context.Context, table sourceTable) ([]string, error) {
	all := make([]string, len(table.columns))
	for i, column := range table.columns {
		err := t.pgx.QueryRow(ctx, "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = $1::text::regclass AND attname = $2",
			table.name, column).Scan(&all[i])
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// store copies rows, all or none of them.
func (t *copyTarget) store(ctx context.Context, table sourceTable, rows [][]any) error {
	_, err := t.pgx.CopyFrom(ctx, pgx.Identifier{table.name}, table.columns, pgx.CopyFromRows(rows))
	return err
}

// finish compares the numbers of rows, lets new rows have the numbers after those that the file has given, and makes the database one that
// servers can use.
func (t *copyTarget) finish(ctx context.Context, from *copySource) error {
	err := pgx.BeginFunc(ctx, t.pgx, func(tx pgx.Tx) error {
		for _, table := range from.tables {
			rows, err := t.copied(ctx, table.name)
			if err != nil {
				return err
			}
			if rows != table.rows {
				return fmt.Errorf("the table %s has %d rows in the database, and %d in the file: use an empty database, and copy again", table.name, rows, table.rows)
			}
			if err := setSequence(ctx, tx, from, table); err != nil {
				return err
			}
		}
		// Servers that have used the database before forget what they know, and the key is that of the file.
		_, err := tx.Exec(ctx, "UPDATE commits SET number = number + 1, priced = number + 1, indexed = (SELECT coalesce(max(through), 0) FROM search_blocks); "+
			"DELETE FROM seal_keys; DROP TABLE copy_progress")
		return err
	})
	if err != nil {
		return err
	}
	_, err = t.pgx.Exec(ctx, "ANALYZE") // Without statistics, the first queries would be slow.
	return err
}

// setSequence makes numbers begin where those of the file end, whose rows with the last ones may be deleted.
func setSequence(ctx context.Context, tx pgx.Tx, from *copySource, table sourceTable) error {
	var sequence *string
	err := tx.QueryRow(ctx, "SELECT pg_get_serial_sequence($1::text, attname) FROM pg_attribute WHERE attrelid = $1::text::regclass AND attidentity <> ''",
		table.name).Scan(&sequence)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	var last int64
	if err := from.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?", table.name).Scan(&last); err != nil {
		return err
	}
	var highest int64
	if err := tx.QueryRow(ctx, "SELECT coalesce(max(seq), 0) FROM "+table.name).Scan(&highest); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "SELECT setval($1, $2, false)", *sequence, max(last, highest)+1)
	return err
}
