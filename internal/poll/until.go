package poll

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Until calls check at once and then again until it is done, fails with an error that tolerate refuses, limit passes,
// or ctx ends. The last check happens at the limit, not up to an interval before it. A check that is under way is not
// cut short by the limit; bound it with ctx.
//
// The value of the last check is returned with every error, so that a caller can say how far things had come. A nil
// tolerate refuses every error.
func Until[T any](
	ctx context.Context, p Policy, limit time.Duration, tolerate func(error) bool,
	check func(context.Context) (T, bool, error),
) (T, error) {
	clock := p.clock()
	start := clock.Now()
	for {
		value, done, err := check(ctx)
		elapsed := clock.Now().Sub(start)
		switch {
		case err == nil && done:
			return value, nil
		case ctx.Err() != nil:
			return value, interrupted(ctx.Err(), elapsed, err)
		case err != nil && (tolerate == nil || !tolerate(err)):
			return value, err
		case elapsed >= limit:
			return value, &DeadlineError{Elapsed: elapsed, Limit: limit, Last: err}
		}
		pause := min(p.pause(elapsed, random()), limit-elapsed)
		if ended := clock.Sleep(ctx, pause); ended != nil {
			return value, interrupted(ended, clock.Now().Sub(start), err)
		}
	}
}

// interrupted leaves the error of the check in the text only: what ended the wait is the context.
func interrupted(ended error, elapsed time.Duration, last error) error {
	elapsed = elapsed.Round(time.Second)
	if last == nil || errors.Is(last, ended) {
		return fmt.Errorf("waiting stopped after %s: %w", elapsed, ended)
	}
	return fmt.Errorf("waiting stopped after %s: %w (last error: %v)", elapsed, ended, last) //nolint:errorlint // See above.
}

// DeadlineError is a wait that reached its limit. It is a context.DeadlineExceeded.
type DeadlineError struct {
	Elapsed, Limit time.Duration
	// Last is the tolerated error of the last check; nil when the check worked and was just not done.
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
