package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

// schema describes how the tables of a kind of database are made. The first script makes those of an early version and is never changed; each
// later one changes them. New databases execute all scripts, so that they are the same as those that were migrated.
type schema struct {
	scripts embed.FS
	pattern string
	first   int      // The version that the first script makes. Each later script makes the next one.
	begin   []string // Executed before the version is read.
	version string   // Reads the version; zero if there are no tables.
	note    string   // Stores a version, which statements like this can't have as a parameter.
	data    string   // What errors call the database.
}

// firstCommit is the commit whose dev server stores the version that the first scripts make, and migrates older data to it.
const firstCommit = "34937c3"

//go:embed migrations/*.sql
var sqliteScripts embed.FS

var sqliteSchema = schema{
	scripts: sqliteScripts, pattern: "migrations/*.sql", first: 22, data: "file", version: "PRAGMA user_version", note: "PRAGMA user_version = %d",
}

//go:embed postgres/*.sql
var postgresScripts embed.FS

// postgresSchema makes other processes wait, as for any transaction that writes: the lock is that of begin_writing, which doesn't exist before.
var postgresSchema = schema{
	scripts: postgresScripts, pattern: "postgres/*.sql", first: 6, data: "database",
	begin: []string{
		"SET LOCAL lock_timeout = 0",
		"SELECT pg_advisory_xact_lock(x'6170'::int, ('x' || left(md5(current_schema()), 8))::bit(32)::int)",
		"CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)",
	},
	version: "SELECT coalesce(max(version), 0) FROM schema_version",
	note:    "DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (%d)",
}

// names returns the names of the scripts, in their order.
func (s schema) names() []string {
	names, _ := fs.Glob(s.scripts, s.pattern) // The pattern is valid.
	return names
}

// newest returns the version that the last script makes.
func (s schema) newest() int { return s.first + len(s.names()) - 1 }

// newer is the error for a version that the program doesn't know.
func (s schema) newer(version int) error {
	return fmt.Errorf("the schema version %d is newer than %d, the newest that this program supports: "+
		"use the program that wrote the %s or another %s", version, s.newest(), s.data, s.data)
}

// migrate executes the scripts that a database lacks, in one transaction.
func (s schema) migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := s.migrateIn(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (s schema) migrateIn(ctx context.Context, tx *sql.Tx) error {
	for _, statement := range s.begin {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	var version int
	if err := tx.QueryRowContext(ctx, s.version).Scan(&version); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	lacking, err := s.lacking(ctx, tx, version)
	if err != nil || len(lacking) == 0 {
		return err
	}
	for _, name := range lacking {
		script, err := s.scripts.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(script)); err != nil {
			return fmt.Errorf("apply %s: %w", name, err)
		}
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf(s.note, s.newest()))
	return err
}

// lacking returns the names of the scripts that a database of a version lacks.
func (s schema) lacking(ctx context.Context, tx *sql.Tx, version int) ([]string, error) {
	switch {
	case version == 0:
		return s.names(), nil
	case version < s.first:
		return nil, fmt.Errorf("the schema version %d is older than %d, the oldest that this program supports: start the dev server of commit %s "+
			"with the %s once, which migrates it", version, s.first, firstCommit, s.data)
	case version > s.newest():
		return nil, s.newer(version)
	case version == s.first:
		if err := s.checkConverted(ctx, tx); err != nil {
			return nil, err
		}
	}
	return s.names()[version-s.first+1:], nil
}

// checkConverted refuses a database of the first version that firstCommit has migrated from an older one, but whose rows it has not converted
// completely: it encrypts secrets when its server starts, and counts runs in the background.
func (s schema) checkConverted(ctx context.Context, tx *sql.Tx) error {
	var plain, uncounted bool
	err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM deployments WHERE plain_secrets IS NOT NULL), EXISTS (SELECT 1 FROM uncounted)").Scan(&plain, &uncounted)
	if err == nil && (plain || uncounted) {
		err = fmt.Errorf("the %s is not completely converted to the schema version %d: let the dev server of commit %s run with it for some minutes",
			s.data, s.first, firstCommit)
	}
	return err
}
