package figure

import (
	"math"
	"slices"
)

// Percentile returns a percentile of the values, linearly interpolated as the service does. It returns nil without values,
// which need not be sorted.
func Percentile(values []float64, share float64) *float64 {
	return sortedPercentile(slices.Sorted(slices.Values(values)), share)
}

// sortedPercentile is Percentile for sorted values.
func sortedPercentile(sorted []float64, share float64) *float64 {
	if len(sorted) == 0 {
		return nil
	}
	at := share * float64(len(sorted)-1)
	below := int(math.Floor(at))
	above := min(below+1, len(sorted)-1)
	value := sorted[below] + (at-math.Floor(at))*(sorted[above]-sorted[below])
	return &value
}

// Mean returns nil without values.
func Mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	sum /= float64(len(values))
	return &sum
}

// Deviation is the sample standard deviation; nil for fewer than two values.
func Deviation(values []float64) *float64 {
	if len(values) < 2 {
		return nil
	}
	middle, sum := *Mean(values), 0.0
	for _, value := range values {
		sum += (value - middle) * (value - middle)
	}
	return new(math.Sqrt(sum / float64(len(values)-1)))
}
