package poll

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Until calls condition at once and then again until it is done, fails with an error that retryable refuses, limit passes,
// or ctx ends. The last check happens at the limit, not up to an interval before it. A check that is under way is not
// cut short by the limit; bound it with ctx.
//
// The value of the last check is returned with every error, so that a caller can say how far things had come. A nil
// retryable refuses every error.
func Until[T any](
	ctx context.Context, p Policy, limit time.Duration, retryable func(error) bool,
	condition func(context.Context) (T, bool, error),
) (T, error) {
	clock := p.clock()
	start := clock.Now()
	var last error // What the last check failed with that came to its end.
	for {
		value, done, err := condition(ctx)
		elapsed := clock.Now().Sub(start)
		if ended := ctx.Err(); ended != nil && (err != nil || !done) {
			return value, stopped(ended, elapsed, limit, err, last)
		}
		switch {
		case err == nil && done:
			return value, nil
		case err != nil && (retryable == nil || !retryable(err)):
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

// Lasting is implemented by errors that say more than that a context has ended.
type Lasting interface {
	error
	// Lasting is what stays true of the error: itself, where it says what the end has left open; what had happened before;
	// or nil.
	Lasting() error
}

// stopped is the error of a wait that its context ends. The error of a check that was cut short by that is no reason; what
// came before it is.
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
	elapsed = elapsed.Round(time.Second)
	if last == nil {
		return fmt.Errorf("waiting stopped after %s: %w", elapsed, ended)
	}
	return fmt.Errorf("waiting stopped after %s: %w (last error: %v)", elapsed, ended, last) //nolint:errorlint // What ended the wait is the context.
}

// DeadlineError is a wait that reached its limit. It is a context.DeadlineExceeded.
type DeadlineError struct {
	Elapsed, Limit time.Duration
	// Last is the error of the last check that the limit didn't cut short; nil when it worked and was just not done.
	Last error
}

func (e *DeadlineError) Error() string {
	text := fmt.Sprintf("not done after %s (limit %s)", e.Elapsed.Round(time.Second), e.Limit)
	if e.Last != nil {
		text += fmt.Sprintf("; last error: %v", e.Last)
	}
	return text
}

// Is makes a DeadlineError a context.DeadlineExceeded.
func (*DeadlineError) Is(target error) bool { return target == context.DeadlineExceeded }

func (e *DeadlineError) Unwrap() error { return e.Last }
