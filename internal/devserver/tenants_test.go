package devserver_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// rowsOf counts the rows of each table in a SQLite file.
func rowsOf(t *testing.T, path string) map[string]int {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	counted := map[string]int{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		counted[name] = 0
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for name := range counted {
		var n int
		if err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT count(*) FROM %q", name)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counted[name] = n
	}
	return counted
}

// TestNamedTenantsAreNotStored sends reads, and changes that are refused or have no content, to every route of the tracing service and some of
// the others of a server without keys, each with a tenant ID that no other request names. Nothing of these is stored; an accepted run is.
func TestNamedTenantsAreNotStored(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	p := devservertest.New(t, devserver.Config{Data: path})
	before := rowsOf(t, path)
	routes := append(p.Undocumented(), "GET /v2/deployments", "POST /v2/deployments", "GET /v2/listeners", "POST /v2/listeners", "GET /v2/auth/providers",
		"POST /v2/auth/providers", "GET /v2/auth/tokens", "POST /v2/auth/authenticate", "GET /ui/projects", "GET /nowhere", "POST /nowhere")
	for _, route := range routes {
		method, at, _ := strings.Cut(route, " ")
		parts := strings.Split(at, "/")
		for i, part := range parts {
			if strings.HasPrefix(part, "{") {
				parts[i] = uuid.NewString()
			}
		}
		bodies := []any{nil}
		if method != http.MethodGet && method != http.MethodDelete {
			bodies = []any{"", "{", "[]", object{"name": 5, "id": "x"}}
		}
		for _, body := range bodies {
			r := p.As("X-Tenant-Id", uuid.NewString()).Do(method, strings.Join(parts, "/"), body)
			if r.Err != nil {
				t.Errorf("%s: %v", route, r.Err)
			}
		}
	}
	if diff := cmp.Diff(before, rowsOf(t, path)); diff != "" {
		t.Errorf("%d routes: rows (-before +after):\n%s", len(routes), diff)
	}
	named := p.As("X-Tenant-Id", uuid.NewString())
	named.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"session_name": nil})).Want(http.StatusAccepted)
	if all := devservertest.Get[[]object](named, "/sessions"); len(all) != 1 || all[0]["name"] != "default" {
		t.Errorf("projects after a run = %v, want the default one", all)
	}
}
