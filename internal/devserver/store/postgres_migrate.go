package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed postgres/*.sql
var postgresMigrations embed.FS

// migratePostgres applies the migrations that the database doesn't have yet, each together with its number. Nobody else does at the same
// time, because the connection has the lock.
func migratePostgres(ctx context.Context, db *sql.DB) error {
	names, err := fs.Glob(postgresMigrations, "postgres/*.sql")
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL, owner TEXT NOT NULL)"); err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM schema_version").Scan(&version); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if version > len(names) {
		return fmt.Errorf("the schema version %d is newer than %d, the newest that this program supports: "+
			"use the program that wrote the database or another database", version, len(names))
	}
	for n := version; n < len(names); n++ {
		script, err := postgresMigrations.ReadFile(names[n])
		if err != nil {
			return err
		}
		if err := applyPostgres(ctx, db, string(script), n+1); err != nil {
			return fmt.Errorf("apply %s: %w", names[n], err)
		}
	}
	return nil
}

func applyPostgres(ctx context.Context, db *sql.DB, script string, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, statement := range []string{
		script, "DELETE FROM schema_version", fmt.Sprintf("INSERT INTO schema_version (version, owner) VALUES (%d, '')", version),
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}
