package turns

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// try takes a place unless the workspace would have to wait. Call it in a bubble.
func try(t *testing.T, all *Turns, workspaceID string) (giveBack func(), taken bool) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		var err error
		giveBack, err = all.Take(ctx, workspaceID)
		taken = err == nil
		close(done)
	}()
	synctest.Wait()
	leave()
	<-done
	return giveBack, taken
}

// TestShare checks that a workspace takes its share and no more, and that another one finds a place then.
func TestShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := New(4, 2)
		var given []func()
		for i, next := range []struct {
			workspaceID string
			taken       bool
		}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"a", false}, {"b", true}, {"c", false}} {
			giveBack, taken := try(t, all, next.workspaceID)
			if taken != next.taken {
				t.Errorf("%d: %s got a place: %v, want %v", i, next.workspaceID, taken, next.taken)
			}
			if taken {
				given = append(given, giveBack)
			}
		}
		for _, giveBack := range given {
			giveBack()
		}
		if all.taken != 0 || len(all.holds) != 0 {
			t.Errorf("%d places are still taken, by %v; want none", all.taken, all.holds)
		}
	})
}

// TestInTurn checks that a place goes to the workspace with the fewest, and to its longest waiter, however many others wait.
func TestInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := New(2, 2)
		first, err := all.Take(t.Context(), "a")
		assert.Must(t, err)
		second, err := all.Take(t.Context(), "a")
		assert.Must(t, err)
		called := make(chan string)
		wait := func(workspaceID, name string) {
			go func() {
				giveBack, err := all.Take(t.Context(), workspaceID)
				if err != nil {
					t.Error(err)
					return
				}
				called <- name
				giveBack()
			}()
			synctest.Wait()
		}
		for _, name := range []string{"a1", "a2", "a3"} {
			wait("a", name)
		}
		wait("b", "b1")
		wait("b", "b2")
		first()
		var order []string
		for range 5 {
			synctest.Wait()
			order = append(order, <-called)
		}
		// While the second place is held, b has none whenever it waits.
		if want := []string{"b1", "b2", "a1", "a2", "a3"}; !slices.Equal(order, want) {
			t.Errorf("order = %v, want %v", order, want)
		}
		second()
	})
}

// TestLeave checks that those who leave neither keep a place nor their place in the queue.
func TestLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := New(1, 1)
		giveBack, err := all.Take(t.Context(), "a")
		assert.Must(t, err)
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := all.Take(ctx, "b")
			left <- err
		}()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want context.Canceled", err)
		}
		if _, err := all.Take(ctx, "b"); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want context.Canceled", err)
		}
		giveBack()
		if all.taken != 0 || len(all.waiting) != 0 || len(all.holds) != 0 {
			t.Errorf("%d places are taken and %d wait, want none", all.taken, len(all.waiting))
		}
	})
}
