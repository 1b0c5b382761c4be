package web

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// barWidth is the width of the drawing of a bar, for the whole trace, in its own units.
	barWidth = 1000
	// barLeast is the least width of a bar: two pixels on the narrowest screens.
	barLeast = 40
	// maxLevels limits the nesting of lists, which browsers and screen readers also limit. Deeper runs are listed on the
	// last level.
	maxLevels = 24
	// maxRows is the number of runs of a trace that are shown. Failed runs, and those on the critical path, are shown
	// first.
	maxRows = 350
)

// tracePage is the data for the template of a trace.
type tracePage struct {
	TraceView
	// Name is that of the root run.
	Name string
	// Axis are the times at the ends of all bars.
	Axis    []string
	Columns []treeColumn
	Nodes   []traceNode
	// Searched says that only some runs are shown, and Matches is their number.
	Searched bool
	Matches  int
	// Form are the parameters that the form keeps, and ClearURL is the page with all runs.
	Form     []Setting
	ClearURL string
	Groups   []groupTable
	Map      minimap
	// Omitted is the number of runs that are hidden because there are too many, Folded the number hidden because they are
	// too deep.
	Omitted, Folded int
	// Errors are those around the selected run.
	Errors errorLinks
	Chosen runPage
}

// PartParameter is the parameter of the query with which the script of a trace asks for a part of its page. ChosenPart is what depends on
// the selected run.
const (
	PartParameter = "part"
	ChosenPart    = "chosen"
)

// errorLinks link the failed runs of a trace.
type errorLinks struct {
	Count                int
	PreviousURL, NextURL string
}

// traceNode is a run with its bar, in its own row.
type traceNode struct {
	TraceNode
	// Address is the page of the trace with the run selected.
	Address string
	// Level counts from 1. Deep says that it is deeper than lists can be nested.
	Level int
	Deep  bool
	// Chosen is the run that is shown beside the tree, Critical one on the critical path where it has a choice.
	Chosen, Critical bool
	// Context is a run that is shown because of those below it.
	Context bool
	// Offset is from the start of the trace.
	Offset time.Duration
	// X and Width are the bar, FirstToken a mark on it: empty if there is none.
	X, Width, Mark string
	Children       []traceNode
}

// Indent returns a class for the indentation of the name.
func (n traceNode) Indent() string { return "level-" + strconv.Itoa(min(n.Level, maxIndent)) }

// maxIndent is the last level with its own indentation.
const maxIndent = 12

func newTracePage(v TraceView) tracePage {
	p := tracePage{TraceView: v, Name: v.ID, Chosen: newRunPage(v.Run)}
	if len(v.Roots) > 0 && v.Roots[0].Name != "" {
		p.Name = v.Roots[0].Name
	}
	v.Roots = slices.Clone(v.Roots) // The first one stays that of the trace.
	s := newSpan(v)
	p.Map, p.Folded, p.Omitted = newMinimap(v, s), s.deep, s.many
	for _, at := range []time.Duration{s.start.Sub(s.begin), s.end.Sub(s.begin)} {
		p.Axis = append(p.Axis, duration(&at))
	}
	s.add(&p.Nodes, v.Roots, 1)
	p.Errors = newErrorLinks(v, s.at)
	p.Columns, p.Groups = newTreeColumns(v, s.at), newGroupTables(v, s.at)
	p.Searched, p.ClearURL = s.search.set(), s.at.tree("only", "", "find", "", "zoom", "")
	EachNode(v.Roots, func(n *TraceNode) {
		if p.Searched && s.search.matches(*n) {
			p.Matches++
		}
	})
	p.Form = s.at.Hidden("only", "find")
	return p
}

// newSpan sorts the runs of a trace, and selects those that are shown.
func newSpan(v TraceView) span {
	s := span{at: traceAddress{picked(v.Paths().Trace(v.ID), v.Address, treeParameters)}, chosen: v.Run.Run.ID, critical: map[string]bool{}, branches: map[string]bool{}}
	s.include(v.Roots)
	if len(v.Roots) > 0 {
		s.markCritical(v.Roots[0])
	}
	if v.Order != "" {
		sortTree(v.Roots, v.Order)
	}
	s.search = treeSearch{only: v.Only, find: strings.ToLower(v.Find)}
	s.begin, s.last = s.start, s.end
	if z := v.Zoom; z != nil && s.begin.Add(z.From).Before(s.last) {
		s.start, s.end = s.begin.Add(z.From), s.begin.Add(min(z.To, s.last.Sub(s.begin)))
		s.search.from, s.search.to = s.start, s.end
	}
	s.shown, s.deep, s.many = selectRows(v.Roots, v.Depth, s)
	return s
}

// newErrorLinks finds the failed runs before and after the selected one, in the order of the tree.
func newErrorLinks(v TraceView, at traceAddress) errorLinks {
	var links errorLinks
	passed := false
	EachNode(v.Roots, func(n *TraceNode) {
		chosen := n.ID == v.Run.Run.ID
		passed = passed || chosen
		if !n.Failed() {
			return
		}
		links.Count++
		address := at.run(n.ID)
		switch {
		case chosen:
		case !passed:
			links.PreviousURL = address
		case links.NextURL == "":
			links.NextURL = address
		}
	})
	return links
}

