package figure

import (
	"math"
	"slices"
	"testing"
	"testing/quick"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		share  float64
		want   float64
	}{
		{[]float64{3}, 0.99, 3}, {[]float64{4, 1, 3, 2}, 0.5, 2.5}, {[]float64{2, 1}, 0, 1}, {[]float64{1, 2}, 1, 2},
		{[]float64{10, 20, 30, 40, 50}, 0.99, 49.6},
	} {
		if got := Percentile(test.values, test.share); math.Abs(*got-test.want) > 1e-9 {
			t.Errorf("Percentile(%v, %v) = %v, want %v", test.values, test.share, *got, test.want)
		}
	}
	if Percentile(nil, 0.5) != nil {
		t.Error("Percentile(nil, 0.5) isn't nil")
	}
}

// TestPercentileBounds checks that percentiles are within the values, increase with the share, and that the values aren't changed.
func TestPercentileBounds(t *testing.T) {
	t.Parallel()
	holds := func(values []uint16, a, b uint8) bool {
		if len(values) == 0 {
			return true
		}
		given := make([]float64, len(values))
		for i, v := range values {
			given[i] = float64(v)
		}
		before := slices.Clone(given)
		low, high := *Percentile(given, float64(min(a, b))/255), *Percentile(given, float64(max(a, b))/255)
		return low <= high && low >= slices.Min(given) && high <= slices.Max(given) && slices.Equal(before, given)
	}
	assert.Must(t, quick.Check(holds, nil))
}

// TestPercentileOfSortedValues checks that the percentile at each rank is the value of that rank, and that it is
// interpolated linearly between two ranks.
func TestPercentileOfSortedValues(t *testing.T) {
	t.Parallel()
	holds := func(values []int16, way uint8) bool {
		given := make([]float64, len(values))
		for i, v := range values {
			given[i] = float64(v)
		}
		sorted := slices.Sorted(slices.Values(given))
		part := float64(way) / 256
		for i := range len(sorted) - 1 {
			want := sorted[i]*(1-part) + sorted[i+1]*part
			if got := *Percentile(given, (float64(i)+part)/float64(len(sorted)-1)); math.Abs(got-want) > 1e-6 {
				return false
			}
		}
		return len(sorted) == 0 || *Percentile(given, 1) == sorted[len(sorted)-1]
	}
	assert.Must(t, quick.Check(holds, nil))
}
