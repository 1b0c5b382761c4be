package providertest

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// SteppedClock is a clock on which sleeping takes no time: Sleep advances the clock.
type SteppedClock struct {
	*devserver.ManualClock
	running atomic.Pointer[time.Time] // Since when real time passes, too; nil while the clock stands still.
}

// Now returns the clock's current time.
func (c *SteppedClock) Now() time.Time {
	now := c.ManualClock.Now()
	if since := c.running.Load(); since != nil {
		now = now.Add(time.Since(*since))
	}
	return now
}

// run makes real time pass on the clock.
func (c *SteppedClock) run() {
	now := time.Now()
	c.running.CompareAndSwap(nil, &now)
}

// Sleep advances the clock by d.
func (c *SteppedClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}
