package devserver_test

import (
	"testing"
	"time"
)

// startBudget logs at the end of a test how long it has taken of the time that it is meant to take. Machines differ, so a
// test that takes longer doesn't fail; whoever collects the lines sees which one has become slow.
func startBudget(t *testing.T, name string, budget time.Duration) {
	t.Helper()
	began := time.Now()
	t.Cleanup(func() { t.Logf("budget: %s %.1fs of %.0fs", name, time.Since(began).Seconds(), budget.Seconds()) })
}

// skipExternal skips a test with -short, which is how the tests are run with the race detector. What the test waits for
// are processes that the race detector doesn't see, npm's clients or Chromium, and the requests that they send are those
// of the other tests. A run without -short never skips it.
func skipExternal(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: clients in other processes are left to the run without it")
	}
}
