package run

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

// TestTurns checks that a workspace waits for its own turns alone, and that nothing is kept of those who have left.
func TestTurns(t *testing.T) {
	t.Parallel()
	var all turns
	var taken []func()
	take := func(workspaceID string) {
		t.Helper()
		giveBack, err := all.take(t.Context(), workspaceID)
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, giveBack)
	}
	for range (runtime.GOMAXPROCS(0) + 1) / 2 {
		take("a")
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := all.take(left, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("one turn too many: error = %v, want context.Canceled", err)
	}
	take("b")
	waiting := make(chan error)
	go func() {
		giveBack, err := all.take(t.Context(), "a")
		if err == nil {
			giveBack()
		}
		waiting <- err
	}()
	for _, giveBack := range taken {
		giveBack()
	}
	if err := <-waiting; err != nil {
		t.Error(err)
	}
	if n := len(all.byWorkspace); n != 0 {
		t.Errorf("the queues of %d workspaces are kept, want none", n)
	}
}
