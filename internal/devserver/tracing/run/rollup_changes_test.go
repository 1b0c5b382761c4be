package run

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// documents are what a test has sent, by run. From these alone, it knows the runs, whatever the server makes of them.
type documents struct {
	runs           map[string]logged
	posts, patches map[string]map[string]any
	placed         map[string]bool // Runs whose place has become known: its client named it, or all runs above have arrived.
	price          [2]*big.Rat     // US dollars for a token that is read and written; nil before there is a price.
	repriced       map[string]bool
}

func newDocuments() *documents {
	return &documents{map[string]logged{}, map[string]map[string]any{}, map[string]map[string]any{}, map[string]bool{}, [2]*big.Rat{}, map[string]bool{}}
}

// log sends operations.
func (d *documents) log(t *testing.T, service *Service, operations []map[string]any) {
	t.Helper()
	logOperations(t, service, operations)
	for _, one := range operations {
		for kind, sent := range one {
			fields, _ := sent.(map[string]any)
			id, _ := fields["id"].(string)
			of := d.patches
			if kind == "post" {
				of = d.posts
			}
			if of[id] == nil {
				of[id] = map[string]any{}
			}
			maps.Copy(of[id], fields)
		}
	}
	for changed := true; changed; {
		changed = false
		for id := range d.posts {
			if run := d.runs[id]; !d.placed[id] && (d.posts[id]["dotted_order"] != nil || run.parent == "" || d.posts[run.parent] != nil && d.placed[run.parent]) {
				d.placed[id], changed = true, true
			}
		}
	}
}

// remove forgets runs.
func (d *documents) remove(which func(store.Run) bool, rows []store.Run) {
	for _, row := range rows {
		if which(row) {
			delete(d.posts, row.ID)
			delete(d.patches, row.ID)
		}
	}
}

// row returns a run as it was last described.
func (d *documents) row(id string, projects map[string]string) (store.Run, string) {
	fields := maps.Clone(d.posts[id])
	maps.Copy(fields, d.patches[id])
	text := func(from map[string]any, key string) string { value, _ := from[key].(string); return value }
	at := func(text string) time.Time { parsed, _ := time.Parse(time.RFC3339Nano, text); return parsed }
	run := d.runs[id]
	row := store.Run{
		ID: id, ProjectID: projects[text(fields, "session_name")], TraceID: run.trace, Name: text(fields, "name"), RunType: text(fields, "run_type"),
		Status: "success", StartTime: at(text(fields, "start_time")), EndTime: new(at(text(fields, "end_time"))), Figures: "{}",
	}
	if run.parent != "" {
		row.ParentRunID = &run.parent
		if !d.placed[id] { // The service takes the parent for the root until it knows better.
			row.TraceID = run.parent
		}
	}
	if message := text(fields, "error"); message != "" {
		row.Error, row.Status = &message, "error"
	}
	if events, _ := fields["events"].([]any); len(events) > 0 {
		first, _ := events[0].(map[string]any)
		row.FirstTokenTime = new(at(text(first, "time")))
	}
	outputs, _ := fields["outputs"].(map[string]any)
	if reported, is := outputs["usage_metadata"].(map[string]any); is {
		d.use(&row, reported)
	}
	extra, _ := fields["extra"].(map[string]any)
	metadata, _ := extra["metadata"].(map[string]any)
	return row, text(metadata, "ls_model_name")
}

// use sets tokens and costs.
func (d *documents) use(row *store.Run, reported map[string]any) {
	input, _ := reported["input_tokens"].(int)
	output, _ := reported["output_tokens"].(int)
	row.PromptTokens, row.CompletionTokens, row.TotalTokens = int64(input), int64(output), int64(input+output)
	if details, is := reported["input_token_details"].(map[string]any); is {
		row.Figures = fmt.Sprintf(`{"prompt_token_details": {"cache_read": %d}}`, details["cache_read"])
	}
	if costs, is := reported["input_cost"].(string); is {
		total, _ := new(big.Rat).SetString(costs)
		more, _ := new(big.Rat).SetString(fmt.Sprint(reported["output_cost"]))
		row.TotalCost = new(total.Add(total, more).FloatString(15))
	}
	if d.repriced[row.ID] {
		total := new(big.Rat).Mul(d.price[0], big.NewRat(int64(input), 1))
		row.TotalCost = new(total.Add(total, new(big.Rat).Mul(d.price[1], big.NewRat(int64(output), 1))).FloatString(15))
	}
}

// lineages returns all runs that have been sent and not removed.
func (d *documents) lineages(projects map[string]string) lineages {
	l := lineages{models: map[string]string{}}
	at := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(d.posts)) {
		row, model := d.row(id, projects)
		at[id], l.rows = len(l.rows), append(l.rows, row)
		if model != "" {
			l.models[id] = model
		}
	}
	l.above = make([][]int, len(l.rows))
	for i, row := range l.rows {
		l.above[i] = []int{i}
		for id := d.runs[row.ID].parent; id != "" && d.placed[row.ID]; id = d.runs[id].parent {
			if above, known := at[id]; known && l.rows[above].TraceID == row.TraceID {
				l.above[i] = append(l.above[i], above)
			}
		}
	}
	return l
}

