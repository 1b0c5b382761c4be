package main

import (
	"math"
	"testing"
	"time"
)

func TestGrowth(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		from, to point
		want     float64
	}{
		"constant":     {point{100, time.Second}, point{500, time.Second}, 0},
		"linear":       {point{100, time.Second}, point{500, 5 * time.Second}, 1},
		"quadratic":    {point{100, time.Second}, point{500, 25 * time.Second}, 2},
		"in between":   {point{1, time.Second}, point{4, 8 * time.Second}, 1.5},
		"no time":      {point{100, 0}, point{500, time.Second}, math.NaN()},
		"same amount":  {point{100, time.Second}, point{100, time.Second}, math.NaN()},
		"not measured": {point{}, point{}, math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := growth(tc.from, tc.to)
			if math.IsNaN(tc.want) != math.IsNaN(got) || math.Abs(got-tc.want) > 1e-9 {
				t.Errorf("growth = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestRatio(t *testing.T) {
	t.Parallel()
	if got := ratio(3*time.Second, 2*time.Second); got != 1.5 {
		t.Errorf("ratio = %v, want 1.5", got)
	}
	if got := ratio(time.Second, 0); !math.IsNaN(got) {
		t.Errorf("ratio to 0 = %v, want NaN", got)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for want, values := range map[time.Duration][]time.Duration{
		0: nil, 7: {7}, 2: {3, 1, 2}, 3: {4, 3, 1, 2},
	} {
		if got := median(values); got != want {
			t.Errorf("median(%v) = %d, want %d", values, got, want)
		}
	}
}
