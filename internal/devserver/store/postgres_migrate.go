package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
)

//go:embed postgres/*.sql
var postgresMigrations embed.FS

// postgresScripts are the migrations, and postgresVersion reads how many of them a database has.
const (
	postgresScripts = "postgres/*.sql"
	postgresVersion = "SELECT coalesce(max(version), 0) FROM schema_version"
)

// migratePostgres applies the migrations that the database doesn't have yet: all of them, or none. Other processes wait, as for any
// transaction that writes: the lock is that of begin_writing, which doesn't exist before.
func migratePostgres(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	err = executeAll(ctx, tx,
		"SET LOCAL lock_timeout = 0",
		"SELECT pg_advisory_xact_lock(x'6170'::int, ('x' || left(md5(current_schema()), 8))::bit(32)::int)",
		"CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)",
	)
	if err == nil {
		err = applyAll(ctx, tx, postgresMigrations, postgresScripts, "database", postgresVersion, func(version int, script string) error {
			return executeAll(ctx, tx, script, "DELETE FROM schema_version",
				fmt.Sprintf("INSERT INTO schema_version (version) VALUES (%d)", version))
		})
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
