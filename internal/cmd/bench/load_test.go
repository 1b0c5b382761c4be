package main

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMeasureLoad_unraced stores little data, makes every kind of query, and uses the file again.
func TestMeasureLoad_unraced(t *testing.T) {
	t.Parallel()
	little := amounts{deployments: 3, revisions: 4, runs: 600, trace: 150, ingested: 10, clients: 5, asked: 2, calm: 10 * time.Millisecond}
	data := filepath.Join(t.TempDir(), "plane.db")
	for _, filled := range []bool{false, true} {
		var out bytes.Buffer
		if err := measureLoad(t.Context(), &bench{out: &out, progress: io.Discard, data: data}, little); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"| web: project, 30 days ", "| web: trace of 150 runs ", "from 5 clients", "| page of runs with a text of one ", "| with the search index "} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the output doesn't contain %q:\n%s", want, &out)
			}
		}
		if fills := strings.Contains(out.String(), "| 450 runs "); fills == filled {
			t.Errorf("with a file: %v; the output says that it was filled: %v\n%s", filled, fills, &out)
		}
	}
}

// TestLogTrace checks that a trace has the size and the depth that the names of queries say.
func TestLogTrace(t *testing.T) {
	t.Parallel()
	p, err := newPlane(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := logTrace(t.Context(), p, 1_200); err != nil {
		t.Fatal(err)
	}
	var stats struct {
		Runs int `json:"run_count"`
	}
	for filter, want := range map[string]int{`eq(is_root, true)`: 1, `eq(name, "step")`: 12, `eq(name, "model")`: 1187} {
		if err := p.call(t.Context(), http.MethodPost, "/runs/stats", object{"filter": filter}, &stats); err != nil || stats.Runs != want {
			t.Errorf("%d runs are %s, want %d: %v", stats.Runs, filter, want, err)
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
