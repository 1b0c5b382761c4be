package web

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bar has the fields that a test compares.
type bar struct {
	ID             string
	X, Width, Mark string
	Offset         time.Duration
}

func bars(nodes []traceNode) []bar {
	var all []bar
	for _, n := range nodes {
		all = append(append(all, bar{n.ID, n.X, n.Width, n.Mark, n.Offset}), bars(n.Children)...)
	}
	return all
}

func node(id string, start time.Duration, length *time.Duration, children ...TraceNode) TraceNode {
	return TraceNode{RunSummary: RunSummary{ID: id, StartTime: after(start), Latency: length}, Children: children}
}

func TestWaterfall(t *testing.T) {
	t.Parallel()
	streamed := node("streamed", time.Second, new(time.Second))
	streamed.FirstToken = new(500 * time.Millisecond)
	timeless := TraceNode{RunSummary: RunSummary{ID: "timeless"}}
	for name, tc := range map[string]struct {
		roots []TraceNode
		want  []bar
	}{
		"nothing": {nil, nil},
		"a tree": {
			[]TraceNode{node("root", 0, new(4*time.Second), streamed, node("pending", 3*time.Second, nil))},
			[]bar{{"root", "0", "1000", "", 0}, {"streamed", "250", "250", "375", time.Second}, {"pending", "750", "250", "", 3 * time.Second}},
		},
		"a child before its parent, and after it": {
			[]TraceNode{node("root", time.Second, new(time.Second), node("early", 0, new(time.Duration(0))), node("late", 4*time.Second, new(time.Duration(0))))},
			[]bar{{"root", "250", "250", "", time.Second}, {"early", "0", "40", "", 0}, {"late", "960", "40", "", 4 * time.Second}},
		},
		"no time": {[]TraceNode{node("root", 0, new(time.Duration(0)))}, []bar{{"root", "0", "40", "", 0}}},
		"an end before the start": {
			[]TraceNode{node("root", 0, new(time.Second)), node("back", 0, new(-time.Second))},
			[]bar{{"root", "0", "1000", "", 0}, {"back", "0", "40", "", 0}},
		},
		"no start": {[]TraceNode{timeless}, []bar{{ID: "timeless"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, bars(newTracePage(TraceView{Roots: tc.roots}).Nodes)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDeepTree checks that all runs of a very deep tree are shown, on a limited number of levels.
func TestDeepTree(t *testing.T) {
	t.Parallel()
	const depth = maxRows
	var nodes []TraceNode
	for i := depth; i > 0; i-- {
		nodes = []TraceNode{node(fmt.Sprint("run", i), 0, new(time.Second), nodes...)}
	}
	html := render(t, newPages(t), TraceView{Roots: nodes})
	page := parsePage(t, html)
	lists, deepest := page.all("li"), 0
	for _, li := range lists {
		level := 0
		for e := li; e != nil; e = e.parent {
			if e.name == "ol" {
				level++
			}
		}
		deepest = max(deepest, level)
	}
	if shown := strings.Count(html, `id="run-`); shown != depth || deepest != maxLevels {
		t.Errorf("%d runs on %d levels, want %d on %d", shown, deepest, depth, maxLevels)
	}
	if !strings.Contains(html, fmt.Sprintf("level %d<", depth)) || strings.Contains(html, "level 24<") {
		t.Error("the level must be shown only below the deepest list")
	}
}

func TestTraceName(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]TraceView{
		"t1": {ID: "t1", Roots: []TraceNode{{}}}, "t2": {ID: "t2"},
		"agent": {ID: "t3", Order: "cost", Roots: []TraceNode{{RunSummary: run("r")}, {RunSummary: RunSummary{ID: "orphan", Name: "orphan", TotalCost: "9"}}}},
	} {
		v.Shown()
		page := newTracePage(v)
		if page.Name != want {
			t.Errorf("name = %q, want %q", page.Name, want)
		}
		if len(page.Roots) > 1 && (page.Roots[0].ID != "r" || page.Nodes[0].ID != "orphan") {
			t.Errorf("the state is that of %s and the first row is %s, want r and orphan", page.Roots[0].ID, page.Nodes[0].ID)
		}
	}
}

// TestCriticalPath checks that runs on the critical path are marked only where others are beside it.
func TestCriticalPath(t *testing.T) {
	t.Parallel()
	step := func(id string, from, to int) TraceNode {
		return node(id, time.Duration(from)*time.Second, new(time.Duration(to-from)*time.Second))
	}
	for name, tc := range map[string]struct {
		below []TraceNode
		want  []string
	}{
		"one after the other":     {[]TraceNode{step("a", 0, 5), step("b", 5, 7), step("c", 8, 10)}, nil},
		"a step without duration": {[]TraceNode{step("a", 0, 5), step("b", 5, 5), step("c", 5, 10)}, nil},
		"the last one without":    {[]TraceNode{step("a", 0, 10), step("b", 10, 10)}, nil},
		"side by side":            {[]TraceNode{step("a", 0, 5), step("b", 0, 4), step("c", 5, 10)}, []string{"a", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, n := range newTracePage(TraceView{Roots: []TraceNode{node("root", 0, new(10*time.Second), tc.below...)}}).Nodes[0].Children {
				if n.Critical {
					got = append(got, n.ID)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("marked runs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManySiblings checks that the page of a trace with many runs below one doesn't take long: a minute if each of them were compared with
// all others.
func TestManySiblings(t *testing.T) {
	t.Parallel()
	const many = 50_000
	root := node("root", 0, new(many*time.Second))
	for i := range many {
		root.Children = append(root.Children, node(strconv.Itoa(i), time.Duration(i)*time.Second, new(time.Second)))
	}
	began := time.Now()
	page := newTracePage(TraceView{Roots: []TraceNode{root}})
	if took := time.Since(began); took > 20*time.Second || page.Omitted != many+1-maxRows {
		t.Errorf("the page took %s and omits %d runs, want at most 20 s and %d", took, page.Omitted, many+1-maxRows)
	}
}

// TestTreeSearch checks which runs of a tree are shown, in what order, and that the links on the page keep both.
func TestTreeSearch(t *testing.T) {
	t.Parallel()
	call := func(id, name string, seconds int, tokens int64, cost string) TraceNode {
		n := node(id, 0, new(time.Duration(seconds)*time.Second))
		n.Name, n.CallsModel, n.TotalTokens, n.TotalCost, n.SelfTime, n.Models = name, true, tokens, cost, n.Latency, []string{"Large-Model"}
		return n
	}
	tree := func() []TraceNode {
		outer := node("outer", 0, new(9*time.Second), call("a", "plan", 1, 500, "0.9"), call("b", "answer", 8, 20, "0.1"))
		outer.Name, outer.TotalTokens, outer.TotalCost, outer.SelfTime = "step", 520, "1.0", new(time.Duration(0))
		failed := node("failed", 0, new(2*time.Second))
		failed.Name, failed.Error, failed.SelfTime = "look up", "No such Page", new(2*time.Second)
		outer.Children[1].Marks = []Mark{{"repeated", "call 1 of 2"}}
		root := node("root", 0, new(10*time.Second), failed, call("c", "plan", 7, 700, "0.01"), outer)
		root.Name = "agent"
		return []TraceNode{root}
	}
	for name, tc := range map[string]struct {
		view    TraceView
		want    []string
		matches int
	}{
		"all":             {TraceView{}, []string{"root", "failed", "c", "outer", "a", "b"}, 0},
		"by time":         {TraceView{Order: "time"}, []string{"root", "outer", "b", "a", "c", "failed"}, 0},
		"by own time":     {TraceView{Order: "self"}, []string{"root", "outer", "b", "a", "c", "failed"}, 0},
		"by tokens":       {TraceView{Order: "tokens"}, []string{"root", "c", "outer", "a", "b", "failed"}, 0},
		"by cost":         {TraceView{Order: "cost"}, []string{"root", "outer", "a", "b", "c", "failed"}, 0},
		"errors":          {TraceView{Only: "errors"}, []string{"(root)", "failed"}, 1},
		"calls":           {TraceView{Only: "calls"}, []string{"(root)", "c", "(outer)", "a", "b"}, 3},
		"marked":          {TraceView{Only: "marked"}, []string{"(root)", "(outer)", "b"}, 1},
		"a name":          {TraceView{Find: "PLAN"}, []string{"(root)", "c", "(outer)", "a"}, 2},
		"a model":         {TraceView{Find: "large-m"}, []string{"(root)", "c", "(outer)", "a", "b"}, 3},
		"an error":        {TraceView{Find: "no such page"}, []string{"(root)", "failed"}, 1},
		"calls by a name": {TraceView{Only: "calls", Find: "answer"}, []string{"(root)", "(outer)", "b"}, 1},
		"nothing":         {TraceView{Find: "nowhere"}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := tc.view
			view.ID, view.Roots = "t1", tree()
			view.Frame = Frame{Base: "/ui", Address: "/ui/traces/t1?find=x&sort=cost&only=&evil=1&run=a"}
			page := newTracePage(view)
			var got []string
			var walk func(nodes []traceNode)
			walk = func(nodes []traceNode) {
				for _, n := range nodes {
					id := n.ID
					if n.Context {
						id = "(" + id + ")"
					}
					got = append(got, id)
					if want := "/ui/traces/t1?find=x&run=" + n.ID + "&sort=cost#run-" + n.ID; n.Address != want {
						t.Errorf("address of %s = %s, want %s", n.ID, n.Address, want)
					}
					walk(n.Children)
				}
			}
			walk(page.Nodes)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			if page.Matches != tc.matches {
				t.Errorf("%d runs match, want %d", page.Matches, tc.matches)
			}
		})
	}
	want := parsePage(t, render(t, newPages(t), TraceView{Roots: tree(), Find: "plan"})).shape()
	for _, text := range hostile {
		roots := tree()
		roots[0].Children[1].Name, roots[0].Children[2].Children[0].Name = text, text
		if diff := cmp.Diff(want, parsePage(t, render(t, newPages(t), TraceView{Roots: roots, Find: text})).shape()); diff != "" {
			t.Errorf("a search for %q changes the structure of the page (-want +got):\n%s", text, diff)
		}
	}
}

func TestShortCost(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]string{
		"": "–", "0": "$0", "0.00026": "$0.00026", "0.0042349": "$0.0042", "0.999": "$1.00", "1.926": "$1.93", "1234.5": "$1,234.50", "x": "$x",
	} {
		if got := shortCost(amount); got != want {
			t.Errorf("shortCost(%q) = %q, want %q", amount, got, want)
		}
	}
}

// TestZoom checks which runs and which parts of their bars are shown of a part of the time.
func TestZoom(t *testing.T) {
	t.Parallel()
	second := func(n int) *time.Duration { return new(time.Duration(n) * time.Second) }
	late := node("late", 9*time.Second, second(1))
	streamed := node("streamed", 5*time.Second, second(4))
	streamed.FirstToken = second(1)
	roots := []TraceNode{node("root", 0, second(10), node("early", 0, second(2)), node("over", 2*time.Second, second(4)), streamed, node("pending", 7*time.Second, nil), late)}
	page := newTracePage(TraceView{ID: "t1", Roots: roots, Zoom: &Zoom{4 * time.Second, 8 * time.Second}})
	want := []bar{
		{"root", "0", "1000", "", 0}, {"over", "0", "500", "", 2 * time.Second}, {"streamed", "250", "750", "500", 5 * time.Second},
		{"pending", "750", "250", "", 7 * time.Second},
	}
	if diff := cmp.Diff(want, bars(page.Nodes)); diff != "" {
		t.Errorf("bars (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"4.00 s", "8.00 s"}, page.Axis); diff != "" {
		t.Errorf("axis (-want +got):\n%s", diff)
	}
	beyond := newTracePage(TraceView{ID: "t1", Roots: roots, Zoom: &Zoom{20 * time.Second, 30 * time.Second}})
	if len(bars(beyond.Nodes)) != 6 || beyond.Axis[0] != "0 s" {
		t.Errorf("a part after the end shows %d runs from %s, want all", len(bars(beyond.Nodes)), beyond.Axis[0])
	}
}

// TestMinimap checks the drawing of a whole trace, and its links.
func TestMinimap(t *testing.T) {
	t.Parallel()
	failed := node("failed", 6*time.Second, new(6*time.Second))
	failed.Error = "boom"
	view := TraceView{
		ID: "t1", Totals: Totals{Runs: minMapped}, Zoom: &Zoom{3 * time.Second, 6 * time.Second},
		Roots: []TraceNode{node("root", 0, new(12*time.Second), node("first", 0, new(3*time.Second)), failed)},
		Frame: Frame{Base: "/ui", Address: "/ui/traces/t1?sort=cost&zoom=3000-6000&run=first"},
	}
	view.Run.Run = view.Roots[0].Children[0].RunSummary
	m := newTracePage(view).Map
	got := []string{m.Good, m.Bad, m.X, m.Width, m.Parts[1].Label, m.Parts[1].URL, m.AllURL, m.ChosenURL}
	want := []string{
		"M0 0h240v.8h-240zM0 1h61v.8h-61z", "M120 1h120v.8h-120z", "60", "60", "1.00 s to 2.00 s",
		"/ui/traces/t1?run=first&sort=cost&zoom=1000-2000#tree", "/ui/traces/t1?run=first&sort=cost#tree", "/ui/traces/t1?run=first&sort=cost&zoom=0-3001#tree",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(m.Parts) != mapParts {
		t.Errorf("the map with %d parts (-want +got):\n%s", len(m.Parts), diff)
	}
	if few := newTracePage(TraceView{Roots: view.Roots}).Map; few.Parts != nil {
		t.Error("a trace of few runs has a map, want none")
	}
	html := render(t, newPages(t), view)
	for _, complaint := range complaints(parsePage(t, html)) {
		t.Error(complaint)
	}
}
