package run

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// TestRolledUpFigures_unraced logs runs in random order, late, again, and with corrections that move, rename and price them, and rolls up
// meanwhile. It compares figures with what it computes from the runs: before and after rolling up, after deleting a project and old traces,
// after other usage with a price has been logged, and after the file has been compacted and opened again.
func TestRolledUpFigures_unraced(t *testing.T) {
	t.Parallel()
	for name, runs := range map[string]int{"": 500, "plane.db": 2000} {
		t.Run("file "+name, func(t *testing.T) {
			t.Parallel()
			testRolledUpFigures(t, name, runs)
		})
	}
}

func testRolledUpFigures(t *testing.T, name string, runs int) {
	t.Helper()
	const days = 4
	path := postgrestest.New(t, store.Open)
	if name != "" {
		path = filepath.Join(t.TempDir(), name)
	}
	db, err := store.Open(t.Context(), path)
	must(t, err)
	defer func() { _ = db.Close() }()
	service := New(db, func() time.Time { return rollupBegin }, limits.NewMemory(limits.BodiesTogether))
	random := rand.New(rand.NewPCG(1, uint64(len(name))))
	compare := func(when string, times int) { t.Helper(); compareFigures(t, db, random, when, times, days, 0) }
	var operations []map[string]any
	var late [][]map[string]any // By run.
	for n := 0; n < runs; {
		size := 1 + random.IntN(30)
		placed := random.IntN(4) // By the client: no runs, some or all.
		begin := rollupBegin.Add(time.Duration(random.Int64N(int64(days * 24 * time.Hour))).Truncate(time.Microsecond))
		for _, run := range newTrace(random, begin, size) {
			some := run.operations(random, placed > 1 || placed == 1 && random.IntN(2) == 0)
			if random.IntN(12) == 0 {
				late = append(late, some)
				continue
			}
			operations = append(operations, some...)
		}
		n += size
	}
	random.Shuffle(len(operations), func(i, j int) { operations[i], operations[j] = operations[j], operations[i] })
	random.Shuffle(len(late), func(i, j int) { late[i], late[j] = late[j], late[i] })
	for batch := range slices.Chunk(operations, 400) {
		for some := range slices.Chunk(batch, 1+random.IntN(80)) {
			logOperations(t, service, some)
		}
		if _, err := figure.NewRoller(db).Slice(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	compare("rolled up in part", 8)
	for batch := range slices.Chunk(late, 1+len(late)/2) {
		rollAll(t, db)
		compare("rolled up", 8)
		for some := range slices.Chunk(batch, 5) {
			logOperations(t, service, slices.Concat(some...))
		}
		compare("with late runs", 15)
	}
	rollAll(t, db)
	reprice(t, db, service)
	compare("with other prices", 8)
	rollAll(t, db)
	compare("with other prices, rolled up", 8)

	err = db.Do(t.Context(), func(tx *store.Tx) error {
		project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, "c")
		if err != nil {
			return err
		}
		return tx.DeleteProject(rest.DefaultWorkspaceID, project.ID)
	})
	// Until they are swept, its runs count for those above them in other projects.
	for more := true; more && err == nil; {
		more, err = db.Sweep(t.Context())
	}
	must(t, err)
	compare("without a project", 8)
	rollAll(t, db)

	since := rollupBegin.Add(30 * time.Hour)
	must(t, db.Expire(t.Context(), func(store.Project) *time.Time { return &since }))
	compare("without old traces", 8)
	rollAll(t, db)
	compare("without old traces, rolled up", 8)
	if name == "" {
		return
	}
	for more := true; more; {
		if more, err = db.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	must(t, db.Close())
	must(t, store.Compact(t.Context(), path))
	if db, err = store.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	compare("compacted", 20)
}

// reprice logs other usage of some calls, after their models have got a price.
func reprice(t *testing.T, db *store.Store, service *Service) {
	t.Helper()
	const entry = `{"name": "models", "match_pattern": "^model-", "prompt_cost": "0.0000021", "completion_cost": "0.000013"}`
	var calls []store.Run
	must(t, db.Do(t.Context(), func(tx *store.Tx) (err error) {
		if err := service.Prices.Add(tx, rest.DefaultWorkspaceID, []byte(entry), rollupBegin); err != nil {
			return err
		}
		calls, err = tx.Runs(store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID, RunType: "llm"}, true, nil, 10_000)
		return err
	}))
	var operations []map[string]any
	for i, call := range calls {
		if i%3 == 0 {
			operations = append(operations, map[string]any{"patch": map[string]any{
				"id": call.ID, "outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 10_000 + i, "output_tokens": 7 * i}},
			}})
		}
	}
	for some := range slices.Chunk(operations, 50) {
		logOperations(t, service, some)
	}
}
