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
	names, err := fs.Glob(migrations, "migrations/*.sql") // In lexical order, and therefore by number.
	if err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if version > len(names) {
		return fmt.Errorf("the schema version %d is newer than %d, the newest that this program supports: "+
			"use the program that wrote the file or another file", version, len(names))
	}
	for n := version; n < len(names); n++ {
		script, err := migrations.ReadFile(names[n])
		if err != nil {
			return err
		}
		if err := apply(ctx, db, string(script), n+1); err != nil {
			return fmt.Errorf("apply %s: %w", names[n], err)
		}
	}
	return nil
}

func apply(ctx context.Context, db *sql.DB, script string, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, script); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	// Pragmas can't have parameters.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
