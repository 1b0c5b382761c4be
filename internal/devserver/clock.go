package devserver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Clock is the source of time for everything that changes with time.
type Clock interface{ Now() time.Time }

// aheadClock is ahead of another clock by a constant, which may be negative, and by what it has been advanced by.
type aheadClock struct {
	clock    Clock
	skew     time.Duration
	advanced func() time.Duration
}

func (c aheadClock) Now() time.Time { return c.clock.Now().Add(c.skew + c.advanced()) }

// setBack is by how much a clock goes back at least when it was set. By less, nothing stalls for long, and an answer of a database that took
// as long looks the same.
const setBack = time.Minute

// steadyClock follows another clock, and continues from the same time when that one is set back: otherwise, whatever is due would stall for as
// long.
type steadyClock struct {
	clock Clock
	log   *slog.Logger

	mu sync.Mutex
	// last is the last time of the clock, and ahead what it has been set back by.
	last  time.Time
	ahead time.Duration
}

// newSteadyClock returns a clock that, together with what the server adds to it, doesn't start before what is in progress in the data.
func newSteadyClock(ctx context.Context, clock Clock, db *store.Store, added time.Duration, log *slog.Logger) (*steadyClock, error) {
	c := &steadyClock{clock: clock, log: log}
	var latest time.Time
	err := db.Read(ctx, func(tx *store.Tx) (err error) {
		latest, err = tx.LatestProgress()
		return err
	})
	c.last = clock.Now()
	c.goOn(latest.Sub(c.last.Add(added)))
	return c, err
}

// Now returns the time of the clock, and what it has been set back by.
func (c *steadyClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	passed := max(now.Sub(c.last), 0) // For the system's clock, this is how much time has passed, even if it was set.
	c.goOn(passed - now.Round(0).Sub(c.last.Round(0)))
	c.last = now
	return now.Add(c.ahead)
}

// Ahead is what the clock has been set back by.
func (c *steadyClock) Ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead
}

func (c *steadyClock) goOn(back time.Duration) {
	if back < setBack {
		return
	}
	c.ahead += back
	c.log.Warn("the clock was set back: the server continues from the later time, so that rollouts don't stall", "by", back.Round(time.Second))
}

// ManualClock stands still until it is advanced. It is safe for concurrent use.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewManualClock returns a clock that stands at start.
func NewManualClock(start time.Time) *ManualClock { return &ManualClock{now: start} }

// Now returns the clock's current time.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
