package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
)

// patience is how long tests wait for what must not wait at all.
const patience = 20 * time.Second

type object = map[string]any

// open returns a database in a file, and a service on it.
func open(t *testing.T) (*store.Store, *Service) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "data.db"))
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db, serviceOn(db)
}

func serviceOn(db *store.Store) *Service {
	return New(db, func() time.Time { return time.Date(2026, 5, 2, 11, 0, 0, 0, time.UTC) }, limits.NewMemory(limits.BodiesTogether))
}

// writing makes a service write through something else than its store.
func writing(s *Service, write func(context.Context, store.Expected, func(*store.Tx) error) error) *Service {
	s.write = write
	return s
}

// must ends a test at an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return string(text)
}

// post sends a body to an endpoint.
func post(t *testing.T, to func(*http.Request, string) (rest.Answer, error), body any) error {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(encoded(t, body)))
	r.Header.Set("Content-Type", "application/json")
	_, err := to(r, rest.DefaultWorkspaceID)
	return err
}

func call(changes ...object) object {
	return together(append([]object{{
		"id": uuid.NewString(), "name": "call", "run_type": "llm", "session_name": "p", "start_time": "2026-05-02T10:00:00Z", "inputs": object{"model": "gpt-4o"},
		"outputs": object{"usage_metadata": object{"input_tokens": 1000, "output_tokens": 100}},
	}}, changes...)...)
}

func together(objects ...object) object {
	all := object{}
	for _, one := range objects {
		maps.Copy(all, one)
	}
	return all
}

// TestOthersWriteMeanwhile checks that nobody waits for a price map that is being compiled: another request commits before that has
// finished.
func TestOthersWriteMeanwhile(t *testing.T) {
	t.Parallel()
	db, service := open(t)
	compiled := 0
	service.Prices.Defaults = func() *listprice.Book {
		compiled++
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		err := db.Do(ctx, func(tx *store.Tx) error {
			return tx.EnsureProject(store.Project{ID: uuid.NewString(), WorkspaceID: rest.DefaultWorkspaceID, Name: "other"})
		})
		if err != nil {
			t.Errorf("a writer waits for the price map: %v", err)
		}
		return listprice.Bundled()
	}
	must(t, post(t, service.ingestBatch, object{"post": []any{call(), call()}}))
	must(t, db.Do(t.Context(), func(tx *store.Tx) error {
		return service.Prices.Add(tx, "another workspace", []byte(`{"name":"a","match_pattern":"^gpt","prompt_cost":1,"completion_cost":0}`), time.Now())
	}))
	must(t, post(t, service.ingestBatch, object{"post": []any{call()}}))
	if compiled != 1 {
		t.Errorf("the price map was compiled %d times, want once", compiled)
	}
}

// TestFailedCheck checks that a comparison that fails ends a request, unlike one that finds a change.
func TestFailedCheck(t *testing.T) {
	t.Parallel()
	_, service := open(t)
	failure, rounds := errors.New("the disk is gone"), 0
	err := service.transact(t.Context(), rest.DefaultWorkspaceID, part{work: func(d *draft) error {
		rounds++
		d.checks = append(d.checks, func(*store.Tx) (bool, error) { return false, failure })
		return nil
	}})
	if !errors.Is(err, failure) || rounds != 1 {
		t.Errorf("error = %v after %d rounds, want %q after one", err, rounds, failure)
	}
}

// busyStore does something before the first transactions, and counts all.
type busyStore struct {
	*store.Store

	before       func(transaction int)
	transactions int
}

func (s *busyStore) DoGrouped(ctx context.Context, expected store.Expected, work func(*store.Tx) error) error {
	s.transactions++
	if s.before != nil {
		s.before(s.transactions)
	}
	return s.Store.DoGrouped(ctx, expected, work)
}

func rowOf(t *testing.T, db *store.Store, id string) (row store.Run) {
	t.Helper()
	must(t, db.Read(t.Context(), func(tx *store.Tx) (err error) {
		row, err = tx.Run(rest.DefaultWorkspaceID, id)
		return err
	}))
	return row
}

