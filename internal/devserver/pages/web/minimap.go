package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// mapColumns and mapRows are the numbers of cells of a map of a trace: over the time, and by the depth of runs.
	mapColumns = 240
	mapRows    = 10
	// mapParts is the number of links to parts of the time.
	mapParts = 12
	// minMapped is the number of runs from which a trace has a map.
	minMapped = 30
)

// minimap is a small drawing of a whole trace, whose parts link to the tree of that time. A trace with few runs has none.
type minimap struct {
	// Good and Bad are the outlines of all runs and of the failed ones.
	Good, Bad string
	// X and Width are the part that is shown; empty if that is all.
	X, Width string
	Parts    []mapPart
	// AllURL shows the whole time, and ChosenURL that of the selected run; empty if it is shown.
	AllURL, ChosenURL string
	// Length is the time of the trace in milliseconds.
	Length int64
}

// mapPart is a link to a part of the time.
type mapPart struct{ Label, URL string }

func newMinimap(v TraceView, s span) minimap {
	length := s.last.Sub(s.begin)
	var m minimap
	if v.Totals.Runs < minMapped || length < time.Millisecond*mapParts {
		return m
	}
	m.Length = length.Milliseconds()
	m.draw(v.Roots, s)
	zoom := func(from, to time.Duration) string {
		return s.at.tree("zoom", fmt.Sprintf("%d-%d", from.Milliseconds(), to.Milliseconds()))
	}
	for i := range mapParts {
		from, to := partOf(length, i), partOf(length, i+1)
		m.Parts = append(m.Parts, mapPart{duration(&from) + " to " + duration(&to), zoom(from, to)})
	}
	if v.Zoom != nil {
		m.AllURL = s.at.tree("zoom", "")
		column := func(d time.Duration) float64 { return mapColumns * float64(min(d, length)) / float64(length) }
		m.X, m.Width = coordinate(column(v.Zoom.From)), coordinate(max(1, column(v.Zoom.To)-column(v.Zoom.From)))
	}
	chosen := v.Run.Run
	if from := chosen.StartTime.Sub(s.begin); chosen.Latency != nil && *chosen.Latency >= time.Millisecond && *chosen.Latency < length && from >= 0 {
		m.ChosenURL = zoom(from, from+*chosen.Latency+time.Millisecond)
	}
	return m
}

// partOf returns the time at which a part of the map begins.
func partOf(length time.Duration, part int) time.Duration {
	return time.Duration(int64(length) * int64(part) / mapParts)
}

// draw fills the cells of the map in which runs are in progress.
func (m *minimap) draw(roots []TraceNode, s span) {
	var good, bad [mapRows][mapColumns]bool
	length := float64(s.last.Sub(s.begin))
	column := func(at time.Time) int {
		return max(0, min(mapColumns-1, int(mapColumns*float64(at.Sub(s.begin))/length)))
	}
	var walk func(nodes []TraceNode, row int)
	walk = func(nodes []TraceNode, row int) {
		for _, n := range nodes {
			if known(n.StartTime) {
				end := s.last
				if n.Latency != nil {
					end = endOf(n)
				}
				cells := &good[row]
				if n.Failed() {
					cells = &bad[row]
				}
				for i := column(n.StartTime); i <= column(end); i++ {
					cells[i] = true
				}
			}
			walk(n.Children, min(row+1, mapRows-1))
		}
	}
	walk(roots, 0)
	m.Good, m.Bad = outline(&good), outline(&bad)
}

// outline returns the path of a drawing around cells.
func outline(cells *[mapRows][mapColumns]bool) string {
	var path strings.Builder
	for row := range cells {
		for from := 0; from < mapColumns; from++ {
			if !cells[row][from] {
				continue
			}
			to := from
			for to < mapColumns && cells[row][to] {
				to++
			}
			length := strconv.Itoa(to - from)
			path.WriteString("M" + strconv.Itoa(from) + " " + strconv.Itoa(row) + "h" + length + "v.8h-" + length + "z")
			from = to
		}
	}
	return path.String()
}
