package web

import (
	"cmp"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web/chart"
)

// figuresPart is the data for the template of figures.
type figuresPart struct {
	FiguresView

	Tiles  []comparedFigure
	Charts []chartPanel
}

// chartPanel is a chart and its numbers.
type chartPanel struct {
	ID, Title string
	SVG       template.HTML
	// Series are the names of the lines or bars, which are also the table's headings.
	Series []string
	Rows   []chartRow
}

type chartRow struct {
	Start  time.Time
	Values []string
	URL    string
}

// series is a figure over time: a number to draw and its text for the table.
type series struct {
	name   string
	number func(Figures) float64
	text   func(Figures) string
}

// panel describes a chart: some series of the whole project, or one for each group.
type panel struct {
	id, title   string
	format      func(float64) string
	bars, whole bool
	series      []series
	grouped     series
}

var (
	runCount = ofCount("", func(f Figures) int64 { return f.Runs })
	// Errors are drawn as a share of the runs, on whose number they depend.
	errorRate = series{"errors", func(f Figures) float64 {
		rate, known := f.ErrorRate()
		if !known {
			return math.NaN()
		}
		return 100 * rate
	}, func(f Figures) string {
		if f.Errors == 0 {
			return "0"
		}
		return count(f.Errors) + " (" + f.ErrorPercent() + ")"
	}}
	tokens = ofCount("tokens", func(f Figures) int64 { return f.TotalTokens })
	costs  = series{"cost", func(f Figures) float64 {
		amount, err := strconv.ParseFloat(f.TotalCost, 64)
		if err != nil {
			return math.NaN()
		}
		return amount
	}, func(f Figures) string { return cost(f.TotalCost) }}
	latency      = ofDuration("p50", func(f Figures) *time.Duration { return f.LatencyP50 })
	latency95    = ofDuration("p95", func(f Figures) *time.Duration { return f.LatencyP95 })
	latency99    = ofDuration("p99", func(f Figures) *time.Duration { return f.LatencyP99 })
	firstTokens  = ofDuration("p50", func(f Figures) *time.Duration { return f.FirstTokenP50 })
	firstToken95 = ofDuration("p95", func(f Figures) *time.Duration { return f.FirstTokenP95 })
	firstToken99 = ofDuration("p99", func(f Figures) *time.Duration { return f.FirstTokenP99 })
)

var panels = []panel{
	{"runs", "", countOf, true, true, []series{runCount}, runCount},
	{"errors", "Errors", percent, false, false, []series{errorRate}, errorRate},
	{"tokens", "Tokens", shortCount, true, true, []series{
		ofCount("prompt", func(f Figures) int64 { return f.PromptTokens }),
		ofCount("completion", func(f Figures) int64 { return f.CompletionTokens }),
	}, tokens},
	{"cost", "Cost in US dollars", dollars, true, false, []series{costs}, costs},
	{"latency", "Latency", seconds, false, false, []series{latency, latency95, latency99}, latency},
	{"first-token", "Time to first token", seconds, false, false, []series{firstTokens, firstToken95, firstToken99}, firstTokens},
}

// maxSeries is the number of groups in a chart: more can't be distinguished.
const maxSeries = 4

// numbers are those of some points in time.
func (s series) numbers(points []Figures) []float64 {
	all := make([]float64, len(points))
	for i, f := range points {
		all[i] = s.number(f)
	}
	return all
}

func ofCount(name string, of func(Figures) int64) series {
	return series{name, func(f Figures) float64 { return float64(of(f)) }, func(f Figures) string { return count(of(f)) }}
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

// shortCount formats a count for a scale, which has round numbers, to leave space for the drawing.
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

func percent(v float64) string { return shortNumber(v) + " %" }

// shortNumber formats a number of a scale without rounding errors.
func shortNumber(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		rounded = v
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func newFiguresPart(v *FiguresView) figuresPart {
	part := figuresPart{FiguresView: *v, Tiles: compareAll(v.Counted, v.All.Figures, v.All.Before)}
	for i := range part.Tiles {
		part.Tiles[i].Spark = chart.Spark(labelled[i].numbers(v.All.Points))
	}
	if len(v.All.Points) == 0 || v.GroupedBy != "" && len(v.Groups) == 0 {
		return part
	}
	counted := v.Counted
	if len(v.Columns) > 1 {
		counted = v.Columns[1].Label
	}
	var marks []chart.Mark
	for _, r := range v.Rollouts {
		marks = append(marks, chart.Mark{At: r.At, Label: "revision " + short(8, r.RevisionID) + " deployed, " + r.Reference})
	}
	for _, p := range panels {
		shown := chartPanel{ID: p.id, Title: p.title, Rows: make([]chartRow, len(v.All.Points))}
		if p.id == "runs" {
			shown.Title = counted
		}
		drawing := chart.Chart{Title: shown.Title, Format: p.format, Start: v.Start, Step: v.Step, Bars: p.bars, Whole: p.whole, Marks: marks}
		for i := range v.All.Points {
			shown.Rows[i].Start = v.Start.Add(time.Duration(i) * v.Step)
			if i < len(v.PointURLs) {
				shown.Rows[i].URL = local(v.PointURLs[i])
				drawing.Links = append(drawing.Links, shown.Rows[i].URL)
			}
		}
		add := func(name string, s series, points []Figures) {
			for i := range v.All.Points {
				shown.Rows[i].Values = append(shown.Rows[i].Values, s.text(points[i]))
			}
			drawing.Series = append(drawing.Series, chart.Series{Name: name, Values: s.numbers(points)})
			shown.Series = append(shown.Series, name)
		}
		if v.GroupedBy == "" {
			for _, s := range p.series {
				add(cmp.Or(s.name, strings.ToLower(counted)), s, v.All.Points)
			}
		}
		for _, group := range v.Groups[:min(len(v.Groups), maxSeries)] {
			add(short(40, group.Name), p.grouped, group.Points)
		}
		shown.SVG = drawing.SVG()
		part.Charts = append(part.Charts, shown)
	}
	return part
}
