package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// otherIndexes are the indexes that PostgreSQL has in place of SQLite's, because an entry of an index can't have a long text.
var otherIndexes = strings.NewReplacer(
	"attachments unique (workspace_id, run_id, name)", "attachments unique (workspace_id, run_id, md5(name))",
	"feedback index feedback_of_run (run_id, key)", "feedback index feedback_of_run (run_id)",
	"model_prices unique (workspace_id, identity)", "model_prices unique (workspace_id, md5(identity))",
	"projects unique (workspace_id, name)", "projects unique (workspace_id, md5(name))\nprojects index projects_named (name)",
	"rollups key (project, runs, property, value, span, number)", "rollups unique (project, runs, property, md5(value), span, number)",
	"run_labels key (run, kind, key, value)", "run_labels unique (run, kind, md5(key), md5(value))",
	"run_labels index run_labels_by_value (kind, key, value, run)", "run_labels index run_labels_by_value (kind, value, run)",
	"runs unique (workspace_id, id)", "runs unique (id, workspace_id)",
	"runs index runs_of_thread (project, thread_id, start_time) where thread_id is not null", "runs index runs_of_thread (thread_id) where thread_id is not null",
	"runs index runs_of_trace (trace_id, dotted_order)", `runs index runs_of_trace (trace_id, "left"(dotted_order, 600))`,
)

// TestPostgresSchema compares the tables, columns, keys and indexes of both kinds of databases, as their catalogs have them.
func TestPostgresSchema(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	file, err := template()
	if err != nil {
		t.Fatal(err)
	}
	config, err := postgresConfig(Data(t))
	if err != nil {
		t.Fatal(err)
	}
	server := stdlib.OpenDB(*config)
	defer server.Close()
	want := strings.Split(otherIndexes.Replace(strings.Join(catalog(t, file.db, sqliteCatalog), "\n")), "\n")
	slices.Sort(want)
	got := catalog(t, server, postgresCatalog)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema of SQLite, and of PostgreSQL (-want +got):\n%s", diff)
	}
	if len(got) < 300 {
		t.Errorf("the schema has %d parts, want all columns and keys", len(got))
	}
}

// texts returns the rows of a query for one text.
func texts(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// catalog returns what queries say about columns, foreign keys, and indexes.
func catalog(t *testing.T, db *sql.DB, queries []string) (all []string) {
	t.Helper()
	for _, query := range queries {
		all = append(all, texts(t, db, query)...)
	}
	slices.Sort(all)
	return all
}

// booleans are the columns that are numbers in SQLite, which has no booleans.
const booleans = "'build_on_push', 'uses_pkce', 'shareable', 'is_root', 'is_dynamic_client', 'is_default', 'forge', 'route_through_gateway', " +
	"'lower_better', 'packed'"

// onlyPostgres are the tables of what several processes have in common.
const onlyPostgres = "'schema_version', 'commits', 'leases', 'faults', 'requests', 'stray_requests', 'toy_grants', 'replicated', 'seal_keys'"

const sqliteTables = "SELECT m.name AS t FROM sqlite_schema m WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"

var sqliteCatalog = []string{
	`SELECT t || '.' || c.name || ' ' ||
		CASE WHEN c.name IN (` + booleans + `) THEN 'boolean' ELSE lower(c.type) END ||
		CASE WHEN c."notnull" OR c.pk THEN ' not null' ELSE '' END ||
		CASE WHEN c.dflt_value IS NULL THEN '' ELSE ' default ' || CASE WHEN c.name IN (` + booleans + `) THEN 'false' ELSE c.dflt_value END END
		FROM (` + sqliteTables + `), pragma_table_info(t) c`,
	`SELECT t || ' references ' || f."table" || ' (' || group_concat(f."from" || ' = ' || f."to", ', ' ORDER BY f.seq) || ') on delete ' || lower(f.on_delete)
		FROM (` + sqliteTables + `), pragma_foreign_key_list(t) f GROUP BY t, f.id`,
	// The primary key of a table with numbers is no index of its own.
	`SELECT t || ' key (' || group_concat(c.name, ', ' ORDER BY c.pk) || ')' FROM (` + sqliteTables + `), pragma_table_info(t) c WHERE c.pk GROUP BY t`,
	`SELECT t || CASE WHEN i."unique" THEN ' unique' ELSE ' index ' || i.name END || ' (' ||
		(SELECT group_concat(x.name, ', ' ORDER BY x.seqno) FROM pragma_index_info(i.name) x) || ')' ||
		coalesce((SELECT ' where ' || lower(substr(m.sql, instr(m.sql, ' WHERE ') + 7)) FROM sqlite_schema m WHERE m.name = i.name AND m.sql LIKE '% WHERE %'), '')
		FROM (` + sqliteTables + `), pragma_index_list(t) i WHERE i.origin <> 'pk'`,
}

var postgresCatalog = []string{
	`SELECT c.relname || '.' || a.attname || ' ' || CASE format_type(a.atttypid, NULL) WHEN 'bigint' THEN 'integer' WHEN 'bytea' THEN 'blob'
		WHEN 'double precision' THEN 'real' ELSE format_type(a.atttypid, NULL) END ||
		CASE WHEN a.attnotnull THEN ' not null' ELSE '' END || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') ||
		CASE WHEN a.atttypid = 'text'::regtype AND l.collname <> 'C' THEN ' collate ' || l.collname ELSE '' END
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
		LEFT JOIN pg_collation l ON l.oid = a.attcollation
		WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname NOT IN (` + onlyPostgres + `)`,
	`SELECT f.conrelid::regclass || ' references ' || f.confrelid::regclass || ' (' ||
		(SELECT string_agg(a.attname || ' = ' || b.attname, ', ' ORDER BY k.n) FROM unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (own, other, n)
			JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.own JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.other) ||
		') on delete ' || CASE f.confdeltype WHEN 'c' THEN 'cascade' WHEN 'a' THEN 'no action' ELSE f.confdeltype::text END
		FROM pg_constraint f WHERE f.contype = 'f' AND f.connamespace = current_schema()::regnamespace`,
	`SELECT i.indrelid::regclass || CASE WHEN i.indisprimary THEN ' key' WHEN i.indisunique THEN ' unique' ELSE ' index ' || i.indexrelid::regclass END ||
		' (' || (SELECT string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' ORDER BY n) FROM generate_series(1, i.indnkeyatts) n) || ')' ||
		coalesce(' where ' || lower(pg_get_expr(i.indpred, i.indrelid, true)), '')
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = current_schema()::regnamespace AND c.relname NOT IN (` + onlyPostgres + `)`,
}

// TestPostgresNewer checks that a program refuses the schema of a newer one.
func TestPostgresNewer(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	address := Data(t)
	config, err := postgresConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	newest := 0
	if err := db.QueryRowContext(t.Context(), "SELECT version FROM schema_version").Scan(&newest); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "UPDATE schema_version SET version = 1000"); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), address)
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf("UPDATE schema_version SET version = %d", newest)); err != nil { // For the next test with the database.
		t.Fatal(err)
	}
	want := fmt.Sprintf("open %s: the schema version 1000 is newer than %d", PostgresName(address), newest)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error = %v, want %s", err, want)
	}
}