// span is the time of a trace, and the part that is shown.
type span struct {
	at          traceAddress
	begin, last time.Time // Those of the whole trace.
	start, end  time.Time
	chosen      string
	// critical are the runs on the critical path, and branches those of them that have siblings beside it.
	critical, branches map[string]bool
	search             treeSearch
	// shown are the runs with a row; deep and many are how many have none because they are too deep, or too many.
	shown      map[string]bool
	deep, many int
}

func (s *span) include(nodes []TraceNode) {
	for _, n := range nodes {
		if known(n.StartTime) {
			if !known(s.start) || n.StartTime.Before(s.start) {
				s.start = n.StartTime
			}
			if end := endOf(n); end.After(s.end) {
				s.end = end
			}
		}
		s.include(n.Children)
	}
}

func endOf(n TraceNode) time.Time {
	if n.Latency == nil {
		return n.StartTime
	}
	return n.StartTime.Add(*n.Latency)
}

// markCritical marks the critical path: backwards from a run's end, the run that ended last before the start of the next
// one. Of those that ended together, the one that started last may come after the others.
func (s *span) markCritical(n TraceNode) {
	s.critical[n.ID] = true
	var children []*TraceNode
	for i := range n.Children {
		children = append(children, &n.Children[i])
	}
	slices.SortStableFunc(children, func(a, b *TraceNode) int {
		return cmp.Or(endOf(*b).Compare(endOf(*a)), b.StartTime.Compare(a.StartTime))
	})
	until := endOf(n)
	for _, child := range children {
		if !endOf(*child).After(until) {
			s.markCritical(*child)
			until = child.StartTime
		}
	}
	onPath := func(child TraceNode) bool { return s.critical[child.ID] }
	if slices.ContainsFunc(n.Children, func(child TraceNode) bool { return !onPath(child) }) {
		for _, child := range n.Children {
			s.branches[child.ID] = onPath(child)
		}
	}
}

// selectRows selects the runs that are shown: the selected one, those that have failed or are on the critical path, all
// with their ancestors, and then as many others as there is space for, down to a depth. Of a search, it selects the matching runs. It
// returns how many are too deep, and how many too many.
func selectRows(roots []TraceNode, depth int, s span) (shown map[string]bool, deep, many int) {
	shown = map[string]bool{}
	var path []string
	pick := func(wanted func(TraceNode) bool, room int) {
		var walk func(nodes []TraceNode)
		walk = func(nodes []TraceNode) {
			for _, n := range nodes {
				path = append(path, n.ID)
				if wanted(n) && len(shown)+len(path) <= room {
					for _, id := range path {
						shown[id] = true
					}
				}
				walk(n.Children)
				path = path[:len(path)-1]
			}
		}
		walk(roots)
	}
	pick(func(n TraceNode) bool { return n.ID == s.chosen }, math.MaxInt)
	if s.search.set() {
		pick(s.search.matches, maxRows)
		EachNode(roots, func(n *TraceNode) {
			if !shown[n.ID] && s.search.matches(*n) {
				many++
			}
		})
		return shown, 0, many
	}
	pick(func(n TraceNode) bool { return n.Failed() }, 2*maxRows/3)
	pick(func(n TraceNode) bool { return s.critical[n.ID] }, maxRows)
	var fill func(nodes []TraceNode, level int)
	fill = func(nodes []TraceNode, level int) {
		for _, n := range nodes {
			switch {
			case shown[n.ID]:
			case depth > 0 && level > depth:
				deep++
			case len(shown) >= maxRows:
				many++
			default:
				shown[n.ID] = true
			}
			fill(n.Children, level+1)
		}
	}
	fill(roots, 1)
	return shown, deep, many
}

// add adds nodes of a level to a list, and those below them to nested lists, or to the same one on the last level.
func (s *span) add(list *[]traceNode, nodes []TraceNode, level int) {
	for _, n := range nodes {
		if !s.shown[n.ID] {
			continue
		}
		*list = append(*list, s.node(n, level))
		below := list
		if level < maxLevels {
			below = &(*list)[len(*list)-1].Children
		}
		s.add(below, n.Children, level+1)
	}
}

// node returns a run without those below it. A pending run lasts to the end of what is known.
func (s *span) node(n TraceNode, level int) traceNode {
	node := traceNode{
		TraceNode: n, Context: !s.search.matches(n), Address: s.at.run(n.ID), Level: level, Deep: level > maxLevels, Chosen: n.ID == s.chosen, Critical: s.branches[n.ID],
	}
	if !known(n.StartTime) {
		return node
	}
	node.Offset = n.StartTime.Sub(s.begin)
	from, to := n.StartTime, s.last
	if n.Latency != nil {
		to = from.Add(max(0, *n.Latency))
	}
	if from.After(s.end) || to.Before(s.start) {
		return node
	}
	x := min(s.wide(from.Sub(s.start)), barWidth-barLeast)
	wide := max(barLeast, min(barWidth, s.wide(to.Sub(s.start)))-x)
	node.X, node.Width = coordinate(x), coordinate(min(wide, barWidth-x))
	if n.FirstToken != nil {
		if at := from.Add(*n.FirstToken); !at.Before(s.start) && !at.After(s.end) {
			node.Mark = coordinate(s.wide(at.Sub(s.start)))
		}
	}
	return node
}

// wide converts a duration to units of the drawing. In a trace that takes no time, everything has the full width.
func (s *span) wide(d time.Duration) float64 {
	whole := s.end.Sub(s.start)
	if whole <= 0 {
		return 0
	}
	return max(0, barWidth*float64(d)/float64(whole))
}

func coordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }
