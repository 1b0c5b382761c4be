package main

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	t.Parallel()
	tb := table{header: []string{"resource", "N", "plan"}}
	tb.add("terraform_data", "1", "0.19")
	tb.add("ours", "500", nothing)
	want := `| resource       |   N | plan |
| -------------- | --: | ---: |
| terraform_data |   1 | 0.19 |
| ours           | 500 |    – |
`
	if diff := cmp.Diff(want, tb.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestCells(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ got, want string }{
		{seconds(1234567 * time.Nanosecond), "0.001"},
		{seconds(1234 * time.Millisecond), "1.23"},
		{seconds(12345 * time.Millisecond), "12.3"},
		{megabytes(2560), "2"},
		{megabytes(2600), "3"},
		{megabytes(0), nothing},
		{decimals(1.25, 0), "1"},
		{decimals(50.04, 1), "50.0"},
		{decimals(math.NaN(), 1), nothing},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
