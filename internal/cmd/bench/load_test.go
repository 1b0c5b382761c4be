package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMeasureLoad_unraced stores little data and makes every kind of query.
func TestMeasureLoad_unraced(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := measureLoad(t.Context(), &bench{out: &out, progress: io.Discard}, amounts{deployments: 3, revisions: 4, runs: 600, clients: 5, asked: 2}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 600 runs", "| web: project, 30 days", "from 5 clients", "| change of a deployment, beside statistics of all runs, repeated",
		"| deployment, beside web: project, 30 days, first view", "| page of runs with a text of one "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output doesn't contain %q:\n%s", want, &out)
		}
	}
}

func TestQuantiles(t *testing.T) {
	t.Parallel()
	var took []time.Duration
	for i := range 100 {
		took = append(took, time.Duration(100-i)*time.Second)
	}
	if diff := cmp.Diff([]string{"51.0", "96.0", "100.0"}, quantiles(took)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
