package web

import (
	"math"
	"strconv"
)

// comparedFigure is a figure of a period beside that of the period before, or of one thing beside that of another.
type comparedFigure struct {
	Label, Now string
	// Before is the figure of the period before, and Change how much it has grown since; empty if there was nothing.
	Before, Change string
	// Spark is the path of a small line of the figure over time.
	Spark string
}

// Differs reports whether both are different.
func (f comparedFigure) Differs() bool { return f.Now != f.Before }

// labelled are the figures of a group in a table, and behind them those that only a project as a whole has.
var labelled = []struct {
	label string
	series
}{
	{"", runCount}, {"Errors", errorRate}, {"Tokens", tokens}, {"Cost", costs}, {"Latency p50", latency}, {"Latency p95", latency95},
	{"Latency p99", latency99}, {"First token p50", firstTokens}, {"First token p95", firstToken95}, {"First token p99", firstToken99},
}

// ofGroup is how many of labelled a group has in a table.
const ofGroup = 8

// compareAll compares the figures of two periods.
func compareAll(counted string, now, then Figures) (all []comparedFigure) {
	for _, one := range labelled {
		figure := comparedFigure{Label: one.label, Now: one.text(now)}
		if figure.Label == "" {
			figure.Label = counted
		}
		if before := one.number(then); then.Runs > 0 && !math.IsNaN(before) {
			figure.Before, figure.Change = one.text(then), change(before, one.number(now), one.label == "Errors")
		}
		all = append(all, figure)
	}
	return all
}

// compareGroup is compareAll for a table.
func compareGroup(now, before Figures) []comparedFigure { return compareAll("", now, before)[:ofGroup] }

// change describes how much a number has grown. A rate has grown by points.
func change(before, now float64, rate bool) string {
	difference, unit := now-before, " %"
	switch {
	case math.IsNaN(now):
		return ""
	case difference == 0:
		return "the same"
	case rate:
		unit = " points"
	case before == 0:
		return ""
	default:
		difference *= 100 / before
	}
	digits := 0
	if math.Abs(difference) < 10 {
		digits = 1
	}
	text := strconv.FormatFloat(difference, 'f', digits, 64)
	if difference > 0 {
		text = "+" + text
	}
	return text + unit
}
