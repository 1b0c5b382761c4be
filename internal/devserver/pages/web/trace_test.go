package web

import (
	"fmt"
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
	return TraceNode{RunSummary{ID: id, StartTime: after(start), Latency: length}, children}
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
			[]bar{{"root", "250", "250", "", time.Second}, {"early", "0", "4", "", 0}, {"late", "996", "4", "", 4 * time.Second}},
		},
		"no time": {[]TraceNode{node("root", 0, new(time.Duration(0)))}, []bar{{"root", "0", "4", "", 0}}},
		"an end before the start": {
			[]TraceNode{node("root", 0, new(time.Second)), node("back", 0, new(-time.Second))},
			[]bar{{"root", "0", "1000", "", 0}, {"back", "0", "4", "", 0}},
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
		"t1": {ID: "t1", Roots: []TraceNode{{}}}, "t2": {ID: "t2"}, "agent": {ID: "t3", Roots: []TraceNode{{RunSummary: run("r")}}},
	} {
		if got := newTracePage(v).Name; got != want {
			t.Errorf("name = %q, want %q", got, want)
		}
	}
}
