package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

var indexedAt = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)

// openUnindexed opens a file that is indexed only when the test says so, and adds runs, one a second.
func openUnindexed(t testing.TB, runs int) *Store {
	t.Helper()
	return openUnindexedAt(t, DataFile(t), runs)
}

func openUnindexedAt(t testing.TB, data string, runs int) *Store {
	t.Helper()
	s, err := Open(t.Context(), data)
	must(t, err)
	s.StopIndexing()
	t.Cleanup(func() { must(t, s.Close()) })
	addProject(t, s, "first")
	addRuns(t, s, 0, runs)
	return s
}

func addRuns(t testing.TB, s *Store, first, runs int) {
	t.Helper()
	do(t, s, func(tx *Tx) error {
		for n := first; n < first+runs; n++ {
			body := RunBody{Post: fmt.Appendf(nil, `{"inputs":{"text":"Text NUMBER\u002d%d."}}`, n), Patch: []byte("{}")}
			if n%2 > 0 {
				body.Post, body.Patch = body.Patch, body.Post
			}
			if err := tx.SaveRun(searchedRunNumber(n), body, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

func searchedRunNumber(n int) Run {
	id := fmt.Sprintf("run-%d", n)
	return Run{
		WorkspaceID: "w", ID: id, ProjectID: "first", TraceID: id, Name: id, RunType: "llm", Status: "success", Figures: "{}",
		StartTime: indexedAt.Add(time.Duration(n) * time.Second), ReceivedAt: indexedAt,
	}
}

// changeRunNumber gives a run another body.
func changeRunNumber(t *testing.T, s *Store, n int, start time.Time, body string) {
	t.Helper()
	do(t, s, func(tx *Tx) error { return changeRunIn(tx, n, start, body) })
}

func changeRunIn(tx *Tx, n int, start time.Time, body string) error {
	run, err := tx.Run("w", fmt.Sprintf("run-%d", n))
	if err != nil {
		return err
	}
	run.StartTime = start
	return tx.SaveRun(run, RunBody{Post: []byte(body), Patch: []byte("{}")}, nil)
}

// wantFound checks which runs a filter finds, by their names, the newest first; and in each way of using the index.
func wantFound(t *testing.T, s *Store, f RunFilter, want ...string) {
	t.Helper()
	for _, most := range []int{0, 1 << 20} {
		s.index.maxListed = most
		f.WorkspaceID, f.ProjectIDs = "w", []string{"first"}
		var got []string
		err := s.Read(t.Context(), func(tx *Tx) error {
			runs, err := tx.Runs(f, false, nil, 10)
			for _, run := range runs {
				got = append(got, run.ID)
			}
			return err
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v with at most %d listed: found %v, %v; want %v", f.Where, most, got, err, want)
		}
	}
}

func searchFor(text string) RunFilter { return RunFilter{Where: filter.Search{Text: text}} }

// index indexes the next block, if there is one.
func index(t testing.TB, s *Store) bool {
	t.Helper()
	found, err := s.indexNext(t.Context(), delayedRuns, true)
	must(t, err)
	return found
}

// TestIndexInSlices_unraced searches a file without an index, and after each slice of its two blocks is indexed.
func TestIndexInSlices_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, blockRuns+addedRuns+delayedRuns-1)
	for slices := int64(0); ; slices++ {
		for _, n := range []int{0, 2047, 2048, blockRuns - 2, blockRuns - 1, 5000} {
			wantFound(t, s, searchFor(fmt.Sprintf("number-%d.", n)), fmt.Sprintf("run-%d", n))
			from, to := indexedAt.Add(time.Duration(n)*time.Second), indexedAt.Add(time.Duration(n+1)*time.Second)
			within := searchFor(fmt.Sprintf("-%d.", n))
			within.From, within.To = &from, &to
			wantFound(t, s, within, fmt.Sprintf("run-%d", n))
			within.From, within.To = &to, nil
			wantFound(t, s, within)
		}
		wantFound(t, s, searchFor("number-999999"))
		wantFound(t, s, RunFilter{Where: filter.And{Terms: []filter.Expr{
			filter.Search{Text: "number"}, filter.Or{Terms: []filter.Expr{filter.Search{Text: "-5000."}, filter.Search{Text: "-77."}}}}}}, "run-5000", "run-77")
		wantFound(t, s, RunFilter{Where: filter.And{Terms: []filter.Expr{
			filter.Search{Text: "number-50"}, filter.Not{Term: filter.Search{Text: "number-500"}}, filter.Not{Term: filter.Search{Text: "number-50."}},
			filter.In{Field: filter.Name, Values: []filter.Value{{Text: new("run-500")}, {Text: new("run-501")}, {Text: new("run-50")}}}}}}, "run-501")
		if got := number(t, s, "SELECT coalesce(sum(through - block * 8192), 0) FROM search_blocks"); got != slices*addedRuns {
			t.Errorf("%d runs are indexed, want %d slices", got, slices)
		}
		if !index(t, s) {
			if want := int64(blockRuns/addedRuns + 1); slices != want {
				t.Errorf("%d slices are indexed, want %d: the last runs are delayed", slices, want)
			}
			return
		}
	}
}

// TestIndexedRunsChange_unraced checks that searches find the latest texts of indexed runs, and no others, and that the index catches up.
func TestIndexedRunsChange_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 2*addedRuns)
	for index(t, s) {
	}
	changeRunNumber(t, s, 7, indexedAt, `{"outputs":"Something else."}`)
	changeRunNumber(t, s, 8, indexedAt.Add(24*time.Hour), `{"outputs":"Another day."}`)
	changeRunNumber(t, s, addedRuns+delayedRuns+1, indexedAt, `{"outputs":"Not indexed."}`)
	later := searchFor("another day")
	later.From = new(indexedAt.Add(23 * time.Hour))
	for range 2 {
		wantFound(t, s, searchFor("number-7."))
		wantFound(t, s, searchFor("something else"), "run-7")
		wantFound(t, s, later, "run-8")
		wantFound(t, s, searchFor("not indexed"), fmt.Sprintf("run-%d", addedRuns+delayedRuns+1))
		if index(t, s) {
			t.Error("a slice was indexed again because of two runs")
		}
		if got := count(t, s, "search_changed"); got != 2 {
			t.Errorf("%d runs are noted as changed, want the 2 that were indexed", got)
		}
	}
	do(t, s, func(tx *Tx) (err error) {
		for n := range maxChanged - 1 {
			err = errors.Join(err, changeRunIn(tx, 100+n, indexedAt, `{"outputs":"Many changes."}`))
		}
		return err
	})
	if !index(t, s) || index(t, s) {
		t.Error("the changed runs were not indexed again, or more than once")
	}
	if got := count(t, s, "search_changed"); got != 0 {
		t.Errorf("%d runs are noted as changed after they were indexed again, want none", got)
	}
	wantFound(t, s, searchFor("number-100."))
	wantFound(t, s, searchFor("number-99."), "run-99")
	wantFound(t, s, searchFor("something else"), "run-7")
	wantFound(t, s, later, "run-8")
}

// TestRunsChangeWhileIndexed_unraced changes runs after they were read, and before their grams are stored, which happens
// twice, as after a crash.
func TestRunsChangeWhileIndexed_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 2*addedRuns)
	if leads, err := s.Leads(t.Context(), indexing); err != nil || !leads {
		t.Fatalf("Leads = %v, %v", leads, err)
	}
	begin := func() (a addition) {
		t.Helper()
		read(t, s, func(tx *Tx) error {
			found, err := tx.nextAddition(&a, delayedRuns, true)
			if err == nil && !found {
				t.Fatal("there is nothing to index")
			}
			return err
		})
		must(t, s.backend.noteChangesBefore(t.Context(), s, a.through))
		return a
	}
	collect := func(a *addition) {
		t.Helper()
		read(t, s, func(tx *Tx) error { return tx.readRuns(a, a.runs) })
	}
	half := begin()
	collect(&half)
	do(t, s, func(tx *Tx) error { return tx.addToParts(&half, 0) })
	wantFound(t, s, searchFor("number-5."), "run-5")
	a := begin()
	changeRunNumber(t, s, 5, indexedAt, `{"outputs":"The first change."}`)
	changeRunNumber(t, s, 6, indexedAt, `{"outputs":"The only change."}`)
	collect(&a)
	changeRunNumber(t, s, 5, indexedAt, `{"outputs":"The second change."}`)
	changeRunNumber(t, s, 7, indexedAt, `{"outputs":"The third change."}`)
	must(t, s.saveAddition(t.Context(), &a))
	wantFound(t, s, searchFor("first change"))
	wantFound(t, s, searchFor("second change"), "run-5")
	wantFound(t, s, searchFor("third change"), "run-7")
	wantFound(t, s, searchFor("only change"), "run-6")
	wantFound(t, s, searchFor("number-8."), "run-8")
	if got := count(t, s, "search_changed"); got != 2 {
		t.Errorf("%d runs are noted as changed, want the 2 that changed last", got)
	}
}

