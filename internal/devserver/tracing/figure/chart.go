package figure

import "time"

// Starts returns the start times of steps of the same length. The last one may be cut short and, if the range doesn't start with a quarter
// of an hour, the first one, too: figures are rolled up by quarters.
func Starts(from, to time.Time, step time.Duration) (all []time.Time) {
	for at := from; at.Before(to); at = FirstStep(at, step).Add(step) {
		all = append(all, at)
	}
	return all
}

// FirstStep is when the step with which a range begins would begin if it weren't cut short.
func FirstStep(from time.Time, step time.Duration) time.Time {
	const quarter = 15 * time.Minute
	if step%quarter != 0 {
		return from
	}
	return from.Truncate(quarter)
}
