package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBenchmarks(t *testing.T) {
	t.Parallel()
	const printed = `goos: linux
BenchmarkIngest/0KB-2         	       1	2151370913 ns/op	         1.021 MB/s	      9296 ops/s	         7.000 p50-ms
some line of a log
BenchmarkQueryRuns/of_a-root
BenchmarkQueryRuns/of_a-root         	      10	   5243250 ns/op	         5.200 ms
BenchmarkNormalize-16 	     300	      1000 ns/op	       odd
PASS
`
	want := []figures{
		{"0KB", map[string]float64{"ns/op": 2151370913, "MB/s": 1.021, "ops/s": 9296, "p50-ms": 7}},
		{"of_a-root", map[string]float64{"ns/op": 5243250, "ms": 5.2}},
		{"Normalize", map[string]float64{"ns/op": 1000}},
	}
	if diff := cmp.Diff(want, parseBenchmarks(printed), cmp.AllowUnexported(figures{})); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if got := want[0].shown("ops/s", 0); got != "9296" {
		t.Errorf("shown(ops/s) = %q, want 9296", got)
	}
	if got := want[0].shown("p99-ms", 0); got != nothing {
		t.Errorf("shown of a figure that isn't reported = %q, want %q", got, nothing)
	}
}
