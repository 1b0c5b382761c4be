package poll

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestFollow_afterTheLimit expects the check after the limit to decide, whatever the checks before it returned.
func TestFollow_afterTheLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		done bool
		err  error
		want func(error) bool
	}{
		"done":        {true, nil, func(err error) bool { return err == nil }},
		"in progress": {false, nil, func(err error) bool { return lateAfter(err, nil) }},
		"no answer":   {false, errTransient, func(err error) bool { return lateAfter(err, errTransient) }},
		"a refusal":   {true, errFatal, func(err error) bool { return errors.Is(err, errFatal) && !errors.Is(err, context.DeadlineExceeded) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := newFake()
			start, last := clock.now, 0
			_, err := Follow(t.Context(), Policy{Clock: clock}, time.Minute, func(ctx context.Context) (int, bool, error) {
				last++
				if ctx.Err() != nil {
					t.Errorf("check %d has a context that has ended", last)
				}
				if clock.now.Sub(start) < time.Minute || clock.sleeps > 0 && clock.during == nil {
					if clock.now.Sub(start) >= time.Minute {
						clock.during = func() {} // The check at the limit; the next one comes after it.
					}
					return last, false, errTransient
				}
				return last, test.done, test.err
			})
			if !test.want(err) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// TestFollow_limitEndsACheck has a check that takes longer than the limit: the one after it has a context of its own.
func TestFollow_limitEndsACheck(t *testing.T) {
	t.Parallel()
	checks := 0
	_, err := Follow(t.Context(), Policy{}, 0, func(ctx context.Context) (struct{}, bool, error) {
		checks++
		if checks == 1 {
			<-ctx.Done()
			return struct{}{}, false, ctx.Err()
		}
		return struct{}{}, ctx.Err() == nil, ctx.Err()
	})
	if err != nil || checks != 2 {
		t.Errorf("error = %v after %d checks, want none after 2", err, checks)
	}
}

// TestFollow_cancelled cancels the check after the limit.
func TestFollow_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	checks := 0
	_, err := Follow(ctx, Policy{}, 0, func(ctx context.Context) (struct{}, bool, error) {
		if checks++; checks == 2 {
			cancel()
		}
		<-ctx.Done()
		return struct{}{}, false, ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want a cancellation", err)
	}
}

func lateAfter(err, last error) bool {
	late, ok := errors.AsType[*DeadlineError](err)
	return ok && errors.Is(late.Last, last) || ok && late.Last == nil && last == nil
}
