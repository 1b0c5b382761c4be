package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate applies the migrations that the database doesn't have yet. The number of applied ones is its user_version, and
// each migration commits together with its number.
func migrate(ctx context.Context, db *sql.DB) error {
	return applyAll(ctx, db, migrations, "migrations/*.sql", "file", "PRAGMA user_version", func(version int, script string) error {
		return apply(ctx, db, script, fmt.Sprintf("PRAGMA user_version = %d", version)) // Pragmas can't have parameters.
	})
}

func apply(ctx context.Context, db *sql.DB, statements ...string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := executeAll(ctx, tx, statements...); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// applyAll applies scripts in the order of their names. The query read returns the number of those that a database has; data is what the
// database is called in errors.
func applyAll(
	ctx context.Context, db interface {
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}, scripts embed.FS, pattern, data, read string, apply func(version int, script string) error,
) error {
	names, err := fs.Glob(scripts, pattern) // In lexical order, and therefore by number.
	if err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, read).Scan(&version); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if version > len(names) {
		return newerSchema(version, len(names), data)
	}
	for n := version; n < len(names); n++ {
		script, err := scripts.ReadFile(names[n])
		if err != nil {
			return err
		}
		if err := apply(n+1, string(script)); err != nil {
			return fmt.Errorf("apply %s: %w", names[n], err)
		}
	}
	return nil
}

func newerSchema(version, newest int, data string) error {
	return fmt.Errorf("the schema version %d is newer than %d, the newest that this program supports: "+
		"use the program that wrote the %s or another %s", version, newest, data, data)
}

func executeAll(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