// TestStale changes what a request was derived from, before its transaction: the run itself, its costs, its price, and its parent.
func TestStale(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("All work and no play. ", 50_000)
	for name, tc := range map[string]struct {
		always bool // As often as the request tries.
		// transactions is how many the request takes.
		transactions int
	}{"once": {false, 2}, "always": {true, mostRounds + 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, other := open(t)
			busy := &busyStore{Store: db}
			service := writing(serviceOn(db), busy.DoGrouped)
			run := call(object{"inputs": object{"model": "unheard-of", "prompt": text}})
			id := run["id"].(string)
			must(t, post(t, service.ingestBatch, object{"post": []any{run}}))
			busy.transactions = 0
			busy.before = func(transaction int) {
				if transaction > 1 && !tc.always {
					return
				}
				patch := object{"id": id, "extra": object{"metadata": object{fmt.Sprint("k", transaction): transaction}}}
				must(t, post(t, other.ingestBatch, object{"patch": []any{patch}}))
			}
			must(t, post(t, service.ingestBatch, object{"patch": []any{object{"id": id, "error": "boom"}}}))
			if busy.transactions != tc.transactions {
				t.Errorf("%d transactions, want %d", busy.transactions, tc.transactions)
			}
			said := saidOf(t, db, id)
			if said["error"] != "boom" || said["extra"].(object)["metadata"].(object)["k1"] != 1.0 || said["inputs"].(object)["prompt"] != text {
				t.Errorf("%.300v is stored, want everything that both have logged", said)
			}
		})
	}

	id := uuid.NewString()
	child := call(object{"id": id, "parent_run_id": uuid.NewString()})
	for name, tc := range map[string]struct {
		first, request object // A batch before, and that of the request.
		meanwhile      func(t *testing.T, db *store.Store, service *Service) error
		want           func(store.Run) bool
	}{
		"price": {
			nil, object{"post": []any{call(object{"id": id})}},
			func(t *testing.T, db *store.Store, service *Service) error {
				t.Helper()
				return db.Do(t.Context(), func(tx *store.Tx) error {
					return service.Prices.Add(tx, rest.DefaultWorkspaceID, []byte(`{"name":"a","match_pattern":"^gpt","prompt_cost":1,"completion_cost":0}`), time.Now())
				})
			},
			func(row store.Run) bool { return row.TotalCost != nil && *row.TotalCost == "1000" },
		},
		"costs": {
			object{"post": []any{call(object{"id": id})}}, object{"patch": []any{object{"id": id, "error": "boom"}}},
			func(t *testing.T, db *store.Store, _ *Service) error {
				t.Helper()
				return db.Do(t.Context(), func(tx *store.Tx) error {
					row, body, err := tx.StoredRun(rest.DefaultWorkspaceID, id)
					if err != nil {
						return err
					}
					row.TotalCost = new("7")
					return tx.SaveRun(row, body, nil)
				})
			},
			func(row store.Run) bool { return row.TotalCost != nil && *row.TotalCost == "7" && row.Error != nil },
		},
		"child": {
			nil, object{"post": []any{call(object{"id": child["parent_run_id"]})}},
			func(t *testing.T, db *store.Store, _ *Service) error {
				t.Helper()
				return post(t, serviceOn(db).ingestBatch, object{"post": []any{child}})
			},
			func(row store.Run) bool { return row.TraceID == child["parent_run_id"] && row.DottedOrder != nil },
		},
		"parent": {
			nil, object{"post": []any{child}},
			func(t *testing.T, db *store.Store, _ *Service) error {
				t.Helper()
				return post(t, serviceOn(db).ingestBatch, object{"post": []any{call(object{"id": child["parent_run_id"]})}})
			},
			func(row store.Run) bool { return row.TraceID == child["parent_run_id"] && row.DottedOrder != nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, _ := open(t)
			busy := &busyStore{Store: db}
			service := writing(serviceOn(db), busy.DoGrouped)
			if tc.first != nil {
				must(t, post(t, service.ingestBatch, tc.first))
			}
			busy.transactions = 0
			busy.before = func(transaction int) {
				if transaction == 1 {
					must(t, tc.meanwhile(t, db, service))
				}
			}
			must(t, post(t, service.ingestBatch, tc.request))
			if row := rowOf(t, db, id); !tc.want(row) {
				t.Errorf("%+v is stored, want what follows from the latest of both", row)
			}
		})
	}
}

func saidOf(t *testing.T, db *store.Store, id string) object {
	t.Helper()
	var said map[string]json.RawMessage
	must(t, db.Read(t.Context(), func(tx *store.Tx) (err error) {
		said, err = Logged(tx, rest.DefaultWorkspaceID, id)
		return err
	}))
	var decoded object
	must(t, json.Unmarshal([]byte(encoded(t, said)), &decoded))
	return decoded
}

// request is a batch of runs, or spans.
type request struct {
	spans bool
	body  object
}

func (r request) send(t *testing.T, s *Service) error {
	t.Helper()
	if r.spans {
		return post(t, s.ingestSpans, r.body)
	}
	return post(t, s.ingestBatch, r.body)
}

