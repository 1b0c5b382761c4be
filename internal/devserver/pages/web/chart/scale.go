package chart

import "math"

// The largest and the smallest maximum of a scale: beyond them, a step could not be distinguished from 0, or the last mark
// from infinity.
const (
	smallestScale = 1e-300
	largestScale  = 1e300
)

// ticks returns round values from 0 to at least the largest one.
func ticks(largest float64, whole bool) []float64 {
	if !(largest > 0) { // Or if it is NaN.
		largest = 1
	}
	largest = min(max(largest, smallestScale), largestScale)
	step := roundUp(largest / verticalSteps)
	if whole {
		step = math.Ceil(step)
	}
	all := []float64{0}
	for i := 1; all[i-1] < largest; i++ {
		// Multiplied rather than added, so that errors don't add up.
		all = append(all, float64(i)*step)
	}
	return all
}

// roundUp returns the next of 1, 2, 2.5, 5 or 10 times a power of ten.
func roundUp(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, factor := range []float64{1, 2, 2.5, 5} {
		if factor*power >= step {
			return factor * power
		}
	}
	return 10 * power
}
