package web

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// comparisonPage is the data for the template of a comparison.
type comparisonPage struct {
	Frame
	Title, ProjectID, ProjectName string
	A, B                          comparedHead
	// Newest is as in FiguresView.
	Newest int64
	Rows   []comparedFigure
	Sides  []difference
}

// comparedHead is the heading of a run, or of a group.
type comparedHead struct {
	Name, URL string
	StartTime time.Time
}

// difference is the difference between the texts of both.
type difference struct {
	Label string
	Same  bool
	Lines []diffLine
	// Omitted is the number of hidden lines; Cut says that a text was too long to be compared completely.
	Omitted int
	Cut     bool
}

// diffLine is a line of the first text, of the second, or of both. Kind is removed, added, same or gap, Sign its prefix.
type diffLine struct{ Kind, Sign, Text string }

const (
	// maxDiff is how much of a text is compared, and maxDiffLines how many lines of the result are shown.
	maxDiff      = 128 << 10
	maxDiffLines = 300
	// contextLines is the number of lines around differences.
	contextLines = 3
	maxDiffLine  = 300
)

func newComparisonPage(v ComparisonView) comparisonPage {
	a, b := v.A, v.B
	head := func(run ComparedRun) comparedHead {
		return comparedHead{cmp.Or(run.Name, run.ID), v.Paths().TraceRun(run.TraceID, run.ID), run.StartTime}
	}
	p := comparisonPage{Frame: v.Frame, Title: "Two runs compared", ProjectID: v.ProjectID, ProjectName: v.ProjectName, A: head(a), B: head(b)}
	row := func(label, first, second string) {
		p.Rows = append(p.Rows, comparedFigure{Label: label, Before: first, Now: second, Change: "differs"})
	}
	row("Status", a.Status, b.Status)
	row("Model", a.Model(), b.Model())
	row("Latency", duration(a.Latency), duration(b.Latency))
	row("First token", duration(a.FirstToken), duration(b.FirstToken))
	row("Tokens", count(a.TotalTokens), count(b.TotalTokens))
	row("Cost", cost(a.TotalCost), cost(b.TotalCost))
	for _, side := range []struct {
		label         string
		first, second string
	}{
		{"Error", a.Error, b.Error}, {"Inputs", jsonLines(a.Inputs), jsonLines(b.Inputs)},
		{"Outputs", jsonLines(a.Outputs), jsonLines(b.Outputs)},
		{"Metadata", settingLines(a.Metadata), settingLines(b.Metadata)},
	} {
		if side.first != "" || side.second != "" {
			p.Sides = append(p.Sides, newDifference(side.label, side.first, side.second))
		}
	}
	return p
}

func newGroupComparisonPage(v GroupComparisonView) comparisonPage {
	head := func(g ComparedGroup) comparedHead {
		return comparedHead{Name: cmp.Or(g.Name, "(empty)"), URL: local(g.URL)}
	}
	return comparisonPage{
		Frame: v.Frame, Title: "Groups by " + v.GroupedBy + " compared, " + cmp.Or(v.RangeLabel, "all time"), ProjectID: v.ProjectID, ProjectName: v.ProjectName,
		A: head(v.A), B: head(v.B), Newest: v.Newest, Rows: compareAll(v.Counted, v.B.Figures, v.A.Figures),
	}
}

func jsonLines(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	return newJSONText(raw).Text
}

func settingLines(settings []Setting) string {
	var b strings.Builder
	for _, s := range settings {
		b.WriteString(s.Name + " = " + s.Value + "\n")
	}
	return b.String()
}

// newDifference compares two texts line by line.
func newDifference(label, first, second string) difference {
	d := difference{Label: label, Same: first == second, Cut: len(first) > maxDiff || len(second) > maxDiff}
	if d.Same {
		return d
	}
	differ := diffmatchpatch.New()
	left, right, lines := differ.DiffLinesToChars(cut(first), cut(second))
	parts := differ.DiffCharsToLines(differ.DiffMain(left, right, false), lines)
	for i, part := range parts {
		all := strings.Split(strings.TrimSuffix(part.Text, "\n"), "\n")
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			d.add("removed", "−", all)
		case diffmatchpatch.DiffInsert:
			d.add("added", "+", all)
		case diffmatchpatch.DiffEqual:
			d.addSame(all, i == 0, i == len(parts)-1)
		}
	}
	return d
}

// cut truncates a long text at the end of a line.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) > maxDiff {
		text = strings.ToValidUTF8(text[:maxDiff], "")
	}
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func (d *difference) add(kind, sign string, lines []string) {
	for _, line := range lines {
		if len(d.Lines) == maxDiffLines {
			d.Omitted++
			continue
		}
		if runes := []rune(line); len(runes) > maxDiffLine {
			line = string(runes[:maxDiffLine]) + "…"
		}
		d.Lines = append(d.Lines, diffLine{kind, sign, line})
	}
}

// addSame omits the middle of equal lines.
func (d *difference) addSame(lines []string, first, last bool) {
	before, after := contextLines, contextLines
	if first {
		before = 0
	}
	if last {
		after = 0
	}
	if len(lines) <= before+after+1 {
		d.add("same", " ", lines)
		return
	}
	d.add("same", " ", lines[:before])
	d.add("gap", "⋯", []string{count(int64(len(lines)-before-after)) + " lines are the same"})
	d.add("same", " ", lines[len(lines)-after:])
}

// ComparisonView is two runs side by side.
type ComparisonView struct {
	Frame
	// ProjectID and ProjectName are those of the first run.
	ProjectID, ProjectName string
	A, B                   ComparedRun
}

// ComparedRun is one of the two.
type ComparedRun struct {
	RunSummary
	// Inputs and Outputs are what was logged.
	Inputs, Outputs json.RawMessage
	Metadata        []Setting
}

// GroupComparisonView is two groups of a project's runs side by side.
type GroupComparisonView struct {
	Frame
	ProjectID, ProjectName string
	// RangeLabel describes the time range, GroupedBy the grouping, and Counted what is counted.
	RangeLabel, GroupedBy, Counted string
	// Newest is as in FiguresView.
	Newest int64
	A, B   ComparedGroup
}

// ComparedGroup is one of the two. URL is the list of its runs; empty if there is none.
type ComparedGroup struct {
	Name, URL string
	Figures   Figures
}