// randomRuns returns the operations on runs of a few traces. Some have no place of their own, and some are large. No two operations set
// the same field to different values, so that their order doesn't matter.
func randomRuns(random *rand.Rand) (operations []object) {
	for trace := range 6 {
		var placed []object
		for i := range 8 {
			id := uuid.NewString()
			start := fmt.Sprintf("2026-05-02T10:%02d:%02dZ", trace, i)
			where := object{"id": id, "start_time": start}
			segment := fmt.Sprintf("20260502T10%02d%02d000000Z%s", trace, i, id)
			if i == 0 {
				where["dotted_order"], where["trace_id"] = segment, id
			} else {
				parent := placed[random.IntN(len(placed))]
				where["parent_run_id"] = parent["id"]
				if order, known := parent["dotted_order"].(string); known && random.IntN(2) == 0 {
					where["dotted_order"], where["trace_id"] = order+"."+segment, placed[0]["id"]
				}
			}
			placed = append(placed, where)
			prompt := "Hi."
			if random.IntN(8) == 0 {
				prompt = strings.Repeat("All work and no play. ", 15_000)
			}
			for _, operation := range []struct {
				kind   string
				fields object
			}{
				{"post", object{"name": "n", "run_type": "llm", "session_name": "p", "inputs": object{"model": []string{"gpt-4o", "own", "gpt-4o-mini"}[i%3], "prompt": prompt}}},
				{"patch", object{"end_time": "2026-05-02T11:00:00Z", "outputs": object{"usage_metadata": object{"input_tokens": 1000 + i, "output_tokens": 10}}}},
				{"patch", object{"extra": object{"metadata": object{"a": i}}}},
				{"patch", object{"extra": object{"metadata": object{"b": trace}}, "session_name": "p"}},
			} {
				operations = append(operations, object{operation.kind: together(where, operation.fields)})
			}
		}
	}
	return operations
}

// randomSpans returns the spans of a trace, each in its own request.
func randomSpans(random *rand.Rand) (all []request) {
	traceID := fmt.Sprintf("%032x", random.Uint64())
	for i := range 12 {
		span := object{
			"traceId": traceID, "spanId": fmt.Sprintf("%016x", i+1), "name": fmt.Sprint("span ", i),
			"startTimeUnixNano": fmt.Sprint(1_777_716_000_000_000_000 + i*1_000_000_000), "endTimeUnixNano": "1777716099000000000",
		}
		if i > 0 {
			span["parentSpanId"] = fmt.Sprintf("%016x", random.IntN(i)+1)
		}
		all = append(all, request{true, object{"resourceSpans": []any{object{"scopeSpans": []any{object{"spans": []any{span}}}}}}})
	}
	return all
}

// TestConcurrentRequests sends the same requests one after the other, and at the same time in another order: what is stored must be equal.
func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4)) // The same in every test run.
	operations := randomRuns(random)
	requests := func() (all []request) {
		random.Shuffle(len(operations), func(i, j int) { operations[i], operations[j] = operations[j], operations[i] })
		for left := operations; len(left) > 0; {
			n := min(1+random.IntN(5), len(left))
			body := map[string][]any{}
			for _, operation := range left[:n] {
				for kind, run := range operation {
					body[kind] = append(body[kind], run)
				}
			}
			all = append(all, request{body: object{"post": body["post"], "patch": body["patch"]}})
			left = left[n:]
		}
		return all
	}
	spans := randomSpans(random)
	price := store.ModelPrice{
		ID: uuid.NewString(), WorkspaceID: rest.DefaultWorkspaceID, Entry: `{"name":"own","match_pattern":"^own$","prompt_cost":2,"completion_cost":1}`,
	}
	begin := func() (*store.Store, *Service) {
		db, service := open(t)
		service.Prices.Defaults = listprice.Bundled
		must(t, db.Do(t.Context(), func(tx *store.Tx) error { return tx.InsertModelPrice(price) }))
		return db, service
	}
	db, service := begin()
	for _, one := range append(requests(), spans...) {
		must(t, one.send(t, service))
	}
	want := everything(t, db)
	if len(want.Runs) != 60 {
		t.Fatalf("%d runs are stored, want 60", len(want.Runs))
	}
	for range 2 {
		db, service := begin()
		all := append(requests(), spans...)
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		next := make(chan request)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for one := range next {
					if err := one.send(t, service); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for _, one := range all {
			next <- one
		}
		close(next)
		group.Wait()
		if diff := cmp.Diff(want, everything(t, db)); diff != "" {
			t.Fatalf("stored (-one after the other +at the same time):\n%s", diff)
		}
	}
}

// contents are the runs in a database, with their names in place of the IDs that differ.
type contents struct {
	Runs   map[string]store.Run
	Said   map[string]object
	Labels []store.GroupCount
}

