package tracing_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestQueryPages checks that pages of any size add up to the whole list, in both orders and both versions of the API. Runs
// logged between pages, anywhere in the list, neither shift nor replace others.
func TestQueryPages(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 11))
	for _, size := range []int{1, 2, 7, 22, 23, 24, 100} {
		for _, order := range []string{"asc", "desc"} {
			seed := random.Uint64()
			for version, query := range map[string]func(cursor any) object{
				"/runs/query": func(cursor any) object { return object{"limit": size, "order": order, "cursor": cursor} },
				"/v2/runs/query": func(cursor any) object {
					return object{"page_size": size, "sort_order": strings.ToUpper(order), "cursor": cursor}
				},
			} {
				t.Run(fmt.Sprintf("%s by %d %s", version, size, order), func(t *testing.T) {
					t.Parallel()
					p := devservertest.New(t, devserver.Config{})
					random := rand.New(rand.NewPCG(seed, 13))
					want := logScattered(p, random, 23)
					if order == "desc" {
						slices.Reverse(want)
					}
					var added []string
					got := readPages(p, version, query, func() { added = append(added, logScattered(p, random, 2)...) })
					before := slices.DeleteFunc(slices.Clone(got), func(id string) bool { return slices.Contains(added, id) })
					devservertest.Same(t, "runs logged before the first page", want, before)
					if all := slices.Compact(slices.Sorted(slices.Values(got))); len(all) != len(got) {
						t.Errorf("got %d runs, %d of them different, want no duplicates", len(got), len(all))
					}
				})
			}
		}
	}
}

// logScattered logs runs that begin at random times within ten seconds, many of them at the same time, and returns their IDs in
// list order.
func logScattered(p *plane, random *rand.Rand, n int) []string {
	p.T.Helper()
	starts, runs := map[string]int{}, []any{}
	ids := make([]string, n)
	for i := range n {
		start := random.IntN(10)
		run := devservertest.RootRun(object{"start_time": fmt.Sprintf("2026-05-02T10:00:%02dZ", start)})
		ids[i] = run["id"].(string)
		starts[ids[i]] = start
		runs = append(runs, run)
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": runs}).Want(http.StatusAccepted)
	slices.SortStableFunc(ids, func(a, b string) int { return starts[a] - starts[b] })
	return ids
}

// readPages follows cursors to the end, and calls a function between the first pages.
func readPages(p *plane, path string, query func(cursor any) object, between func()) []string {
	p.T.Helper()
	var ids []string
	for cursor, pages := any(nil), 0; ; pages++ {
		page := devservertest.Into[object](p.Do(http.MethodPost, path, query(cursor)).Want(http.StatusOK))
		runs, _ := page["runs"].([]any)
		if runs == nil {
			runs, _ = page["items"].([]any)
		}
		for _, run := range runs {
			ids = append(ids, run.(object)["id"].(string))
		}
		cursors, _ := page["cursors"].(object)
		next, more := cursors["next"].(string)
		if cursors == nil {
			next, more = page["next_cursor"].(string)
			if more != page["has_more"] {
				p.T.Errorf("has_more = %v with the cursor %q, want true only with a cursor", page["has_more"], next)
			}
		}
		if !more {
			return ids
		}
		cursor = next
		if pages < 10 { // Otherwise a list might grow as fast as it is read.
			between()
		}
	}
}

// TestThreadPages checks that a conversation that continues while pages are read isn't listed twice.
func TestThreadPages(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	turn := func(thread string, minute int) {
		p.Do(http.MethodPost, "/runs/batch", object{"post": []any{devservertest.RootRun(object{
			"start_time": fmt.Sprintf("2026-05-02T10:%02d:00Z", minute), "extra": object{"metadata": object{"thread_id": thread}},
		})}}).Want(http.StatusAccepted)
	}
	for i, thread := range []string{"a", "b", "c", "d", "e"} {
		turn(thread, i/2) // The last turns of a and b began at the same time, as did those of c and d.
	}
	for size, goesOn := range map[int][]string{1: {"e", "d", "a"}, 2: {"e", "d"}, 3: {"c"}, 5: nil} {
		var got []string
		for cursor, more := any(nil), true; more; {
			page := devservertest.Into[object](p.Do(http.MethodPost, "/v2/threads/query", object{"page_size": size, "cursor": cursor, "max_start_time": "2026-05-02T10:03:00Z"}).Want(http.StatusOK))
			for _, item := range page["items"].([]any) {
				got = append(got, item.(object)["thread_id"].(string))
			}
			cursor, more = page["next_cursor"]
			if len(goesOn) > 0 && slices.Contains(got, goesOn[0]) {
				turn(goesOn[0], 30) // Outside the query's time range, so it has no effect.
				goesOn = goesOn[1:]
			}
		}
		devservertest.Same(t, fmt.Sprintf("page size %d", size), []string{"e", "d", "c", "b", "a"}, got)
	}
	// Within the time range, e moves to the front. It has already been listed, so only the others follow.
	first := devservertest.Into[object](p.Do(http.MethodPost, "/v2/threads/query", object{"page_size": 2, "max_start_time": "2026-05-02T10:20:00Z"}).Want(http.StatusOK))
	turn("d", 10)
	rest := devservertest.Into[object](p.Do(http.MethodPost, "/v2/threads/query", object{"cursor": first["next_cursor"], "max_start_time": "2026-05-02T10:20:00Z"}).Want(http.StatusOK))
	var got []string
	for _, item := range slices.Concat(first["items"].([]any), rest["items"].([]any)) {
		got = append(got, item.(object)["thread_id"].(string))
	}
	devservertest.Same(t, "threads while one continues", []string{"e", "d", "c", "b", "a"}, got)
}
