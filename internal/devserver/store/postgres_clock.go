package store

import (
	"sync"
	"time"
)

// databaseClock tells the time of a database, which several processes share, without asking it each time.
type databaseClock struct {
	mu sync.Mutex
	// ahead is what the database's clock is ahead of this machine's, as seen at a time.
	ahead time.Duration
	at    time.Time
}

const (
	// clockDrift is by how much two clocks may drift apart, in parts of the time.
	clockDrift = 5000
	// clockStep is a difference that isn't drift, nor the time that an answer takes: one of the clocks was set.
	clockStep = time.Second
)

// observe notes a time that the database has just said, in microseconds. The answer took a while, so that its clock shows at least the
// difference: the largest one is the best.
func (c *databaseClock) observe(micros int64) {
	now := time.Now()
	ahead := time.UnixMicro(micros).Sub(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	least := c.ahead - now.Sub(c.at)/clockDrift
	if c.at.IsZero() || ahead >= least || ahead < least-clockStep {
		c.ahead, c.at = ahead, now
	}
}

// Now is the time of the database; before the first observation, that of this machine.
func (c *databaseClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}
