package poll

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// fake is a clock that only advances in Sleep.
type fake struct {
	now    time.Time
	sleeps int
	// during is called in each sleep; nil does nothing.
	during func()
}

func (f *fake) Now() time.Time { return f.now }

func (f *fake) Sleep(ctx context.Context, d time.Duration) error {
	f.now = f.now.Add(d)
	f.sleeps++
	if f.during != nil {
		f.during()
	}
	return ctx.Err()
}

func newFake() *fake { return &fake{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

var errTransient, errFatal = errors.New("transient"), errors.New("fatal")

func TestUntil(t *testing.T) {
	t.Parallel()
	type step struct {
		value string
		done  bool
		err   error
	}
	working, transient := step{value: "working"}, step{value: "none", err: errTransient}
	tests := map[string]struct {
		steps  []step // The last step is repeated.
		limit  time.Duration
		want   string
		err    error
		checks int // 0 is not asserted.
		waited time.Duration
	}{
		"done at once":             {[]step{{"done", true, nil}}, time.Minute, "done", nil, 1, 0},
		"done at once, no limit":   {[]step{{"done", true, nil}}, 0, "done", nil, 1, 0},
		"done later":               {[]step{working, working, {"done", true, nil}}, time.Minute, "done", nil, 3, time.Second},
		"fails":                    {[]step{working, {"broken", true, errFatal}}, time.Minute, "broken", errFatal, 2, 500 * time.Millisecond},
		"tolerates":                {[]step{transient, transient, {"done", true, nil}}, time.Minute, "done", nil, 3, time.Second},
		"never done":               {[]step{working}, time.Minute, "working", context.DeadlineExceeded, 0, time.Minute},
		"never done, no limit":     {[]step{working}, 0, "working", context.DeadlineExceeded, 1, 0},
		"always an error":          {[]step{transient}, time.Minute, "none", errTransient, 0, time.Minute},
		"a limit between checks":   {[]step{working}, 700 * time.Millisecond, "working", context.DeadlineExceeded, 3, 700 * time.Millisecond},
		"done right at the limit":  {[]step{working, working, {"done", true, nil}}, 700 * time.Millisecond, "done", nil, 3, 700 * time.Millisecond},
		"fails right at the limit": {[]step{working, {"broken", true, errFatal}}, 500 * time.Millisecond, "broken", errFatal, 2, 500 * time.Millisecond},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock, checks := newFake(), 0
			start := clock.now
			got, err := Until(t.Context(), Policy{Clock: clock, Jitter: -1}, test.limit,
				func(context.Context) (string, bool, error) {
					s := test.steps[min(checks, len(test.steps)-1)]
					checks++
					return s.value, s.done, s.err
				})
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("Until = %q, %v; want %q, %v", got, err, test.want, test.err)
			}
			if test.checks != 0 && checks != test.checks {
				t.Errorf("%d checks, want %d", checks, test.checks)
			}
			if waited := clock.now.Sub(start); waited != test.waited {
				t.Errorf("waited %s, want %s", waited, test.waited)
			}
		})
	}
}

func TestDeadlineError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		last error
		text string
	}{
		{nil, "timed out after 1m0s (limit 1m0s)"},
		{errTransient, "timed out after 1m0s (limit 1m0s); last error: transient"},
	} {
		_, err := Until(t.Context(), Policy{Clock: newFake()}, time.Minute,
			func(context.Context) (int, bool, error) { return 0, false, test.last })
		deadline, ok := errors.AsType[*DeadlineError](err)
		if !ok {
			t.Fatalf("error = %#v, want a DeadlineError", err)
		}
		if want := (DeadlineError{Elapsed: time.Minute, Limit: time.Minute, Last: test.last}); *deadline != want {
			t.Errorf("error = %+v, want %+v", *deadline, want)
		}
		if err.Error() != test.text {
			t.Errorf("text = %q, want %q", err, test.text)
		}
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			t.Errorf("error %v must be context.DeadlineExceeded, and not context.Canceled", err)
		}
		if got := errors.Is(err, errTransient); got != (test.last != nil) {
			t.Errorf("errors.Is(err, last) = %v, want %v", got, !got)
		}
	}
}

