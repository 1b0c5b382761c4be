package web

import (
	"math"
	"strconv"
	"time"
)

const (
	// barWidth is how wide the drawing of a bar is, in units of its own: all of the trace.
	barWidth = 1000
	// barLeast is the width of what takes no time, so that it can be seen.
	barLeast = 4
	// maxLevels bounds how deep lists lie in each other, which browsers and readers bound as well. What lies deeper is
	// listed on the last level.
	maxLevels = 24
)

// tracePage is what the template of a trace shows.
type tracePage struct {
	TraceView
	// Name is that of the root run.
	Name  string
	Nodes []traceNode
}

// traceNode is a run with its bar.
type traceNode struct {
	RunSummary
	Paths Paths
	// Level counts from 1. Deep says that it is deeper than lists are.
	Level int
	Deep  bool
	// Offset is from the start of the trace.
	Offset time.Duration
	// X and Width are the bar, FirstToken a mark on it: empty where there is none.
	X, Width, Mark string
	Children       []traceNode
}

func newTracePage(v TraceView) tracePage {
	p := tracePage{TraceView: v, Name: v.ID}
	if len(v.Roots) > 0 && v.Roots[0].Name != "" {
		p.Name = v.Roots[0].Name
	}
	var s span
	s.include(v.Roots)
	s.add(&p.Nodes, v.Roots, v.Paths(), 1)
	return p
}

// span is the time of a whole trace.
type span struct{ start, end time.Time }

func (s *span) include(nodes []TraceNode) {
	for _, n := range nodes {
		if known(n.StartTime) {
			end := n.StartTime
			if n.Latency != nil {
				end = end.Add(*n.Latency)
			}
			if !known(s.start) || n.StartTime.Before(s.start) {
				s.start = n.StartTime
			}
			if end.After(s.end) {
				s.end = end
			}
		}
		s.include(n.Children)
	}
}

// add adds nodes of a level to a list, and those below them to lists below, or to the same one on the last level.
func (s *span) add(list *[]traceNode, nodes []TraceNode, paths Paths, level int) {
	for _, n := range nodes {
		*list = append(*list, s.node(n, paths, level))
		below := list
		if level < maxLevels {
			below = &(*list)[len(*list)-1].Children
		}
		s.add(below, n.Children, paths, level+1)
	}
}

// node is a run without those below it. One that is pending lasts to the end of what is known.
func (s *span) node(n TraceNode, paths Paths, level int) traceNode {
	node := traceNode{RunSummary: n.RunSummary, Paths: paths, Level: level, Deep: level > maxLevels}
	if !known(n.StartTime) {
		return node
	}
	node.Offset = n.StartTime.Sub(s.start)
	length := s.end.Sub(n.StartTime)
	if n.Latency != nil {
		length = max(0, *n.Latency)
	}
	wide := max(barLeast, s.wide(length))
	x := min(s.wide(node.Offset), barWidth-barLeast)
	node.X, node.Width = coordinate(x), coordinate(min(wide, barWidth-x))
	if n.FirstToken != nil {
		node.Mark = coordinate(min(barWidth, s.wide(node.Offset+*n.FirstToken)))
	}
	return node
}

// wide is how much of the drawing a time takes. Everything in a trace that takes no time takes all of it.
func (s *span) wide(d time.Duration) float64 {
	whole := s.end.Sub(s.start)
	if whole <= 0 {
		return 0
	}
	return max(0, barWidth*float64(d)/float64(whole))
}

func coordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }
