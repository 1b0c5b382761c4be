package main

import (
	"math"
	"slices"
	"time"
)

// point is the time for an amount of something.
type point struct {
	amount int
	took   time.Duration
}

// growth returns the exponent with which time grows from one point to another: the slope between them on logarithmic axes.
// At 1, twice the amount takes twice as long; at 2, four times. It is NaN if there is no slope.
func growth(from, to point) float64 {
	if from.took <= 0 || to.took <= 0 || from.amount <= 0 || from.amount >= to.amount {
		return math.NaN()
	}
	return math.Log(float64(to.took)/float64(from.took)) / math.Log(float64(to.amount)/float64(from.amount))
}

// ratio is NaN if there is nothing to divide by.
func ratio(a, b time.Duration) float64 {
	if b <= 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// median returns the middle of the values, or zero of none.
func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
