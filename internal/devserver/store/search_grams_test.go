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
		most    int // Bytes.
	}{{0, 0}, {0.0005, 8}, {0.01, 40}, {0.1, 150}, {0.3, 257}, {0.5, 257}, {0.97, 257}, {1, 257}} {
		for range 100 {
			var runs []uint16
			for run := range blockRuns {
				if rand.Float64() < tc.density {
					runs = append(runs, uint16(run))
				}
			}
			encoded := appendSet([]byte("before"), runs)[len("before"):]
			set := readSet(encoded)
			var got []uint16
			for run := range blockRuns {
				if set.has(run) {
					got = append(got, uint16(run))
				}
			}
			if !slices.Equal(runs, got) || set.size() != len(runs) {
				t.Fatalf("density %v: read %v of %x, want %v", tc.density, got, encoded, runs)
			}
			if len(encoded) > tc.most && len(runs) > 0 && tc.density > 0.001 {
				t.Errorf("density %v: %d bytes, want at most %d", tc.density, len(encoded), tc.most)
			}
		}
	}
	for _, edge := range [][]uint16{{0}, {blockRuns - 1}, {0, blockRuns - 1}, {7}, {blockRuns - 2, blockRuns - 1}} {
		if set := readSet(appendSet(nil, edge)); set.size() != len(edge) || !set.has(int(edge[0])) || !set.has(int(edge[len(edge)-1])) {
			t.Errorf("%v is read as %v", edge, set)
		}
	}
}

// TestBlockIndex_unraced checks that a run is in the sets of all grams of every text that it contains, however it is split.
func TestBlockIndex_unraced(t *testing.T) {
	t.Parallel()
	var index blockIndex
	values := []string{"", "ab", "a quick brown fox", strings.Repeat("0123456789", 100), "Ünïcode\x00 text", strings.Repeat("abc", mostIndexed)}
	for i, value := range values {
		var grams gramSet
		for begin := 0; begin < len(value); begin += 10 {
			grams.add([]byte(value[max(0, begin-gramBytes+1):min(len(value), begin+10)]))
		}
		index.add(uint16(i), &grams)
	}
	for i, value := range values[:5] {
		for begin := range value {
			for end := begin + gramBytes; end <= min(len(value), begin+40); end++ {
				for _, g := range gramsOf(value[begin:end], 8) {
					if set := setIn(index.part(int(g)/partGrams), g); !set.has(i) {
						t.Fatalf("run %d isn't in a set of %q", i, value[begin:end])
					}
				}
			}
		}
	}
	if !slices.Equal(index.unread, []uint16{5}) {
		t.Errorf("the unread runs are %v, want the last one", index.unread)
	}
	found := 0
	for _, g := range gramsOf("another text", 100) {
		if set := setIn(index.part(int(g)/partGrams), g); set.has(2) {
			found++
		}
	}
	if found > 5 {
		t.Errorf("a text has %d grams of another one", found)
	}
}
