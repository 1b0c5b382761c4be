package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSchemas checks that files of old and new versions can be opened, and opened again, and that a version number with another schema is an
// error. Those in between have the schema that the migrations of the first lead through.
func TestSchemas(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	must(t, err)
	for _, version := range []int{0, 1, len(names) / 2, len(names) - 1, len(names)} {
		path := filepath.Join(t.TempDir(), "plane.db")
		writeVersion(t, path, names[:version], "")
		for range 2 {
			db, err := Open(t.Context(), path)
			if err != nil {
				t.Fatalf("version %d: %v", version, err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
		other, err := sql.Open("sqlite", path)
		must(t, err)
		if _, err := other.ExecContext(t.Context(), "DROP INDEX runs_failed"); err != nil {
			t.Fatal(err)
		}
		must(t, other.Close())
		if _, err := Open(t.Context(), path); !errors.Is(err, errOtherSchema) {
			t.Errorf("version %d with another schema: error = %v, want errOtherSchema", version, err)
		}
	}
}

// writeVersion writes a file as a program with the given number of migrations did, with rows in it.
func writeVersion(t *testing.T, path string, names []string, rows string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	for n, name := range names {
		script, err := migrations.ReadFile(name)
		must(t, err)
		must(t, apply(t.Context(), db, fmt.Sprintf("PRAGMA user_version = %d", n+1), string(script)))
	}
	if _, err := db.ExecContext(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	must(t, db.Close())
}

// TestOldRuns checks that all runs of a file of version 7, which referred to projects by ID and compressed nothing, can be read, and are deleted with
// their project.
func TestOldRuns(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	must(t, err)
	rows, err := os.ReadFile("testdata/runs_of_version_7.sql")
	must(t, err)
	path := filepath.Join(t.TempDir(), "plane.db")
	writeVersion(t, path, names[:7], string(rows))
	db, err := Open(t.Context(), path)
	must(t, err)
	defer db.Close()
	at := time.UnixMicro(1777716000000000).UTC()
	end := at.Add(time.Second)
	want := []Run{{
		Seq: 5, WorkspaceID: "w", ID: "child", ProjectID: "p2", TraceID: "root", ParentRunID: new("root"), DottedOrder: new("1root.2child"),
		Name: "model", RunType: "llm", Status: "error", StartTime: at, EndTime: &end, FirstTokenTime: &end, Error: new("boom"), ThreadID: new("t"),
		PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3, PromptCost: new("0.1"), CompletionCost: new("0.2"), TotalCost: new("0.3"),
		Figures: `{"basis":"b"}`, PriceID: new("price"), ReceivedAt: end,
	}}
	err = db.Do(t.Context(), func(tx *Tx) error {
		got, err := tx.Runs(RunFilter{WorkspaceID: "w", ProjectIDs: []string{"p2"}, Where: parse(t, `and(has(tags, "smoke"), eq(input_key, "q"))`)}, false, nil, 10)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("run: error = %v (-want +got):\n%s", err, diff)
		}
		body, err := tx.RunBody("w", "child")
		if diff := cmp.Diff(RunBody{Post: []byte(`{"inputs":{"q":1}}`), Patch: []byte(`{"error":"boom"}`)}, body); diff != "" || err != nil {
			t.Errorf("body: error = %v (-want +got):\n%s", err, diff)
		}
		all, err := tx.Runs(RunFilter{WorkspaceID: "w"}, true, nil, 10)
		if err != nil || len(all) != 2 || all[0].ID != "root" || all[0].ProjectID != "p1" {
			t.Errorf("runs = %v, %v; want two, root first, in p1", all, err)
		}
		return tx.DeleteProject("w", "p2")
	})
	must(t, err)
	for table, want := range map[string]int{"runs": 1, "run_bodies": 1, "run_labels": 0, "pragma_foreign_key_check": 0} {
		var n int
		if err := db.(*database).db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != want {
			t.Errorf("%d rows left in %s, want %d: %v", n, table, want, err)
		}
	}
}

// TestOldRepositories checks that what deployments of a file of version 8 were made from exists: then every repository had every ref.
func TestOldRepositories(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	must(t, err)
	path := filepath.Join(t.TempDir(), "plane.db")
	const deployment = `INSERT INTO deployments (id, workspace_id, name, source, status, secrets, integration_id, repo_url, created_at, updated_at) VALUES `
	const revision = `INSERT INTO revisions (id, deployment_id, source, repo_ref, repo_commit_sha, status, rollout, created_at, updated_at) VALUES `
	writeVersion(t, path, names[:8], `
		INSERT INTO integrations (id, workspace_id, installation_id, name) VALUES ('i', 'w', 1, 'example-org');
		INSERT INTO repositories (id, integration_id, owner, name, url, default_branch)
			VALUES (1, 'i', 'example-org', 'chat', 'https://git.example.com/example-org/chat', 'trunk');`+
		deployment+`('a', 'w', 'a', 'git_host', 'READY', '[]', 'i', 'https://git.example/acme/agent.git/', 1, 1),
			('b', 'w', 'b', 'git_host', 'READY', '[]', 'i', 'https://git.example.com/example-org/chat', 1, 1);`+
		revision+`('a1', 'a', 'git_host', 'main', 'sha1', 'DEPLOYED', 1, 1, 1), ('a2', 'a', 'git_host', 'main', 'sha2', 'DEPLOYED', 1, 2, 2),
			('b1', 'b', 'git_host', 'next', 'sha3', 'DEPLOYED', 1, 1, 1);`)
	db, err := Open(t.Context(), path)
	must(t, err)
	defer db.Close()
	err = db.Do(t.Context(), func(tx *Tx) error {
		all, err := tx.Repositories("w", "i")
		if err != nil || len(all) != 2 {
			t.Fatalf("repositories = %+v, %v; want two", all, err)
		}
		all[1].ID = 0
		want := Repository{IntegrationID: "i", Owner: "acme", Name: "agent", URL: "https://git.example/acme/agent", DefaultBranch: "main"}
		if diff := cmp.Diff(want, all[1]); diff != "" {
			t.Errorf("repository (-want +got):\n%s", diff)
		}
		const chat = "https://git.example.com/example-org/chat"
		for _, head := range []struct{ url, ref, sha string }{{want.URL, "main", "sha2"}, {chat, "next", "sha3"}} {
			if sha, err := tx.RepoHead("w", head.url, head.ref); err != nil || sha != head.sha {
				t.Errorf("head of %s = %s, %v; want %s", head.ref, sha, err, head.sha)
			}
		}
		if sha, err := tx.RepoHead("w", chat, "trunk"); err != nil || len(sha) != 40 {
			t.Errorf("head of the default branch = %q, %v; want a commit", sha, err)
		}
		return nil
	})
	must(t, err)
}
