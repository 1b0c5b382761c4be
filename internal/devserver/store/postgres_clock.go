package store

import (
	"sync"
	"time"
)

// databaseClock tells the time of a database, which several processes share, without asking it each time.
type databaseClock struct {
	mu sync.Mutex
	// said is what the database's clock showed at a time of this machine. Only the time since then counts: this machine's clock may be set.
	said, at time.Time
}

const (
	// clockDrift is by how much two clocks may drift apart, in parts of the time.
	clockDrift = 5000
	// clockStep is a difference that isn't drift, nor the time that an answer takes: one of the clocks was set.
	clockStep = time.Second
)

// observe notes a time that the database has just said, in microseconds. The answer took a while, so that its clock shows at least that time:
// the latest one is the best.
func (c *databaseClock) observe(micros int64) {
	said, now := time.UnixMicro(micros), time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	passed := now.Sub(c.at)
	behind := c.said.Add(passed).Sub(said)
	if drift := passed / clockDrift; c.at.IsZero() || behind <= drift || behind > drift+clockStep {
		c.said, c.at = said, now
	}
}

// Now is the time of the database; before the first observation, that of this machine.
func (c *databaseClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		return time.Now()
	}
	return c.said.Add(time.Since(c.at))
}
