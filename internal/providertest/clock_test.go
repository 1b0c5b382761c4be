package providertest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func TestSteppedClock(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := &providertest.SteppedClock{ManualClock: devserver.NewManualClock(start)}
	if err := clock.Sleep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := clock.Now().Sub(start); got != time.Hour {
		t.Errorf("an hour of sleep moved the clock by %s", got)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := clock.Sleep(cancelled, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("want the sleep cancelled, got %v", err)
	}
	if got := clock.Now().Sub(start); got != time.Hour {
		t.Errorf("a cancelled sleep moved the clock to %s", got)
	}
}
