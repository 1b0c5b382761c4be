package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// treeSearch selects runs of a tree.
type treeSearch struct {
	only, find string
	// from and to are the part of the time that is shown; zero if that is all.
	from, to time.Time
}

func (s treeSearch) set() bool { return s.only != "" || s.find != "" || known(s.to) }

// matches reports whether a run was searched. Its text is what the row shows, and what it was asked and has answered.
func (s treeSearch) matches(n TraceNode) bool {
	if known(s.to) && (n.StartTime.After(s.to) || n.Latency != nil && endOf(n).Before(s.from)) {
		return false
	}
	switch s.only {
	case "errors":
		if !n.Failed() {
			return false
		}
	case "marked":
		if len(n.Marks) == 0 {
			return false
		}
	case "calls":
		if !n.CallsModel {
			return false
		}
	}
	if s.find == "" || n.Found {
		return true
	}
	for _, text := range append([]string{n.Name, n.RunType, n.Error, n.ID}, n.Models...) {
		if strings.Contains(strings.ToLower(text), s.find) {
			return true
		}
	}
	return false
}

// sortTree sorts the runs below each run, the largest first, and returns the largest value. With the time without the runs below, each
// counts with the longest run of its tree, so that it leads there.
func sortTree(nodes []TraceNode, order string) (largest float64) {
	values := map[string]float64{}
	for _, n := range nodes {
		values[n.ID] = sortValue(n, order)
		if below := sortTree(n.Children, order); order == "self" {
			values[n.ID] = max(values[n.ID], below)
		}
		largest = max(largest, values[n.ID])
	}
	slices.SortStableFunc(nodes, func(a, b TraceNode) int { return cmp.Compare(values[b.ID], values[a.ID]) })
	return largest
}

func sortValue(n TraceNode, order string) float64 {
	switch order {
	case "time":
		return secondsOf(n.Latency)
	case "self":
		return secondsOf(n.SelfTime)
	case "tokens":
		return float64(n.TotalTokens)
	default:
		cost, _ := strconv.ParseFloat(n.TotalCost, 64) // Empty means none.
		return cost
	}
}

func secondsOf(d *time.Duration) float64 {
	if d == nil {
		return 0
	}
	return d.Seconds()
}

// treeColumn is a column of figures, by which the tree can be sorted.
type treeColumn struct {
	Label, Title, Key, Class, URL string
	Current                       bool
}

func newTreeColumns(v TraceView, at traceAddress) []treeColumn {
	all := []treeColumn{
		{Label: "Time", Title: "duration", Key: "time", Class: "took"}, {Label: "Self", Title: "duration without the runs below", Key: "self", Class: "self"},
		{Label: "Tokens", Title: "tokens with those of the runs below", Key: "tokens", Class: "tokens"}, {Label: "Cost", Title: "cost with that of the runs below", Key: "cost", Class: "cost"},
	}
	for i := range all {
		all[i].Current = all[i].Key == v.Order
		if all[i].URL = at.tree("sort", all[i].Key); all[i].Current {
			all[i].URL = at.tree("sort", "")
		}
	}
	return all
}

// groupTable are the figures of a trace by a property of its runs.
type groupTable struct {
	Label, Of string
	Groups    []groupRow
	Omitted   int
}

type groupRow struct {
	TraceGroup
	// URL shows the runs of the group in the tree.
	URL string
}

// maxGroups is the number of groups in a table.
const maxGroups = 12

func newGroupTables(v TraceView, at traceAddress) (tables []groupTable) {
	for _, t := range []struct {
		label, of string
		groups    []TraceGroup
	}{{"By model", "Model", v.ByModel}, {"By tool", "Tool", v.ByTool}, {"By name", "Name", v.ByName}} {
		if len(t.groups) == 0 {
			continue
		}
		table := groupTable{Label: t.label, Of: t.of, Omitted: max(0, len(t.groups)-maxGroups)}
		for _, g := range t.groups[:min(len(t.groups), maxGroups)] {
			table.Groups = append(table.Groups, groupRow{g, at.tree("find", g.Name)})
		}
		tables = append(tables, table)
	}
	return tables
}