func TestContextEnds(t *testing.T) {
	t.Parallel()
	type check func(context.Context) (string, bool, error)
	tests := map[string]struct {
		check func(cancel func()) check
		// sleeping is called during the first pause.
		sleeping bool
		want     string
		text     string
		done     bool
	}{
		"in a check that says nothing of it": {
			check: func(cancel func()) check {
				return func(context.Context) (string, bool, error) { cancel(); return "working", false, nil }
			},
			want: "working", text: "interrupted after 0s",
		},
		"in a check that fails for it": {
			check: func(cancel func()) check {
				return func(ctx context.Context) (string, bool, error) {
					cancel()
					return "", false, fmt.Errorf("read: %w", ctx.Err())
				}
			},
			text: "interrupted after 0s",
		},
		"in a check that fails otherwise": {
			check: func(cancel func()) check {
				return func(context.Context) (string, bool, error) { cancel(); return "broken", false, errFatal }
			},
			want: "broken", text: "interrupted after 0s (last error: fatal)",
		},
		"in a pause": {
			check: func(func()) check {
				return func(context.Context) (string, bool, error) { return "working", false, errTransient }
			},
			sleeping: true, want: "working", text: "interrupted after 500ms (last error: transient)",
		},
		"too late to matter": {
			check: func(cancel func()) check {
				return func(context.Context) (string, bool, error) { cancel(); return "done", true, nil }
			},
			want: "done", done: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			clock := newFake()
			if test.sleeping {
				clock.during = cancel
			}
			got, err := Until(ctx, Policy{Clock: clock, Jitter: -1}, time.Minute, test.check(cancel))
			if got != test.want {
				t.Errorf("value = %q, want %q", got, test.want)
			}
			if test.done {
				if err != nil {
					t.Errorf("error = %v, want none", err)
				}
				return
			}
			if !errors.Is(err, context.Canceled) || errors.Is(err, errFatal) || err.Error() != test.text {
				t.Errorf("error = %v, want %q", err, test.text)
			}
		})
	}
}

// lasting is the error of a check that was interrupted by the end of the context.
type lasting struct {
	ended, rest error
}

func (e lasting) Error() string  { return "cut short" }
func (e lasting) Unwrap() error  { return e.ended }
func (e lasting) Lasting() error { return e.rest }

// unknown is the error of a write whose outcome is unknown.
type unknown struct{ ended error }

func (e unknown) Error() string  { return "unknown" }
func (e unknown) Unwrap() error  { return e.ended }
func (e unknown) Lasting() error { return e }

// TestStopped expects the last error before the end of the context, and an unknown outcome.
func TestStopped(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before []error
		cut    func(ended error) error
		// cancelled and late are the texts after a cancellation and after the deadline.
		cancelled, late string
	}{
		"cut short after an error": {
			[]error{errTransient}, func(ended error) error { return fmt.Errorf("read: %w", ended) },
			"interrupted after 500ms (last error: transient)", "timed out after 500ms (limit 1m0s); last error: transient",
		},
		"cut short after a good look": {
			[]error{errTransient, nil}, func(ended error) error { return fmt.Errorf("read: %w", ended) },
			"interrupted after 1s", "timed out after 1s (limit 1m0s)",
		},
		"cut short while retrying": {
			[]error{nil}, func(ended error) error { return lasting{ended, errTransient} },
			"interrupted after 500ms (last error: transient)", "timed out after 500ms (limit 1m0s); last error: transient",
		},
		"cut short without a retry": {
			[]error{errTransient}, func(ended error) error { return lasting{ended, nil} },
			"interrupted after 500ms (last error: transient)", "timed out after 500ms (limit 1m0s); last error: transient",
		},
		"left open": {
			nil, func(ended error) error { return fmt.Errorf("write: %w", unknown{ended}) }, "write: unknown", "write: unknown",
		},
	}
	for name, test := range tests {
		for ended, want := range map[error]string{context.Canceled: test.cancelled, context.DeadlineExceeded: test.late} {
			t.Run(name+", "+ended.Error(), func(t *testing.T) {
				t.Parallel()
				ctx := &ending{Context: t.Context()}
				checks := 0
				_, err := Until(ctx, Policy{Clock: newFake(), Jitter: -1}, time.Minute, func(context.Context) (int, bool, error) {
					checks++
					if checks <= len(test.before) {
						return 0, false, test.before[checks-1]
					}
					ctx.err = ended
					return 0, false, test.cut(ended)
				})
				if err == nil || err.Error() != want || !errors.Is(err, ended) {
					t.Errorf("error = %v, want %q", err, want)
				}
			})
		}
	}
}

// ending is a context that the test ends.
type ending struct {
	context.Context //nolint:containedctx // It is one.
	err             error
}

func (c *ending) Err() error { return c.err }
