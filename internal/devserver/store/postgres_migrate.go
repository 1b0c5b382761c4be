package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
)

//go:embed postgres/*.sql
var postgresMigrations embed.FS

// migratePostgres applies the migrations that the database doesn't have yet, each together with its number. Nobody else does at the same
// time, because the connection has the lock.
func migratePostgres(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL, owner TEXT NOT NULL)"); err != nil {
		return err
	}
	const version = "SELECT coalesce(max(version), 0) FROM schema_version"
	return applyAll(ctx, db, postgresMigrations, "postgres/*.sql", "database", version, func(version int) []string {
		return []string{"DELETE FROM schema_version", fmt.Sprintf("INSERT INTO schema_version (version, owner) VALUES (%d, '')", version)}
	})
}
