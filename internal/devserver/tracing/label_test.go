package tracing_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// TestRunWithManyLabels checks what filters find of a run with more metadata than they search, and that the run has all of it.
func TestRunWithManyLabels(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	const id = "11111111-0000-4000-8000-000000000001"
	metadata := object{"ls_user_id": "ada", "thread_id": "talk", "zebra": "striped"}
	for i := range 2 * limits.Labels {
		metadata[fmt.Sprintf("k%05d", i)] = i
	}
	p.Do(http.MethodPost, "/api/v1/runs", object{
		"id": id, "trace_id": id, "dotted_order": "20260502T100000000000Z" + id, "name": "chat", "run_type": "chain", "session_name": "labels",
		"start_time": "2026-05-02T10:00:00Z", "extra": object{"metadata": metadata},
	}).Want(http.StatusAccepted)
	whole := devservertest.Get[object](p, "/api/v1/runs/"+id)
	extra, _ := whole["extra"].(object)
	if kept, _ := extra["metadata"].(object); len(kept) != len(metadata) {
		t.Errorf("the run has %d metadata entries, want %d", len(kept), len(metadata))
	}
	session := whole["session_id"]
	for filter, want := range map[string]int{
		`and(eq(metadata_key, "k00000"), eq(metadata_value, 0))`: 1,
		`eq(ls_user_id, "ada")`:                                  1,
		`eq(thread_id, "talk")`:                                  1,
		`search("striped")`:                                      1,
		// Beyond the limit.
		`eq(metadata_key, "zebra")`:                                 0,
		fmt.Sprintf(`eq(metadata_key, "k%05d")`, 2*limits.Labels-1): 0,
	} {
		found := devservertest.Into[object](p.Do(http.MethodPost, "/api/v1/runs/query", object{"session": []any{session}, "filter": filter}).Want(http.StatusOK))
		if runs, _ := found["runs"].([]any); len(runs) != want {
			t.Errorf("%s finds %d runs, want %d", filter, len(runs), want)
		}
	}
}