func everything(t *testing.T, db *store.Store) contents {
	t.Helper()
	all := contents{Runs: map[string]store.Run{}, Said: map[string]object{}}
	filter := store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID}
	must(t, db.Read(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.Runs(filter, true, nil, 1000)
		if err != nil {
			return err
		}
		for _, row := range rows {
			project, err := tx.Project(rest.DefaultWorkspaceID, row.ProjectID)
			if err != nil {
				return err
			}
			row.Seq, row.ProjectID = 0, project.Name
			all.Runs[row.ID] = row
		}
		all.Labels, err = tx.CountGroups(filter, store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Pairs: true}}, 1000, 1000)
		return err
	}))
	for id := range all.Runs {
		all.Said[id] = saidOf(t, db, id)
	}
	return all
}

// TestDraftLeft checks that deriving ends when the client leaves.
func TestDraftLeft(t *testing.T) {
	t.Parallel()
	db, service := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	service.Prices.Defaults = func() *listprice.Book {
		cancel()
		return listprice.Bundled()
	}
	err := service.Log(ctx, rest.DefaultWorkspaceID, []byte(encoded(t, object{"post": []any{call(), call()}})), nil)
	if err == nil || ctx.Err() == nil {
		t.Errorf("error = %v, want that of the context", err)
	}
	if n := len(everything(t, db).Runs); n != 0 {
		t.Errorf("%d runs are stored, want none", n)
	}
}

// TestDeletedRun_unraced logs a run again while its deleted project still waits to be swept: nothing of it comes back.
func TestDeletedRun_unraced(t *testing.T) {
	t.Parallel()
	db, service := open(t)
	var runs []any
	for range 3000 { // Small projects are deleted at once.
		runs = append(runs, call())
	}
	id := runs[len(runs)-1].(object)["id"].(string)
	for some := range slices.Chunk(runs, limits.Operations) {
		must(t, post(t, service.ingestBatch, object{"post": some}))
	}
	project := rowOf(t, db, id).ProjectID
	must(t, db.Do(t.Context(), func(tx *store.Tx) error { return tx.DeleteProject(rest.DefaultWorkspaceID, project) }))
	must(t, post(t, service.ingestBatch, object{"patch": []any{object{"id": id, "error": "boom"}}}))
	if said := saidOf(t, db, id); said["error"] != "boom" || said["inputs"] != nil {
		t.Errorf("%v is stored, want the patch alone", said)
	}
}

// countedStore counts the runs that each transaction adds.
type countedStore struct {
	*store.Store

	added []int
}

func (s *countedStore) DoGrouped(ctx context.Context, expected store.Expected, work func(*store.Tx) error) error {
	count := func(tx *store.Tx) (n int, err error) {
		err = tx.EachTiming(store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID}, store.RunGroup{}, func(store.RunTiming) error { n++; return nil })
		return n, err
	}
	return s.Store.DoGrouped(ctx, expected, func(tx *store.Tx) error {
		before, err := count(tx)
		if err == nil {
			err = work(tx)
		}
		if err != nil {
			return err
		}
		after, err := count(tx)
		s.added = append(s.added, after-before)
		return err
	})
}

// sum is how many runs were stored, at most so many in a transaction.
func (s *countedStore) sum(t *testing.T, most int) (sum int) {
	t.Helper()
	for _, n := range s.added {
		if sum += n; n > most {
			t.Errorf("a transaction stores %d runs, want at most %d", n, most)
		}
	}
	return sum
}

// TestSpansInSlices checks that a transaction stores only some of the spans of a request, and that parents are found in the slices before.
func TestSpansInSlices(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	counted := &countedStore{Store: db}
	service := writing(New(db, time.Now, limits.NewMemory(limits.BodiesTogether)), counted.DoGrouped)
	const spans = 3*spansTogether + 10
	var all []any
	for n := range spans {
		span := object{
			"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": fmt.Sprintf("%016x", n+1), "name": "step",
			"startTimeUnixNano": "1777716000000000000", "endTimeUnixNano": "1777716001000000000",
		}
		if n > 0 {
			span["parentSpanId"] = fmt.Sprintf("%016x", 1)
		}
		all = append(all, span)
	}
	must(t, post(t, service.ingestSpans, object{"resourceSpans": []any{object{"scopeSpans": []any{object{"spans": all}}}}}))
	roots, sum := 0, counted.sum(t, spansTogether)
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		return tx.EachTiming(store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID, Root: new(true)}, store.RunGroup{}, func(store.RunTiming) error {
			roots++
			return nil
		})
	})
	if err != nil || sum != spans || roots != 1 {
		t.Errorf("%d runs are stored in %d traces (%v), want %d in one", sum, roots, err, spans)
	}
}

