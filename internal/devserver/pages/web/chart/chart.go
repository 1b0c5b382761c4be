package chart

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
)

// Series is a line of a chart, or its bars.
type Series struct {
	Name string
	// Values are those of the points in time, from the first; NaN if there is none, which interrupts the line.
	Values []float64
}

// Chart is a chart to draw. All series share the same points in time.
type Chart struct {
	Title string
	// Format formats a value, with its unit; nil formats the bare number.
	Format func(float64) string
	Start  time.Time
	Step   time.Duration
	Series []Series
	Bars   bool
	// Whole says that values are counts: the scale has no marks between two of them.
	Whole bool
	// Marks are drawn across the chart, such as rollouts.
	Marks []Mark
	// Links are where the points in time lead; those without one lead nowhere.
	Links []string
}

// Mark is a time at which something has happened.
type Mark struct {
	At    time.Time
	Label string
}

// The drawing, in its own units: its width depends on the page. It is drawn small, so that its text remains readable when a
// phone shrinks it.
const (
	width, height               = 360, 180
	left, right, top, bottom    = 72, 8, 10, 24
	plotWidth, plotHeight       = width - left - right, height - top - bottom
	verticalSteps, labelsInTime = 4, 4
)

// SVG returns the drawing. Colours are those of the classes series-0, series-1 and so on.
func (c Chart) SVG() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" role="group"><title>%s</title>`, width, height,
		template.HTMLEscapeString(c.Title+": "+c.Summary()))
	marks := ticks(c.largest(), c.Whole)
	most := marks[len(marks)-1]
	for _, mark := range marks {
		y := c.y(mark, most)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%s" y2="%s"/>`, left, width-right, y, y)
		fmt.Fprintf(&b, `<text class="tick" x="%d" y="%s" text-anchor="end" dominant-baseline="middle">%s</text>`, left-6, y,
			template.HTMLEscapeString(c.format(mark)))
	}
	c.times(&b)
	for i, s := range c.Series {
		if c.Bars {
			c.bars(&b, i, s, most)
		} else {
			c.line(&b, i, s, most)
		}
	}
	c.targets(&b)
	c.marks(&b)
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // Everything else was escaped above.
}

// Summary describes the range of each series.
func (c Chart) Summary() string {
	if len(c.Series) == 0 {
		return "nothing to show"
	}
	parts := make([]string, len(c.Series))
	for i, s := range c.Series {
		low, high, some := s.bounds()
		switch {
		case !some:
			parts[i] = s.Name + " has no values"
		case low == high:
			parts[i] = s.Name + " is " + c.format(low)
		default:
			parts[i] = s.Name + " from " + c.format(low) + " to " + c.format(high)
		}
	}
	return strings.Join(parts, "; ")
}

func (c Chart) format(v float64) string {
	if c.Format == nil {
		return number(v)
	}
	return c.Format(v)
}