// TestIndexOfDeletedRuns_unraced checks that the index gives back the space of deleted runs.
func TestIndexOfDeletedRuns_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 2*addedRuns+delayedRuns)
	for index(t, s) {
	}
	changeRunNumber(t, s, 5, indexedAt, `{"outputs":"Changed."}`)
	if got := count(t, s, "search_sets"); got == 0 {
		t.Fatal("the index has no sets")
	}
	do(t, s, func(tx *Tx) error { return tx.DeleteProject("w", "first") })
	wantFound(t, s, searchFor("number-5."))
	sweepAll(t, s)
	addProject(t, s, "first")
	do(t, s, func(tx *Tx) error {
		return tx.SaveRun(searchedRunNumber(9999), RunBody{Post: []byte(`{"inputs":"Text number-5."}`), Patch: []byte("{}")}, nil)
	})
	for range 2 {
		wantFound(t, s, searchFor("number-5."), "run-9999")
		for index(t, s) {
		}
	}
	if sets, changed := count(t, s, "search_sets"), count(t, s, "search_changed"); sets != 0 || changed != 0 {
		t.Errorf("%d sets and %d changes are left, want none", sets, changed)
	}
}

// TestIndexOfLongTexts_unraced checks that texts too long to be indexed are found, and texts that are split into pieces while they are indexed.
func TestIndexOfLongTexts_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 2*addedRuns)
	bodies := map[int]string{
		1: strings.Repeat("long ", maxIndexedBytes/4) + "needle one",
		2: strings.Repeat("y", checkBytes-4) + "needle two" + strings.Repeat("y", checkBytes),
		3: `\u004eEEDLE\u0020three \u00e4\u00C4 \u0000 \ud83d\ude00`,
	}
	var hex strings.Builder
	for n := range 16 << 10 { // It has nearly every gram.
		fmt.Fprintf(&hex, "%x", n*n*7919)
		hex.WriteByte(byte(n)%90 + '#' + 1)
	}
	bodies[4] = strings.ReplaceAll(hex.String(), `\`, "") + "needle four"
	for n, text := range bodies {
		changeRunNumber(t, s, n, indexedAt.Add(time.Duration(n)*time.Second), `{"inputs":["`+text+`"]}`)
	}
	for index(t, s) {
	}
	wantFound(t, s, searchFor("needle one"), "run-1")
	wantFound(t, s, searchFor("needle two"), "run-2")
	wantFound(t, s, searchFor("Needle Three"), "run-3")
	wantFound(t, s, searchFor("three \u00e4\u00c4 \x00 😀"), "run-3")
	wantFound(t, s, searchFor("\u00e4\u00e4 \x00"))
	wantFound(t, s, searchFor("needle four"), "run-4")
	wantFound(t, s, searchFor("needle"), "run-4", "run-3", "run-2", "run-1")
}

// TestIndexPlans checks that few candidates are looked up by their numbers.
func TestIndexPlans(t *testing.T) {
	t.Parallel()
	s := openUnindexedAt(t, filepath.Join(t.TempDir(), "plane.db"), 2*addedRuns)
	for index(t, s) {
	}
	f := searchFor("number-5.")
	f.WorkspaceID, f.ProjectIDs, f.From, f.Root = "w", []string{"first"}, &indexedAt, new(true)
	read(t, s, func(tx *Tx) error {
		narrowed, err := tx.narrow(f)
		if err != nil {
			return err
		}
		plan, err := Plan(tx, narrowed, false, nil)
		if err == nil && !strings.Contains(strings.Join(plan, "\n"), "SEARCH r USING INTEGER PRIMARY KEY") {
			t.Errorf("the plan is %q, want a look-up by number", plan)
		}
		return err
	})
}

// TestIndexing checks that the index is built while runs arrive, and that an open file continues where it was closed.
func TestIndexing(t *testing.T) {
	t.Parallel()
	data := DataFile(t)
	s := openUnindexedAt(t, data, 2*addedRuns+delayedLong)
	must(t, s.db.Close())
	other, err := Open(t.Context(), data)
	must(t, err)
	defer other.Close()
	for _, want := range []int64{2 * addedRuns, 3 * addedRuns} {
		indexed := func() int64 { return number(t, other, "SELECT coalesce(max(through), 0) FROM search_blocks") }
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		for indexed() < want && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
		if got := indexed(); got < want || got > want+1 { // Numbers begin with 1.
			t.Errorf("the first %d runs are indexed, want %d", got, want)
		}
		wantFound(t, other, searchFor("number-4000."), "run-4000")
		if want == 2*addedRuns {
			addRuns(t, other, 2*addedRuns+delayedLong, addedRuns+delayedRuns)
		}
	}
}

// TestIndexedPages reads the pages of a search that finds many runs, in both orders.
func TestIndexedPages(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 2*addedRuns)
	for index(t, s) {
	}
	var want []string
	for n := range 2 * addedRuns {
		if strings.HasPrefix(fmt.Sprint(n), "1") {
			want = append(want, fmt.Sprintf("run-%d", n))
		}
	}
	f := searchFor("number-1")
	f.WorkspaceID = "w"
	for _, ascending := range []bool{true, false} {
		var got []string
		var after *RunCursor
		for more := true; more; {
			read(t, s, func(tx *Tx) error {
				page, err := tx.Runs(f, ascending, after, 300)
				for _, run := range page {
					got, after = append(got, run.ID), &RunCursor{StartTime: run.StartTime, Seq: run.Seq}
				}
				more = len(page) == 300
				return err
			})
		}
		if !slices.Equal(got, want) {
			t.Errorf("ascending %v: found %d runs, want %d: %.200v", ascending, len(got), len(want), got)
		}
		slices.Reverse(want)
	}
}
