package devserver

import (
	"sync"
	"time"
)

// Clock is the source of time for everything that changes with time.
type Clock interface{ Now() time.Time }

// skewedClock differs from another clock by a constant.
type skewedClock struct {
	clock Clock
	ahead time.Duration
}

func (c skewedClock) Now() time.Time { return c.clock.Now().Add(c.ahead) }

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