// TestBatchInSlices checks that a transaction stores only some of the runs of a request, that parents are found in the slices before, and that
// those that wait for their parent are placed by a later slice.
func TestBatchInSlices(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	counted := &countedStore{Store: db}
	service := writing(New(db, time.Now, limits.NewMemory(limits.BodiesTogether)), counted.DoGrouped)
	const runs = 3*changesTogether + 10
	root := uuid.NewString()
	var all []any
	for n := range runs {
		switch n {
		case changesTogether + 5:
			all = append(all, call(object{"id": root}))
		default:
			all = append(all, call(object{"parent_run_id": root}))
		}
	}
	for range 2 { // A client that got no answer sends everything again.
		must(t, post(t, service.ingestBatch, object{"post": all}))
	}
	places, sum := 0, counted.sum(t, changesTogether)
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		for _, run := range all {
			row, err := tx.Run(rest.DefaultWorkspaceID, run.(object)["id"].(string))
			if err != nil {
				return err
			}
			if row.TraceID == root && row.DottedOrder != nil {
				places++
			}
		}
		return nil
	})
	if err != nil || sum != runs || places != runs {
		t.Errorf("%d runs are stored, %d of them in the trace (%v), want %d", sum, places, err, runs)
	}
}

// TestSlicesOf checks that a transaction changes at most some runs, and as many bytes, unless one run has more.
func TestSlicesOf(t *testing.T) {
	t.Parallel()
	large := func(bytes int) *change {
		return &change{layers: layers{post: ingest.Fields{"inputs": json.RawMessage(strings.Repeat("1", bytes))}}}
	}
	const third = bytesTogether / 3
	for name, test := range map[string]struct {
		changes []*change
		want    []int
	}{
		"none":               {nil, nil},
		"few":                {[]*change{large(1), large(1)}, []int{2}},
		"many":               {slices.Repeat([]*change{large(1)}, 2*changesTogether+1), []int{changesTogether, changesTogether, 1}},
		"large":              {slices.Repeat([]*change{large(third)}, 5), []int{2, 2, 1}},
		"one that is larger": {[]*change{large(1), large(2 * bytesTogether), large(1), large(1)}, []int{1, 1, 2}},
		"the first is":       {[]*change{large(2 * bytesTogether), large(1)}, []int{1, 1}},
	} {
		var got []int
		for _, some := range slicesOf(test.changes) {
			got = append(got, len(some))
		}
		assert.Same(t, fmt.Sprintf("%s: lengths", name), test.want, got)
	}
}

// TestBatchInSlices_refused checks that nothing is stored of a request whose last run is refused, be it for itself or for what is stored.
func TestBatchInSlices_refused(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	service := New(db, time.Now, limits.NewMemory(limits.BodiesTogether))
	id := uuid.NewString()
	logged := call(object{"id": id, "trace_id": id, "dotted_order": "20260502T100000000000Z" + id})
	must(t, post(t, service.ingestBatch, object{"post": []any{logged}}))
	waiting, late := call(), uuid.NewString()
	waiting["parent_run_id"] = late
	must(t, post(t, service.ingestBatch, object{"post": []any{waiting}}))
	below := "20260502T100000000000Z" + waiting["id"].(string) + ".20260502T100000000001Z" + late
	for name, last := range map[string]object{
		"for itself":            {"post": []any{call(object{"start_time": "yesterday"})}},
		"for what it patches":   {"patch": []any{object{"id": id, "trace_id": uuid.NewString()}}},
		"for its project":       {"post": []any{call(object{"session_id": uuid.NewString()})}},
		"for what waits for it": {"post": []any{call(object{"id": late, "trace_id": waiting["id"], "parent_run_id": waiting["id"], "dotted_order": below})}},
		"for what it repeats":   {"post": []any{call(object{"id": id, "parent_run_id": uuid.NewString()})}},
	} {
		var all []any
		for range 2*changesTogether + 1 {
			all = append(all, call())
		}
		body := object{"post": append(all, anyOf(last["post"])...), "patch": anyOf(last["patch"])}
		var refused *rest.Error
		if err := post(t, service.ingestBatch, body); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			for _, run := range all {
				if _, err := tx.Run(rest.DefaultWorkspaceID, run.(object)["id"].(string)); !errors.Is(err, store.ErrNotFound) {
					return fmt.Errorf("a run of a refused request is stored: %w", err)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func anyOf(list any) []any {
	some, _ := list.([]any)
	return append([]any{}, some...)
}
