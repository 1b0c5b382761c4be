package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// errOtherSchema says that a file has the number of this program's schema, and another schema.
var errOtherSchema = errors.New("its schema is not the one of this program, but of a version that was never released: " +
	"use that version, or another file")

// checkSchema compares the schema of a file with the one that this program makes. Before a release, a migration may change.
func checkSchema(ctx context.Context, db *sql.DB) (err error) {
	fresh, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	fresh.SetMaxOpenConns(1)
	if err := migrate(ctx, fresh); err != nil {
		return err
	}
	want, err := schemaOf(ctx, fresh)
	if err != nil {
		return err
	}
	got, err := schemaOf(ctx, db)
	if err == nil && !slices.Equal(want, got) {
		return errOtherSchema
	}
	return err
}

// schemaOf are the statements that made what a database has.
func schemaOf(ctx context.Context, db *sql.DB) (statements []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type, name")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return nil, err
		}
		statements = append(statements, statement)
	}
	return statements, rows.Err()
}
