package poll

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy  Policy
		elapsed time.Duration
		random  float64
		want    time.Duration
	}{
		"at the start":        {Policy{}, 0, 0.5, 500 * time.Millisecond},
		"until 10 s":          {Policy{}, 10 * time.Second, 0.5, 500 * time.Millisecond},
		"a share after that":  {Policy{}, time.Minute, 0.5, 3 * time.Second},
		"up to five minutes":  {Policy{}, 5 * time.Minute, 0.5, 15 * time.Second},
		"and no more":         {Policy{}, time.Hour, 0.5, 15 * time.Second},
		"a clock that jumped": {Policy{}, -time.Hour, 0.5, 500 * time.Millisecond},
		"another maximum":     {Policy{Max: 2 * time.Second}, time.Hour, 0.5, 2 * time.Second},
		"least":               {Policy{}, time.Minute, 0, 2700 * time.Millisecond},
		"most":                {Policy{}, time.Minute, 1, 3300 * time.Millisecond},
		"other jitter":        {Policy{Jitter: 0.5}, time.Minute, 0, 1500 * time.Millisecond},
		"no jitter":           {Policy{Jitter: -1}, time.Minute, 0, 3 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.policy.pause(test.elapsed, test.random); got.Round(time.Microsecond) != test.want {
				t.Errorf("pause = %s, want %s", got, test.want)
			}
		})
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