// drawn reports whether there is a value to draw: infinity has no place on a scale.
func drawn(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func (s Series) bounds() (low, high float64, some bool) {
	for _, v := range s.Values {
		if !drawn(v) {
			continue
		}
		if !some || v < low {
			low = v
		}
		if !some || v > high {
			high = v
		}
		some = true
	}
	return low, high, some
}

func (c Chart) largest() float64 {
	var most float64
	for _, s := range c.Series {
		_, high, _ := s.bounds()
		most = max(most, high)
	}
	return most
}

func (c Chart) points() int {
	n := 0
	for _, s := range c.Series {
		n = max(n, len(s.Values))
	}
	return n
}

// x returns the middle of the column of a point.
func (c Chart) x(i int) float64 {
	return left + plotWidth*(float64(i)+0.5)/float64(max(1, c.points()))
}

// y returns the position of a value; negative values are drawn at zero.
func (c Chart) y(value, most float64) string {
	return number(top + plotHeight*(1-max(0, value)/most))
}

// number formats a coordinate, to a hundredth.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// marks draws lines, each with a triangle at its top that says what it is.
func (c Chart) marks(b *strings.Builder) {
	length := time.Duration(max(1, c.points())) * c.Step
	for _, mark := range c.Marks {
		if mark.At.Before(c.Start) || mark.At.After(c.Start.Add(length)) {
			continue
		}
		x := left + plotWidth*float64(mark.At.Sub(c.Start))/float64(length)
		fmt.Fprintf(b, `<g class="event"><title data-at="%s">%s, %s</title><path d="M%s %dl-5 -9h10zV%d"/></g>`, mark.At.UTC().Format(time.RFC3339),
			mark.At.Format("Jan 2 15:04 MST"), template.HTMLEscapeString(mark.Label), number(x), top, top+plotHeight)
	}
}

// Spark returns the path of a line in a drawing of 100 by 24, without a scale; empty if there is nothing to compare.
func Spark(values []float64) string {
	_, high, _ := Series{Values: values}.bounds()
	var path strings.Builder
	command := "M"
	for i, v := range values {
		if high <= 0 || !drawn(v) {
			command = "M"
			continue
		}
		path.WriteString(command + number(100*float64(i)/float64(max(1, len(values)-1))) + " " + number(1+22*(1-v/high)))
		command = "L"
	}
	return path.String()
}

// times labels some points: with the time of day, or with the day if they span more than two days. Labels are equally far apart.
func (c Chart) times(b *strings.Builder) {
	n := c.points()
	layout, perDay := "15:04", 1
	if time.Duration(n)*c.Step > 48*time.Hour {
		layout = "Jan 2"
		perDay = max(1, int(24*time.Hour/c.Step))
	}
	every := max(1, (n+labelsInTime-1)/labelsInTime)
	every = (every + perDay - 1) / perDay * perDay
	for i := 0; i < n; i += every {
		at := c.Start.Add(time.Duration(i) * c.Step)
		fmt.Fprintf(b, `<text class="tick" x="%s" y="%d" text-anchor="middle" data-at="%s">%s</text>`, number(c.x(i)), height-6,
			at.UTC().Format(time.RFC3339), at.Format(layout))
	}
}

// targets draws what a pointer hits: the column of each point, which says its values and leads to it. A keyboard reaches the same in the
// table below a chart.
func (c Chart) targets(b *strings.Builder) {
	column := plotWidth / float64(max(1, c.points()))
	for i := range c.points() {
		at := c.Start.Add(time.Duration(i) * c.Step)
		said := []string{at.Format("Jan 2 15:04 MST")}
		for _, s := range c.Series {
			if i < len(s.Values) && drawn(s.Values[i]) {
				said = append(said, s.Name+" "+c.format(s.Values[i]))
			}
		}
		target := fmt.Sprintf(`<title data-at=%q>%s</title><rect class="hit" x=%q y="%d" width=%q height="%d"/>`,
			at.UTC().Format(time.RFC3339), template.HTMLEscapeString(strings.Join(said, ", ")),
			number(c.x(i)-column/2), top, number(column), plotHeight)
		if i < len(c.Links) && c.Links[i] != "" {
			target = fmt.Sprintf(`<a href="%s#runs" tabindex="-1">%s</a>`, template.HTMLEscapeString(c.Links[i]), target)
		} else {
			target = "<g>" + target + "</g>"
		}
		b.WriteString(target)
	}
}

// line draws the runs of values between gaps. A single value is a dot.
func (c Chart) line(b *strings.Builder, index int, s Series, most float64) {
	var path strings.Builder
	for i, v := range s.Values {
		if !drawn(v) {
			continue
		}
		x, y := number(c.x(i)), c.y(v, most)
		follows := i > 0 && drawn(s.Values[i-1])
		leads := i+1 < len(s.Values) && drawn(s.Values[i+1])
		switch {
		case follows:
			path.WriteString("L" + x + " " + y)
		case leads:
			path.WriteString("M" + x + " " + y)
		default:
			fmt.Fprintf(b, `<circle class="series-%d" cx="%s" cy="%s" r="2.5"/>`, index, x, y)
		}
	}
	if path.Len() > 0 {
		fmt.Fprintf(b, `<path class="series-%d" d="%s"/>`, index, path.String())
	}
}

// bars draws them side by side, one for each series.
func (c Chart) bars(b *strings.Builder, index int, s Series, most float64) {
	column := plotWidth / float64(max(1, c.points()))
	wide := column * 0.8 / float64(len(c.Series))
	for i, v := range s.Values {
		if !drawn(v) || v <= 0 {
			continue
		}
		tall := plotHeight * v / most
		fmt.Fprintf(b, `<rect class="series-%d" x="%s" y="%s" width="%s" height="%s"/>`, index,
			number(c.x(i)-column*0.4+wide*float64(index)), number(top+plotHeight-tall), number(wide), number(tall))
	}
}
