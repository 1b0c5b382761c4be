package devservertest

import (
	"testing"
	"time"
)

// StartBudget logs, at the end of a test, how long it took and its time budget. Machines differ, so exceeding the budget
// doesn't fail the test; the collected lines show which test has become slow.
func StartBudget(t *testing.T, name string, budget time.Duration) {
	t.Helper()
	began := time.Now()
	t.Cleanup(func() { t.Logf("budget: %s %.1fs of %.0fs", name, time.Since(began).Seconds(), budget.Seconds()) })
}
