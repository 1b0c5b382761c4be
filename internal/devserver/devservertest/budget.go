package devservertest

import (
	"testing"
	"time"
)

// StartBudget logs at the end of a test how long it has taken of the time that it is meant to take. Machines differ, so a
// test that takes longer doesn't fail; whoever collects the lines sees which one has become slow.
func StartBudget(t *testing.T, name string, budget time.Duration) {
	t.Helper()
	began := time.Now()
	t.Cleanup(func() { t.Logf("budget: %s %.1fs of %.0fs", name, time.Since(began).Seconds(), budget.Seconds()) })
}
