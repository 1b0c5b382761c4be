package web

import (
	"math"
	"strconv"
)

// comparedFigure is a figure of a period beside that of the period before.
type comparedFigure struct {
	Label, Now, Before, Change string
}

// newComparedFigures compares two periods; nil without the one before.
func newComparedFigures(now Figures, before *Figures) []comparedFigure {
	if before == nil {
		return nil
	}
	var all []comparedFigure
	for _, one := range []struct {
		label string
		series
	}{
		{"Traces", traces}, {"Errors", errorCount}, {"Error rate", errorRate}, {"Tokens", tokens}, {"Cost", costs},
		{"Latency p50", latency}, {"Latency p95", latency95}, {"Latency p99", latency99},
		{"First token p50", firstTokens}, {"First token p95", firstToken95}, {"First token p99", firstToken99},
	} {
		all = append(all, comparedFigure{one.label, one.text(now), one.text(*before), change(one.number(*before), one.number(now))})
	}
	return all
}

// change describes how much a number has grown.
func change(before, now float64) string {
	switch {
	case math.IsNaN(before) || math.IsNaN(now):
		return unknown
	case before == now:
		return "same"
	case before == 0:
		return "new"
	}
	percent := 100 * (now - before) / before
	text := strconv.FormatFloat(percent, 'f', 0, 64)
	if math.Abs(percent) < 10 {
		text = strconv.FormatFloat(percent, 'f', 1, 64)
	}
	if percent > 0 {
		text = "+" + text
	}
	return text + " %"
}
