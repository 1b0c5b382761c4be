package poll

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

const (
	// fraction of the time waited so far is the pause until the next check. It also bounds the delay in noticing the end.
	fraction      = 0.05
	defaultMin    = 500 * time.Millisecond
	defaultMax    = 15 * time.Second
	defaultJitter = 0.1
)

// Clock is the clock that a wait uses.
type Clock interface {
	Now() time.Time
	// Sleep returns the context's error if ctx ends first.
	Sleep(ctx context.Context, d time.Duration) error
}

// Policy determines the pauses between checks. Outside of tests, the zero Policy is the right one.
type Policy struct {
	// Clock defaults to the system's.
	Clock Clock
	// Min and Max bound the pause. Zero means defaultMin and defaultMax.
	Min, Max time.Duration
	// Jitter varies the pause by up to this share in both directions, so that concurrent waits drift apart. Zero means
	// defaultJitter, a negative value none.
	Jitter float64
}

// pause returns the pause after having waited for elapsed; random is in [0, 1).
func (p Policy) pause(elapsed time.Duration, random float64) time.Duration {
	interval := min(max(time.Duration(fraction*float64(elapsed)), cmp.Or(p.Min, defaultMin)), cmp.Or(p.Max, defaultMax))
	share := max(0, cmp.Or(p.Jitter, defaultJitter))
	return time.Duration(float64(interval) * (1 + share*(2*random-1)))
}

// Now returns the time of the policy's clock.
func (p Policy) Now() time.Time { return p.clock().Now() }

// Sleep waits on the policy's clock. It returns the context's error if ctx ends first.
func (p Policy) Sleep(ctx context.Context, d time.Duration) error { return p.clock().Sleep(ctx, d) }

func (p Policy) clock() Clock {
	if p.Clock == nil {
		return system{}
	}
	return p.Clock
}

func random() float64 { return rand.Float64() } //nolint:gosec // Not used for secrets.

type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