// TestRolledUpFigures_unraced logs runs in random order, late, again, and with corrections that move, rename and price them, and rolls up
// meanwhile. It compares figures with what it computes from what it has sent: before and after rolling up, after deleting a project and old
// traces, after other usage with a price has been logged, and after the file has been compacted and opened again.
func TestRolledUpFigures_unraced(t *testing.T) {
	t.Parallel()
	for name, runs := range map[string]int{"": 500, "plane.db": 5000} {
		t.Run("file "+name, func(t *testing.T) {
			t.Parallel()
			testRolledUpFigures(t, name, runs)
		})
	}
}

func testRolledUpFigures(t *testing.T, name string, runs int) {
	t.Helper()
	const days = 4
	path := name
	if name != "" {
		path = filepath.Join(t.TempDir(), name)
	}
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	service := New(db, func() time.Time { return rollupBegin }, limits.NewMemory(limits.BodiesTogether))
	random := rand.New(rand.NewPCG(1, uint64(len(name))))
	sent, projects := newDocuments(), map[string]string{}
	known := func(*store.Tx) lineages { return sent.lineages(projects) }
	compare := func(when string, times int) { t.Helper(); compareWith(t, db, random, when, times, days, 0, known) }
	var operations []map[string]any
	var late [][]map[string]any // By run.
	for n := 0; n < runs; {
		size := 1 + random.IntN(30)
		placed := random.IntN(4) // By the client: no runs, some or all.
		begin := rollupBegin.Add(time.Duration(random.Int64N(int64(days * 24 * time.Hour))).Truncate(time.Microsecond))
		for _, run := range newTrace(random, begin, size) {
			sent.runs[run.id] = run
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
			sent.log(t, service, some)
		}
		if _, err := figure.NewRoller(db).Slice(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	err = db.Read(t.Context(), func(tx *store.Tx) error {
		for _, name := range []string{"a", "b", "c"} {
			project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, name)
			if err != nil {
				return err
			}
			projects[name] = project.ID
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	compare("rolled up in part", 8)
	for batch := range slices.Chunk(late, 1+len(late)/2) {
		rollAll(t, db)
		compare("rolled up", 8)
		for some := range slices.Chunk(batch, 5) {
			sent.log(t, service, slices.Concat(some...))
		}
		compare("with late runs", 15)
	}
	rollAll(t, db)
	reprice(t, db, service, sent, known(nil).rows)
	compare("with other prices", 8)
	rollAll(t, db)
	compare("with other prices, rolled up", 8)

	rows := known(nil).rows
	err = db.Do(t.Context(), func(tx *store.Tx) error { return tx.DeleteProject(rest.DefaultWorkspaceID, projects["c"]) })
	sent.remove(func(r store.Run) bool { return r.ProjectID == projects["c"] }, rows)
	// Until they are swept, its runs count for those above them in other projects.
	for more := true; more && err == nil; {
		more, err = db.Sweep(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	compare("without a project", 8)
	rollAll(t, db)

	since, began := rollupBegin.Add(30*time.Hour), map[string]time.Time{}
	for _, row := range rows {
		if row.ParentRunID == nil {
			began[row.ID] = row.StartTime
		}
	}
	if err := db.Expire(t.Context(), func(store.Project) *time.Time { return &since }); err != nil {
		t.Fatal(err)
	}
	sent.remove(func(r store.Run) bool { return began[r.TraceID].Before(since) }, rows)
	compare("without old traces", 8)
	rollAll(t, db)
	compare("without old traces, rolled up", 8)
	if path == "" {
		return
	}
	for more := true; more; {
		if more, err = db.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Compact(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if db, err = store.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	compare("compacted", 20)
}

// reprice logs other usage of some calls, after their models have got a price.
func reprice(t *testing.T, db store.Store, service *Service, sent *documents, rows []store.Run) {
	t.Helper()
	const entry = `{"name": "models", "match_pattern": "^model-", "prompt_cost": "0.0000021", "completion_cost": "0.000013"}`
	sent.price = [2]*big.Rat{big.NewRat(21, 1e7), big.NewRat(13, 1e6)}
	err := db.Do(t.Context(), func(tx *store.Tx) error {
		return service.Prices.Add(tx, rest.DefaultWorkspaceID, []byte(entry), rollupBegin)
	})
	if err != nil {
		t.Fatal(err)
	}
	var operations []map[string]any
	for i, row := range rows {
		if row.RunType != "llm" || sent.runs[row.ID].model == "" || i%3 > 0 {
			continue
		}
		sent.repriced[row.ID] = true
		operations = append(operations, map[string]any{"patch": map[string]any{
			"id": row.ID, "outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 10_000 + i, "output_tokens": 7 * i}},
		}})
	}
	for some := range slices.Chunk(operations, 50) {
		sent.log(t, service, some)
	}
}
