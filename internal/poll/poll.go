package poll

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Until calls condition immediately and then repeatedly, until it is done, with or without an error, limit passes, or ctx ends. The last
// check happens at the limit, not up to an interval earlier. The limit doesn't cut a check in progress short; bound it with ctx.
//
// Every error comes with the value of the last check, so that a caller can report the progress.
func Until[T any](ctx context.Context, p Policy, limit time.Duration, condition func(context.Context) (T, bool, error)) (T, error) {
	clock := p.clock()
	start := clock.Now()
	var last error // The error of the last check that wasn't cut short.
	for {
		value, done, err := condition(ctx)
		elapsed := clock.Now().Sub(start)
		if ended := ctx.Err(); ended != nil && (err != nil || !done) {
			return value, stopped(ended, elapsed, limit, err, last)
		}
		switch {
		case done:
			return value, err
		case elapsed >= limit:
			return value, &DeadlineError{Elapsed: elapsed, Limit: limit, Last: err}
		}
		last = err
		pause := min(p.pause(elapsed, random()), limit-elapsed)
		if ended := clock.Sleep(ctx, pause); ended != nil {
			return value, stopped(ended, clock.Now().Sub(start), limit, err, nil)
		}
	}
}

// lastCheckTime is how long the check after the limit may take.
const lastCheckTime = 30 * time.Second

// Follow is Until for conditions that change nothing. The limit also ends a check in progress, and is followed by one more check with a
// context of its own, whose result alone counts: a process may have been stopped, or answers may have been lost, while what it waits for
// happened.
func Follow[T any](ctx context.Context, p Policy, limit time.Duration, condition func(context.Context) (T, bool, error)) (T, error) {
	start := p.Now()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	value, err := Until(limited, p, limit, condition)
	if _, late := errors.AsType[*DeadlineError](err); !late || ctx.Err() != nil {
		return value, err
	}
	last, cancel := context.WithTimeout(ctx, lastCheckTime)
	defer cancel()
	value, done, err := condition(last)
	elapsed := p.Now().Sub(start)
	switch ended := ctx.Err(); {
	case err == nil && done:
		return value, nil
	case ended != nil:
		return value, stopped(ended, elapsed, limit, err, nil)
	case done:
		return value, err
	}
	return value, &DeadlineError{Elapsed: elapsed, Limit: limit, Last: err}
}

// Lasting is implemented by errors that contain more than the end of a context.
type Lasting interface {
	error
	// Lasting returns what remains true: the error itself, if it describes the open outcome; the cause from before the end; or
	// nil.
	Lasting() error
}

// stopped returns the error of a wait that its context has ended. If that cut a check short, the reason is not the error of
// that check but what came before it.
func stopped(ended error, elapsed, limit time.Duration, err, last error) error {
	var lasting Lasting
	switch {
	case errors.As(err, &lasting):
		if rest := lasting.Lasting(); rest == lasting { //nolint:errorlint // Is it the same one?
			return err
		} else if rest != nil {
			last = rest
		}
	case err == nil || !errors.Is(err, ended):
		last = err
	}
	if errors.Is(ended, context.DeadlineExceeded) {
		return &DeadlineError{Elapsed: elapsed, Limit: limit, Last: last}
	}
	return &interruptedError{elapsed, last, ended}
}

// interruptedError is a wait whose context was cancelled.
type interruptedError struct {
	elapsed     time.Duration
	last, ended error
}

func (e *interruptedError) Error() string {
	text := "interrupted after " + Rounded(e.elapsed).String()
	if e.last != nil {
		text += fmt.Sprintf(" (last error: %v)", e.last)
	}
	return text
}

func (e *interruptedError) Unwrap() error { return e.ended }

// Rounded rounds a duration to what a message needs.
func Rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

// DeadlineError is a wait that reached its limit. It is a context.DeadlineExceeded.
type DeadlineError struct {
	Elapsed, Limit time.Duration
	// Last is the error of the last check that the limit didn't cut short; nil if that check succeeded but wasn't done.
	Last error
}

func (e *DeadlineError) Error() string {
	text := fmt.Sprintf("timed out after %s (limit %s)", Rounded(e.Elapsed), e.Limit)
	if e.Last != nil {
		text += fmt.Sprintf("; last error: %v", e.Last)
	}
	return text
}

// Is makes a DeadlineError a context.DeadlineExceeded.
func (*DeadlineError) Is(target error) bool { return target == context.DeadlineExceeded }

func (e *DeadlineError) Unwrap() error { return e.Last }
