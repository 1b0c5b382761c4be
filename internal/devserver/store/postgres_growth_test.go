package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestGrowth checks that the tables of runs are analyzed once there are many, without PostgreSQL's own upkeep, which counts on its own.
func TestGrowth(t *testing.T) {
	t.Parallel()
	address, all := peers(t, 1)
	devservertest.Must(t, addProjectTo(t.Context(), all[0], "p1"))
	admin, err := pgx.Connect(t.Context(), address)
	devservertest.Must(t, err)
	defer admin.Close(t.Context())
	analyzed := func() (tables int) {
		t.Helper()
		devservertest.Must(t, admin.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_user_tables WHERE relname IN ('runs', 'run_bodies', 'run_labels') "+
			"AND last_analyze > (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())").Scan(&tables))
		return tables
	}
	runs := make([]store.Run, 1500)
	for i := range runs {
		runs[i] = run(fmt.Sprint("r", i), i)
	}
	save(t, all[0], runs[:500]...)
	if n := analyzed(); n != 0 {
		t.Errorf("%d tables are analyzed after 500 runs, want none", n)
	}
	save(t, all[0], runs[500:]...)
	for began := time.Now(); analyzed() < 3; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d tables are analyzed, want 3", analyzed())
		}
	}
}
