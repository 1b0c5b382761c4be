package poll

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestInterval(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy  Policy
		elapsed time.Duration
		want    time.Duration
	}{
		"at the start":        {Policy{}, 0, 500 * time.Millisecond},
		"until 10 s":          {Policy{}, 10 * time.Second, 500 * time.Millisecond},
		"a share after that":  {Policy{}, time.Minute, 3 * time.Second},
		"up to five minutes":  {Policy{}, 5 * time.Minute, 15 * time.Second},
		"and no more":         {Policy{}, time.Hour, 15 * time.Second},
		"a clock that jumped": {Policy{}, -time.Hour, 500 * time.Millisecond},
		"own fraction":        {Policy{Fraction: 0.5}, 10 * time.Second, 5 * time.Second},
		"own bounds, lower":   {Policy{Min: time.Second, Max: 2 * time.Second}, 0, time.Second},
		"own bounds, upper":   {Policy{Min: time.Second, Max: 2 * time.Second}, time.Hour, 2 * time.Second},
		"jitter is left out":  {Policy{Jitter: 0.9}, time.Minute, 3 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.policy.Interval(test.elapsed); got != test.want {
				t.Errorf("Interval(%s) = %s, want %s", test.elapsed, got, test.want)
			}
		})
	}
}

func TestPauseSpreads(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		jitter float64
		random float64
		want   time.Duration
	}{
		"default, least":  {0, 0, 2700 * time.Millisecond},
		"default, middle": {0, 0.5, 3 * time.Second},
		"default, most":   {0, 1, 3300 * time.Millisecond},
		"own":             {0.5, 0, 1500 * time.Millisecond},
		"none":            {-1, 0, 3 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (Policy{Jitter: test.jitter}).pause(time.Minute, test.random); got.Round(time.Microsecond) != test.want {
				t.Errorf("pause = %s, want %s", got, test.want)
			}
		})
	}
}

func TestRandomIsAShare(t *testing.T) {
	t.Parallel()
	first, varies := random(), false
	for range 100 {
		r := random()
		if r < 0 || r >= 1 {
			t.Fatalf("random() = %v, want at least 0 and less than 1", r)
		}
		varies = varies || r != first
	}
	if !varies {
		t.Error("random() always returns the same number")
	}
}

func TestSystemClock(t *testing.T) {
	t.Parallel()
	clock := Policy{}.clock()
	before := clock.Now()
	if err := clock.Sleep(t.Context(), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if slept := clock.Now().Sub(before); slept < time.Millisecond {
		t.Errorf("Sleep returned after %s, want at least 1 ms", slept)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := clock.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("Sleep = %v, want context.Canceled", err)
	}
}
