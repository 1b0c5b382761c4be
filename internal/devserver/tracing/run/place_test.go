package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// watchedStore counts how many runs each transaction gives another place, and fails after some transactions, as if the process had been killed.
type watchedStore struct {
	*store.Store

	placed []int
	most   int // Transactions.
}

var errKilled = errors.New("killed")

func (s *watchedStore) DoGrouped(ctx context.Context, expected store.Expected, work func(*store.Tx) error) error {
	if len(s.placed) == s.most {
		return errKilled
	}
	n := 0
	err := s.Store.DoGrouped(ctx, expected, func(tx *store.Tx) error {
		before, err := placesIn(tx)
		if err != nil {
			return err
		}
		if err := work(tx); err != nil {
			return err
		}
		after, err := placesIn(tx)
		for id, place := range before {
			if after[id] != place {
				n++
			}
		}
		return err
	})
	if err == nil {
		s.placed = append(s.placed, n)
	}
	return err
}

func placesIn(tx *store.Tx) (map[string]string, error) {
	rows, err := tx.Runs(store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID}, true, nil, 5000)
	places := make(map[string]string, len(rows))
	for _, row := range rows {
		if row.DottedOrder != nil {
			places[row.ID] = row.TraceID + " " + *row.DottedOrder
		} else {
			places[row.ID] = ""
		}
	}
	return places, err
}

// numbered returns an ID for a number.
func numbered(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", n+1) }

// waitingRuns are a run, and its children, of which some have children of their own; without places.
func waitingRuns() []request {
	at := func(n, parent int) object {
		run := call(object{"id": numbered(n), "start_time": fmt.Sprintf("2026-05-02T10:%02d:%02dZ", n/60, n%60)})
		if parent >= 0 {
			run["parent_run_id"] = numbered(parent)
		}
		return run
	}
	var below []any
	for n := range 330 {
		below = append(below, at(1+n, n/20))
	}
	return []request{{body: object{"post": []any{at(0, -1)}}}, {body: object{"post": below}}}
}

func span(n, parent int) any {
	span := object{
		"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": fmt.Sprintf("%016x", n+1), "name": fmt.Sprint("span ", n),
		"startTimeUnixNano": fmt.Sprint(1_777_716_000_000_000_000 + n*1_000_000_000), "endTimeUnixNano": "1777717099000000000",
	}
	if parent >= 0 {
		span["parentSpanId"] = fmt.Sprintf("%016x", parent+1)
	}
	return span
}

func spans(all ...any) request {
	return request{true, object{"resourceSpans": []any{object{"scopeSpans": []any{object{"spans": all}}}}}}
}

// waitingSpans are a span, and its children.
func waitingSpans() []request {
	var below []any
	for n := range 230 {
		below = append(below, span(1+n, 0))
	}
	return []request{spans(span(0, -1)), spans(below...)}
}

// waitingTrace is a span, and its child with what is below that.
func waitingTrace() []request {
	below := []any{span(1, 0)}
	for n := range 2*movedAtOnceInStore + 20 {
		below = append(below, span(2+n, 1+n/2))
	}
	return []request{spans(span(0, -1)), spans(below...)}
}

// movedAtOnceInStore is how many runs the store moves in a transaction.
const movedAtOnceInStore = 100

// TestPlacedInSlices checks that runs that have waited for another one are placed below it in several transactions, before the request with
// that is answered; or later, if the process was killed after one of these transactions.
func TestPlacedInSlices(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		requests []request // The parent first.
		most     int       // How many runs get another place in one transaction.
	}{
		"runs of a parent":  {waitingRuns(), placedAtOnce},
		"roots of spans":    {waitingSpans(), placedAtOnce},
		"a trace of a span": {waitingTrace(), movedAtOnceInStore + 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, service := open(t)
			send(t, service, tc.requests...)
			want := places(t, db)
			for _, killed := range []int{1000, 1, 2} {
				db, service := open(t)
				send(t, service, tc.requests[1:]...)
				watched := &watchedStore{Store: db, most: killed}
				send(t, writing(serviceOn(db), watched.DoGrouped), tc.requests[0])
				if killed < 1000 {
					if len(watched.placed) != killed || cmp.Equal(want, places(t, db)) {
						t.Errorf("killed after transactions that placed %v runs, want %d, and some runs to be left", watched.placed, killed)
					}
					watched.most = 1000
					settle(t, writing(serviceOn(db), watched.DoGrouped))
				}
				if diff := cmp.Diff(want, places(t, db)); diff != "" {
					t.Errorf("killed after %d: places (-the parent first +the parent last):\n%.2000s", killed, diff)
				}
				if most := slices.Max(watched.placed); most > tc.most {
					t.Errorf("a transaction has placed %d runs, want at most %d: %v", most, tc.most, watched.placed)
				}
				if more, err := service.Settle(t.Context(), ""); more || err != nil {
					t.Errorf("there may be more to place: %v, %v; want nothing", more, err)
				}
			}
		})
	}
}

func send(t *testing.T, s *Service, requests ...request) {
	t.Helper()
	for _, one := range requests {
		must(t, one.send(t, s))
	}
}

func places(t *testing.T, db *store.Store) (all map[string]string) {
	t.Helper()
	must(t, db.Read(t.Context(), func(tx *store.Tx) (err error) {
		all, err = placesIn(tx)
		return err
	}))
	return all
}

func settle(t *testing.T, s *Service) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.Settle(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlacedBelowMoved places a trace that is still being moved below another one.
func TestPlacedBelowMoved(t *testing.T) {
	t.Parallel()
	below := waitingTrace()[1]
	middle, top := spans(span(0, 5000)), span(5000, -1)
	top.(object)["startTimeUnixNano"] = "1777715000000000000"
	db, service := open(t)
	send(t, service, spans(top), middle, below)
	want := places(t, db)
	for _, killed := range []int{1, 2} {
		db, service := open(t)
		send(t, service, below)
		send(t, writing(serviceOn(db), (&watchedStore{Store: db, most: killed}).DoGrouped), middle)
		send(t, writing(serviceOn(db), (&watchedStore{Store: db, most: 1}).DoGrouped), spans(top))
		settle(t, service)
		if diff := cmp.Diff(want, places(t, db)); diff != "" {
			t.Errorf("killed after %d: places (-the parents first +the parents last):\n%.2000s", killed, diff)
		}
	}
}

// TestPlaceRefused checks that a run that can't be placed doesn't keep others from it.
func TestPlaceRefused(t *testing.T) {
	t.Parallel()
	db, service := open(t)
	var runs []any
	for n := range 130 {
		runs = append(runs, call(object{"id": numbered(1 + n), "parent_run_id": numbered(0)}))
	}
	must(t, post(t, service.ingestBatch, object{"post": runs}))
	// The run that will be the parent is said to be below one of those that wait for it.
	must(t, post(t, service.ingestBatch, object{"post": []any{call(object{
		"id": numbered(0), "trace_id": numbered(500), "parent_run_id": numbered(125),
		"dotted_order": "20260502T100000000000Z" + numbered(500) + ".20260502T100000000000Z" + numbered(125) + ".20260502T100000000000Z" + numbered(0),
	})}}))
	settle(t, service)
	placed := 0
	for n := range 130 {
		if row := rowOf(t, db, numbered(1+n)); row.DottedOrder != nil {
			placed++
		}
	}
	if placed != 129 {
		t.Errorf("%d runs are placed, want all but the one that is above", placed)
	}
}
