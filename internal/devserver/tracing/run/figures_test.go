package run

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// TestRolledUpWorkspace checks that rolled-up figures of a project are only those of its own workspace's requests.
func TestRolledUpWorkspace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 2, 10, 30, 0, 0, time.UTC)
	db, err := store.Open(t.Context(), "")
	must(t, err)
	defer db.Close()
	service := New(db, func() time.Time { return now }, limits.NewMemory(limits.BodiesTogether))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/runs", strings.NewReader(
		`{"name": "a", "run_type": "chain", "inputs": {}, "session_name": "agents", "start_time": "2026-05-02T10:00:00Z"}`))
	if _, err := service.ingestRun(r, rest.DefaultWorkspaceID); err != nil {
		t.Fatal(err)
	}
	rollAll(t, db)
	err = db.Read(t.Context(), func(tx *store.Tx) error {
		project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, "agents")
		if err != nil {
			return err
		}
		for workspaceID, want := range map[string]int{rest.DefaultWorkspaceID: 1, "11111111-2222-4333-8444-555555555555": 0} {
			f := store.RunFilter{WorkspaceID: workspaceID, ProjectIDs: []string{project.ID}}
			one, err := figure.InOne(tx, f, false)
			if err != nil {
				return err
			}
			if one.Runs != want {
				t.Errorf("figures of %d runs in workspace %s, want %d", one.Runs, workspaceID, want)
			}
			groups, err := figure.InGroups(tx, f, store.RunGroup{Column: store.ByName}, []time.Time{figure.StartOf(f)}, false)
			if err != nil {
				return err
			}
			if len(groups) != want {
				t.Errorf("%d groups in workspace %s, want %d", len(groups), workspaceID, want)
			}
		}
		return nil
	})
	must(t, err)
}
