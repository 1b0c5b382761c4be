package store_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// oldTraces is the number of traces in testdata/runs_of_version_11.sql, and oldProject their project.
const (
	oldTraces  = 600
	oldProject = "eeeeeeee-0000-4000-8000-000000000000"
)

// TestOldFileServes_unraced opens a file from before figures were rolled up and texts were indexed. From the first request on, answers are
// complete; they stay the same while the server rolls up, in several steps, and indexes, and a client logs a run.
func TestOldFileServes_unraced(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "plane.db")
	rows, err := os.ReadFile("testdata/runs_of_version_11.sql")
	devservertest.Must(t, err)
	store.WriteVersion(t, data, "0012_revisions_due", string(rows))
	p := devservertest.New(t, devserver.Config{Data: data}).As("X-Tenant-Id", devserver.DefaultWorkspaceID)
	want := figuresOfAll{Runs: 2 * oldTraces, Tokens: oldTraces * (oldTraces + 1) / 2, Cost: oldTraces * 0.000003}
	s, err := store.Open(t.Context(), data)
	devservertest.Must(t, err)
	defer s.Close()
	wantFigures(t, p, oldProject, want)
	p.Do(http.MethodPost, "/runs", devservertest.RootRun(devservertest.Object{"session_name": "new"})).Want(http.StatusAccepted)
	first, steps := marked(t, s), 0
	for left := first; left > 0; time.Sleep(time.Millisecond) {
		if now := marked(t, s); now != left {
			left = now
			steps++
			wantFigures(t, p, oldProject, want)
		}
	}
	if steps < 2 {
		t.Errorf("%d marks were rolled up in %d steps, want several", first, steps)
	}
	devservertest.Must(t, store.IndexRuns(t.Context(), s, true))
	for _, seq := range []int{1, oldTraces, 2 * oldTraces} {
		word := fmt.Sprintf("word%d.", seq)
		id := fmt.Sprintf("%08x-000%d-4000-8000-000000000000", (seq-1)/2, (seq-1)%2)
		wantFound(t, p, word, id)
		inputs := devservertest.Get[devservertest.Object](p, "/runs/"+id)["inputs"]
		devservertest.Same(t, fmt.Sprintf("inputs of run %s", id), map[string]any{"question": word}, inputs)
	}
	wantFigures(t, p, oldProject, want)
}

// marked is the number of figures that are still to be rolled up, at most 10,000.
func marked(t *testing.T, s store.Store) (n int) {
	t.Helper()
	read(t, s, func(tx *store.Tx) error {
		marks, err := tx.RollupMarks(10_000)
		n = len(marks)
		return err
	})
	return n
}
