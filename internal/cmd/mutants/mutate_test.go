package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInstrument(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		code string
		want []string
	}{
		"bounds are moved and negated": {
			"func f(a int) bool { return a < 3 }",
			[]string{"a < 3 with <=", "a < 3 negated"},
		},
		"equality is negated": {
			"func f(a, b string) bool { return a == b }",
			[]string{"a == b negated"},
		},
		"operands are ignored, and what they compare is changed": {
			"func f(a, b int, ok bool) bool { return a != b && ok }",
			[]string{"a != b ignored", "a != b negated", "ok ignored"},
		},
		"statements are left out": {
			"func f(a []int) { a[0] = 1; a[1]++; g(a); defer g(a) }; func g([]int) {}",
			[]string{"a[0] = 1 left out", "a[1]++ left out", "g(a) left out", "defer g(a) left out"},
		},
		"leaving a loop or a round is left out": {
			"func f() { for { if g() { continue }; break } }; func g() bool { return false }",
			[]string{"continue left out", "break left out"},
		},
		"cases of a switch are conditions": {
			"func f(a int) int { switch { case a > 1: return 2 }; return 3 }",
			[]string{"a > 1 with >=", "a > 1 negated"},
		},
		"operands that call something are not evaluated when they are ignored": {
			"func f() bool { return g() || <-c }; func g() bool { return true }; var c chan bool",
			[]string{"g() ignored", "<-c ignored"},
		},
		"declarations, returns and crashes stay": {
			"const c = 1 < 2; func f() int { a := 1; _ = a; var b int; if c { panic(b) }; return a + b }",
			nil,
		},
		"loops keep what they begin with and end with": {
			"func f() { for i := 0; i < 3; i++ { g() } }; func g() {}",
			[]string{"i < 3 with <=", "i < 3 negated", "g() left out"},
		},
		"log lines may be left out unnoticed": {
			"import \"log/slog\"\nfunc f() { slog.Info(\"m\") }",
			nil,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMutator()
			if _, err := m.instrument("p.go", []byte("package p\n"+tt.code)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, mutant := range m.mutants {
				got = append(got, mutant.change)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A sample selects the same mutants after an unrelated change.
func TestSample(t *testing.T) {
	t.Parallel()
	code := func(count int) string {
		var text strings.Builder
		text.WriteString("package p\n")
		for i := range count {
			fmt.Fprintf(&text, "func f%d(a, b int) bool { return a == b || a == b && a < 100-b }\n", i)
		}
		return text.String()
	}
	sampled := func(code string, n uint64) (keys []string) {
		m := newMutator()
		if _, err := m.instrument("p.go", []byte(code)); err != nil {
			t.Fatal(err)
		}
		for _, mutant := range sample(m.mutants, n) {
			keys = append(keys, mutant.key)
		}
		return keys
	}
	all, tenth := sampled(code(100), 1), sampled(code(100), 10)
	if len(all) != 800 || len(tenth) < 40 || len(tenth) > 160 {
		t.Errorf("one in ten of %d are %d", len(all), len(tenth))
	}
	if more := sampled(code(101), 10); !slices.Equal(more[:len(tenth)], tenth) {
		t.Errorf("%q become %q", tenth, more)
	}
	seen := map[string]bool{}
	for _, key := range all {
		if seen[key] {
			t.Errorf("two mutants are %q", key)
		}
		seen[key] = true
	}
}
