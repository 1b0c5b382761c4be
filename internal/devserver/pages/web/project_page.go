package web

import (
	"html/template"
	"math"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web/chart"
)

// projectPage is what the template of a project shows.
type projectPage struct {
	ProjectView
	// RangeLabel is the span of time that everything on the page is of.
	RangeLabel string
	Charts     []chartPanel
}

// chartPanel is a chart and its numbers.
type chartPanel struct {
	ID, Title string
	SVG       template.HTML
	// Series are the names of the lines or bars, and the heads of the table's columns.
	Series []string
	Rows   []chartRow
}

type chartRow struct {
	Start  time.Time
	Values []string
}

// series is a figure over time: a number to draw and the text for the table.
type series struct {
	name   string
	number func(Figures) float64
	text   func(Figures) string
}

// panel is what a chart shows.
type panel struct {
	id, title   string
	format      func(float64) string
	bars, whole bool
	series      []series
}

var panels = []panel{
	{"runs", "Traces", countOf, true, true, []series{ofCount("traces", func(f Figures) int64 { return f.Runs })}},
	{"errors", "Errors", countOf, true, true, []series{ofCount("errors", func(f Figures) int64 { return f.Errors })}},
	{"tokens", "Tokens", shortCount, true, true, []series{
		ofCount("prompt", func(f Figures) int64 { return f.PromptTokens }),
		ofCount("completion", func(f Figures) int64 { return f.CompletionTokens }),
	}},
	{"cost", "Cost in US dollars", dollars, true, false, []series{ofCost("cost", func(f Figures) string { return f.TotalCost })}},
	{"latency", "Latency", seconds, false, false, []series{
		ofDuration("p50", func(f Figures) *time.Duration { return f.LatencyP50 }),
		ofDuration("p99", func(f Figures) *time.Duration { return f.LatencyP99 }),
	}},
	{"first-token", "Time to first token", seconds, false, false, []series{
		ofDuration("p50", func(f Figures) *time.Duration { return f.FirstTokenP50 }),
		ofDuration("p99", func(f Figures) *time.Duration { return f.FirstTokenP99 }),
	}},
}

func ofCount(name string, of func(Figures) int64) series {
	return series{name, func(f Figures) float64 { return float64(of(f)) }, func(f Figures) string { return count(of(f)) }}
}

func ofCost(name string, of func(Figures) string) series {
	return series{name, func(f Figures) float64 {
		amount, err := strconv.ParseFloat(of(f), 64)
		if err != nil {
			return math.NaN()
		}
		return amount
	}, func(f Figures) string { return cost(of(f)) }}
}

func ofDuration(name string, of func(Figures) *time.Duration) series {
	return series{name, func(f Figures) float64 {
		d := of(f)
		if d == nil {
			return math.NaN()
		}
		return d.Seconds()
	}, func(f Figures) string { return duration(of(f)) }}
}

func countOf(v float64) string { return count(int64(v)) }

// shortCount leaves room for the drawing: a scale has round numbers.
func shortCount(v float64) string {
	switch {
	case v >= 1e6:
		return shortNumber(v/1e6) + " M"
	case v >= 1e4:
		return shortNumber(v/1e3) + " k"
	}
	return countOf(v)
}

func dollars(v float64) string { return "$" + shortNumber(v) }

func seconds(v float64) string { return shortNumber(v) + " s" }

// shortNumber is a number of a scale without what adding and multiplying have left at its end.
func shortNumber(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		rounded = v
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func newProjectPage(v ProjectView) projectPage {
	page := projectPage{ProjectView: v, RangeLabel: "all time"}
	for _, r := range v.Ranges {
		if r.Current {
			page.RangeLabel = r.Label
		}
	}
	if len(v.Points) == 0 {
		return page
	}
	for _, p := range panels {
		drawing := chart.Chart{
			Title: p.title, Format: p.format, Start: v.Start, Step: v.Step, Bars: p.bars, Whole: p.whole,
		}
		shown := chartPanel{ID: p.id, Title: p.title, Rows: make([]chartRow, len(v.Points))}
		for i := range v.Points {
			shown.Rows[i].Start = v.Start.Add(time.Duration(i) * v.Step)
		}
		for _, s := range p.series {
			line := chart.Series{Name: s.name}
			for i, point := range v.Points {
				line.Values = append(line.Values, s.number(point))
				shown.Rows[i].Values = append(shown.Rows[i].Values, s.text(point))
			}
			drawing.Series = append(drawing.Series, line)
			shown.Series = append(shown.Series, s.name)
		}
		shown.SVG = drawing.SVG()
		page.Charts = append(page.Charts, shown)
	}
	return page
}
