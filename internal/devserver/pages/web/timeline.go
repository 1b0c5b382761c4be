package web

import (
	"strings"
	"time"
)

// stateBar is the share of a rollout's time spent in a state.
type stateBar struct {
	// Kind selects the colour: waiting, building, deploying, failed or other.
	Kind     string
	X, Width string
}

// stateKind classifies the states of a rollout.
func stateKind(status string) string {
	switch {
	case newStatus(status).Kind == "bad":
		return "failed"
	case status == "QUEUED", status == "CREATING", strings.HasPrefix(status, "AWAITING"):
		return "waiting"
	case status == "BUILDING":
		return "building"
	case status == "DEPLOYING":
		return "deploying"
	default:
		return "other"
	}
}

// newStateBars returns the bars of the states in order. States that took no time have no bar, and without any time there is
// no drawing.
func newStateBars(states []RevisionState) []stateBar {
	var whole time.Duration
	for _, s := range states {
		whole += lasted(s)
	}
	if whole <= 0 {
		return nil
	}
	var bars []stateBar
	var passed time.Duration
	wide := func(d time.Duration) string { return coordinate(barWidth * float64(d) / float64(whole)) }
	for _, s := range states {
		if took := lasted(s); took > 0 {
			bars = append(bars, stateBar{stateKind(s.Status), wide(passed), wide(took)})
			passed += took
		}
	}
	return bars
}

func lasted(s RevisionState) time.Duration {
	if s.Duration == nil {
		return 0
	}
	return max(0, *s.Duration)
}
