package chart

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"
)

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		largest float64
		whole   bool
		want    []float64
	}{
		{0, false, []float64{0, 0.25, 0.5, 0.75, 1}},
		{math.NaN(), false, []float64{0, 0.25, 0.5, 0.75, 1}},
		{1, false, []float64{0, 0.25, 0.5, 0.75, 1}},
		{1, true, []float64{0, 1}},
		{3, true, []float64{0, 1, 2, 3}},
		{9, true, []float64{0, 3, 6, 9}},
		{7, false, []float64{0, 2, 4, 6, 8}},
		{100, false, []float64{0, 25, 50, 75, 100}},
		{0.0003, false, []float64{0, 0.0001, 0.0002, 0.00030000000000000003}},
	} {
		t.Run(fmt.Sprint(tc.largest, tc.whole), func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, ticks(tc.largest, tc.whole)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTicksReach checks that scales have few ticks and reach the largest value, for all magnitudes of float64.
func TestTicksReach(t *testing.T) {
	t.Parallel()
	reaches := func(v float64, whole bool) bool {
		v = math.Abs(v)
		all := ticks(v, whole)
		last := all[len(all)-1]
		return len(all) >= 2 && len(all) <= 6 && last >= min(v, largestScale) && !math.IsInf(last, 0) && slices.IsSorted(all)
	}
	if err := quick.Check(reaches, nil); err != nil {
		t.Error(err)
	}
	for _, v := range []float64{math.SmallestNonzeroFloat64, math.MaxFloat64, math.Inf(1)} {
		if !reaches(v, false) {
			t.Errorf("ticks(%v) = %v, want few that reach the value", v, ticks(v, false))
		}
	}
}
