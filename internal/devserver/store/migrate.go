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
	return applyAll(ctx, db, migrations, "migrations/*.sql", "file", "PRAGMA user_version", writeUserVersion)
}

// writeUserVersion has its number in the text, because pragmas can't have parameters.
func writeUserVersion(version int) []string {
	return []string{fmt.Sprintf("PRAGMA user_version = %d", version)}
}

// applyAll applies scripts in the order of their names. The query read returns the number of those that a database has, and the
// statements of write store it; data is what the database is called in errors.
func applyAll(ctx context.Context, db *sql.DB, scripts embed.FS, pattern, data, read string, write func(version int) []string) error {
	names, err := fs.Glob(scripts, pattern) // In lexical order, and therefore by number.
	if err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, read).Scan(&version); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if version > len(names) {
		return fmt.Errorf("the schema version %d is newer than %d, the newest that this program supports: "+
			"use the program that wrote the %s or another %s", version, len(names), data, data)
	}
	for n := version; n < len(names); n++ {
		script, err := scripts.ReadFile(names[n])
		if err != nil {
			return err
		}
		if err := apply(ctx, db, append([]string{string(script)}, write(n+1)...)); err != nil {
			return fmt.Errorf("apply %s: %w", names[n], err)
		}
	}
	return nil
}

func apply(ctx context.Context, db *sql.DB, statements []string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}
