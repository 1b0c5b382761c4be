package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDifference checks what a comparison of two texts leaves out.
func TestDifference(t *testing.T) {
	t.Parallel()
	numbered := func(from, to int) string {
		var b strings.Builder
		for n := from; n <= to; n++ {
			fmt.Fprintf(&b, "line %d\n", n)
		}
		return b.String()
	}
	long := strings.Repeat("é", 400)
	for name, test := range map[string]struct {
		first, second string
		want          []diffLine
		omitted       int
		cut           bool
	}{
		"equal lines around a change": {numbered(1, 10) + "a", numbered(1, 10) + "b", []diffLine{
			{"gap", "⋯", "7 lines are the same"}, {"same", " ", "line 8"}, {"same", " ", "line 9"}, {"same", " ", "line 10"},
			{"removed", "−", "a"}, {"added", "+", "b"},
		}, 0, false},
		"equal lines between changes": {"a\n" + numbered(1, 9) + "a", "b\n" + numbered(1, 9) + "b", []diffLine{
			{"removed", "−", "a"}, {"added", "+", "b"},
			{"same", " ", "line 1"}, {"same", " ", "line 2"}, {"same", " ", "line 3"}, {"gap", "⋯", "3 lines are the same"},
			{"same", " ", "line 7"}, {"same", " ", "line 8"}, {"same", " ", "line 9"},
			{"removed", "−", "a"}, {"added", "+", "b"},
		}, 0, false},
		"a long line":   {"a", long, []diffLine{{"removed", "−", "a"}, {"added", "+", long[:600] + "…"}}, 0, false},
		"a long text":   {"", strings.Repeat("é", 70_000), []diffLine{{"added", "+", long[:600] + "…"}}, 0, true},
		"equal at last": {"same", "same", nil, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newDifference("inputs", test.first, test.second)
			if diff := cmp.Diff(test.want, got.Lines); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if got.Omitted != test.omitted || got.Cut != test.cut || got.Same != (test.first == test.second) {
				t.Errorf("%d lines are omitted, cut: %t, same: %t", got.Omitted, got.Cut, got.Same)
			}
		})
	}
	if got := newDifference("inputs", "", numbered(1, 301)); len(got.Lines) != 300 || got.Omitted != 1 {
		t.Errorf("%d lines are shown and %d omitted, want 300 and 1", len(got.Lines), got.Omitted)
	}
}
