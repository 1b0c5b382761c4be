package chaos

import (
	"fmt"
	"strings"
	"sync"
)

// tally counts what happened in a run. Any offence fails it.
type tally struct {
	mu       sync.Mutex
	requests int
	faults   map[string]int
	done     map[string]int
	offences map[string]int
}

// Offences, which must never happen.
const (
	duplicate  = "duplicates"
	orphan     = "orphans"
	taint      = "taints of healthy objects"
	lostUpdate = "lost updates"
	wrongPlan  = "broken promises"
)

var allOffences = []string{duplicate, orphan, taint, lostUpdate, wrongPlan}

// What is done.
const (
	succeeded = "applies that succeeded under faults"
	failed    = "commands that failed under faults, then converged"
	created   = "created"
	updated   = "updated"
	replaced  = "replaced"
	destroyed = "destroyed"
	meddled   = "changes by others"
	repeated  = "revisions made twice after a lost reply"
	adopted   = "imported as an error said"
	unnamed   = "display names and tiers set by the next apply, after a warning"
)

var allDone = []string{created, updated, replaced, destroyed, meddled, succeeded, failed, repeated, adopted, unnamed}

func newTally() *tally {
	return &tally{faults: map[string]int{}, done: map[string]int{}, offences: map[string]int{}}
}

// request counts a request, and its fault if it had one.
func (t *tally) request(fault string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	if fault != "" {
		t.faults[fault]++
	}
}

func (t *tally) did(what string, times int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[what] += times
}

func (t *tally) offence(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.offences[what]++
}

// table prints all counts as Markdown.
func (t *tally) table() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	row := func(what string, count int) { fmt.Fprintf(&b, "| %s | %d |\n", what, count) }
	fmt.Fprintf(&b, "| what | count |\n| --- | ---: |\n")
	row("requests", t.requests)
	total := 0
	for _, count := range t.faults {
		total += count
	}
	row("faults", total)
	for _, k := range faultKinds {
		kind := k.make(zero()).kind
		row("fault: "+kind, t.faults[kind])
	}
	for _, what := range allDone {
		row(what, t.done[what])
	}
	for _, what := range allOffences {
		row("**"+what+"**", t.offences[what])
	}
	return b.String()
}
