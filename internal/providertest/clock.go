package providertest

import (
	"context"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// SteppedClock is a clock on which sleeping takes no time: Sleep advances the clock.
type SteppedClock struct{ *devserver.ManualClock }

// Sleep advances the clock by d.
func (c *SteppedClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}
