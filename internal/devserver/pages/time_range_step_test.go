package pages

import (
	"testing"
	"time"
)

// TestStepOf checks the longest range of each step.
func TestStepOf(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for span, want := range map[time.Duration]time.Duration{
		15 * time.Minute: time.Minute, time.Hour: 5 * time.Minute, 12 * time.Hour: 15 * time.Minute, 12*time.Hour + 1: 30 * time.Minute,
		day: 30 * time.Minute, 2 * day: time.Hour, 6 * day: 3 * time.Hour, 24 * day: 12 * time.Hour, 24*day + 1: day, 96 * day: 2 * day,
	} {
		if got := stepOf(span); got != want {
			t.Errorf("step of %s = %s, want %s", span, got, want)
		}
	}
}
