package store

import (
	"testing"
	"time"
)

// TestDatabaseClock tells a clock the time of a database, sometimes late. It must not show an earlier time than it was told, and follow
// when one of the clocks is set.
func TestDatabaseClock(t *testing.T) {
	t.Parallel()
	var c databaseClock
	ahead := func() time.Duration { return time.Until(c.Now()).Round(10 * time.Minute) }
	if got := ahead(); got != 0 {
		t.Errorf("before the first answer, the clock is ahead by %s, want 0", got)
	}
	for _, set := range []time.Duration{time.Hour, 3 * time.Hour, -time.Hour} {
		said := time.Now().Add(set)
		c.observe(said.UnixMicro())
		if now := c.Now(); now.Before(said.Truncate(time.Microsecond)) || ahead() != set {
			t.Errorf("the clock shows %s, want about %s, and not less", now, said)
		}
		before := c.Now()
		c.observe(said.Add(-time.Second / 2).UnixMicro()) // This answer took half a second.
		if now := c.Now(); now.Before(before) {
			t.Errorf("the clock shows %s after %s", now, before)
		}
	}
}
