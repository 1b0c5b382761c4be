package figure

import (
	"testing"
	"time"
)

// TestCacheKeepsToItself checks that changes of values passed to or returned from the cache don't change the cached ones.
func TestCacheKeepsToItself(t *testing.T) {
	t.Parallel()
	var cache figuresCache
	hour := span{time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC), time.Hour}
	given := map[span]spanValues{hour: {runs: 3}}
	cache.added(cache.add("p", 0), given)
	given[hour] = spanValues{runs: 4}
	got := cache.read("p", []span{hour})
	delete(got, hour)
	if again := cache.read("p", []span{hour}); again[hour].runs != 3 {
		t.Errorf("%d runs are cached, want 3", again[hour].runs)
	}
	cache.forget([]Moment{{"p", hour.start.Add(59 * time.Minute)}}, false, 1)
	if again := cache.read("p", []span{hour}); len(again) != 0 {
		t.Errorf("cached figures of an invalidated span = %v, want none", again)
	}
}

// TestCacheOfSnapshots checks that the cache keeps nothing that was added up without runs that have been logged since.
func TestCacheOfSnapshots(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 2, 10, 30, 0, 0, time.UTC)
	hour := span{now.Truncate(time.Hour), time.Hour}
	var cache figuresCache
	for name, change := range map[string]func(){
		"noted": func() { cache.forget([]Moment{{"p", now}}, false, 2) }, "unnoted": func() { cache.forget(nil, true, 2) },
	} {
		cache = figuresCache{}
		a := cache.add("p", 1)
		change()
		cache.added(a, map[span]spanValues{hour: {runs: 1}})
		if got := cache.read("p", []span{hour}); len(got) > 0 {
			t.Errorf("%s: cached figures from before a change = %v, want none", name, got)
		}
		cache.added(cache.add("p", 1), map[span]spanValues{hour: {runs: 1}})
		if got := cache.read("p", []span{hour}); len(got) > 0 {
			t.Errorf("%s: cached figures of an older snapshot = %v, want none", name, got)
		}
		cache.added(cache.add("p", 2), map[span]spanValues{hour: {runs: 2}})
		if got := cache.read("p", []span{hour}); got[hour].runs != 2 {
			t.Errorf("%s: cached figures of a newer snapshot = %v, want 2 runs", name, got)
		}
	}
}
