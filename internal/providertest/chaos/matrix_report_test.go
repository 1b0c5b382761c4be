package chaos

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// matrixReport counts cells, and collects the rules that were broken.
type matrixReport struct {
	// total counts all cells, and runs those that ran.
	total, runs atomic.Int64
	// repeats would be the same as the fault once, after which the request wasn't sent again.
	repeats atomic.Int64
	// voided had no wrong answer for the request, and missed never sent the request.
	voided, missed atomic.Int64

	mu sync.Mutex
	// broken has the cells by rule, operation, request and class.
	broken  map[failure][]string
	failing map[string]bool
	stories []string
}

// failure is a row of the table of failures.
type failure struct{ rule, operation, request, class string }

func newMatrixReport() *matrixReport {
	return &matrixReport{broken: map[failure][]string{}, failing: map[string]bool{}}
}

// add records the rules that a cell has broken; without an id, those that the operation breaks without a fault.
func (r *matrixReport) add(g *group, id string, f failure, found []finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.operation = g.subject.name + ": " + g.operation.String()
	if id == "" {
		id, f.request, f.class = g.name()+"/without a fault", "none", "none"
	}
	seen := map[string]bool{}
	for _, each := range found {
		r.failing[id] = true
		if f.rule = each.rule; !seen[f.rule] {
			seen[f.rule] = true
			r.broken[f] = append(r.broken[f], id+": "+each.what)
		}
	}
}

func (r *matrixReport) tell(id string, ran ranCell) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "== %s\n%s\n", id, ran.story)
	for _, each := range ran.found {
		fmt.Fprintf(&b, "BROKEN: %s: %s\n", each.rule, each.what)
	}
	r.stories = append(r.stories, b.String())
}

// maxStories is how many matching cells are printed in full.
const maxStories = 5

// print prints the counts and fails the test if a rule is broken. Every failing cell is a line of the file in FAULTS_FILE, if set.
func (r *matrixReport) print(t *testing.T, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, story := range r.stories[:min(len(r.stories), maxStories)] {
		fmt.Fprintln(os.Stdout, story)
	}
	fmt.Fprintf(os.Stdout, "fault matrix: %d of %d cells in %s, of which %d broke a rule; %d would be the same as once; no such answer: %d; no such request: %d\n",
		r.runs.Load(), r.total.Load(), took.Round(time.Second), len(r.failing), r.repeats.Load(), r.voided.Load(), r.missed.Load())
	if os.Getenv("FAULTS") == "" {
		t.Logf("budget: fault matrix, %d of %d cells, %.1fs of 20s", r.runs.Load(), r.total.Load(), took.Seconds())
	}
	if len(r.broken) == 0 {
		return
	}
	rows := slices.SortedFunc(maps.Keys(r.broken), func(a, b failure) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	var b, lines strings.Builder
	rule := ""
	for _, row := range rows {
		if row.rule != rule {
			rule = row.rule
			fmt.Fprintf(&b, "%s:\n", rule)
			fmt.Fprintf(&lines, "%s\n", rule)
		}
		fmt.Fprintf(&b, "  %5d  %s | %s | %s\n         %s\n", len(r.broken[row]), row.operation, row.request, row.class, shortened(r.broken[row][0]))
		for _, cell := range r.broken[row] {
			fmt.Fprintf(&lines, "  %s\n", cell)
		}
	}
	if name := os.Getenv("FAULTS_FILE"); name != "" {
		if err := os.WriteFile(name, []byte(lines.String()), 0o600); err != nil {
			t.Error(err)
		}
	}
	t.Errorf("rules are broken in these cells:\n%s", b.String())
}

func shortened(line string) string { return line[:min(len(line), 260)] }
