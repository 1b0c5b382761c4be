package devserver

import (
	"sync"
	"time"
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
