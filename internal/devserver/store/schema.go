package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// errOtherSchema says that a file has the version number of this program's schema, but a different schema.
var errOtherSchema = errors.New("its schema is not that of this program but of an unreleased version: " +
	"use that version or another file")

// prepareSchema migrates the schema of a file.
func prepareSchema(ctx context.Context, db *sql.DB) error {
	if err := sqliteSchema.migrate(ctx, db); err != nil {
		return err
	}
	return checkSchema(ctx, db)
}

// checkSchema compares the schema of a file with that of this program. Before a release, a migration may still change.
func checkSchema(ctx context.Context, db *sql.DB) error {
	fresh, err := template()
	if err != nil {
		return err
	}
	want, err := schemaOf(ctx, fresh.db)
	if err != nil {
		return err
	}
	got, err := schemaOf(ctx, db)
	if err == nil && !slices.Equal(want, got) {
		return errOtherSchema
	}
	return err
}

// schemaOf returns the statements that created the schema of a database.
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
