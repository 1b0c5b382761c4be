package store

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSets checks that sets of any density are read as they were written, and take little more than the information in them.
func TestSets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		density float64
		most    int // Bytes on average: a single set can have many more runs than others of its density.
	}{{0, 0}, {0.0005, 10}, {0.01, 110}, {0.1, 600}, {0.24, 1024}, {0.3, 1024}, {0.5, 1024}, {1, 1024}} {
		total := 0
		for range 100 {
			var want runSet
			for run := range blockRuns {
				if rand.Float64() < tc.density {
					want.add(run)
				}
			}
			encoded := appendSet([]byte("before"), &want)[len("before"):]
			wantSet(t, encoded, want)
			total += len(encoded)
		}
		if total > 100*tc.most {
			t.Errorf("density %v: 100 sets take %d bytes, want at most %d each", tc.density, total, tc.most)
		}
	}
	for _, edge := range [][]int{{0}, {blockRuns - 1}, {0, blockRuns - 1}, {7}, {blockRuns - 2, blockRuns - 1}} {
		var want runSet
		for _, run := range edge {
			want.add(run)
		}
		wantSet(t, appendSet(nil, &want), want)
	}
}

func wantSet(t *testing.T, encoded []byte, want runSet) {
	t.Helper()
	var got runSet
	if got.addEncoded(encoded); got != want {
		t.Fatalf("read %v of %x, want %v", slices.Collect(got.all()), encoded, slices.Collect(want.all()))
	}
}

// TestGrams_unraced checks that a run is in the sets of all grams of every text that it contains, however it is split, and
// stays there when others are added.
func TestGrams_unraced(t *testing.T) {
	t.Parallel()
	values := []string{"", "ab", "a quick brown fox", strings.Repeat("0123456789", 100), "Ünïcode\x00 text", strings.Repeat("abc", maxIndexedBytes)}
	parts := map[gram][]byte{}
	part := func(g gram) []byte { return parts[g-g%partGrams] }
	for run, value := range values {
		var grams gramSet
		for begin := 0; begin < len(value); begin += 10 {
			grams.add([]byte(value[max(0, begin-gramBytes+1):min(len(value), begin+10)]))
		}
		var a addition
		a.add(run, &grams)
		for first := gram(0); first < gramCount; first += partGrams {
			if sum := a.addTo(parts[first], first); sum != nil {
				parts[first] = sum
			}
		}
	}
	for run, value := range values[:5] {
		for begin := range value {
			for end := begin + gramBytes; end <= min(len(value), begin+40); end++ {
				for _, g := range gramsOf(value[begin:end], 8) {
					if set := setIn(part(g), g); !set.has(run) {
						t.Fatalf("run %d isn't in a set of %q", run, value[begin:end])
					}
				}
			}
		}
	}
	found := 0
	for _, g := range gramsOf("another text", 100) {
		if set := setIn(part(g), g); set.has(2) {
			found++
		}
	}
	if found > 5 {
		t.Errorf("a text has %d grams of another one", found)
	}
}
