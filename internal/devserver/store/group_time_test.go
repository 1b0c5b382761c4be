package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestGroupTime checks that work is left to the next transaction when the time of one is over, and that all of it is done, in order.
func TestGroupTime(t *testing.T) {
	t.Parallel()
	var now time.Time
	var transactions [][]int
	g := groupCommit{now: func() time.Time { return now }, transact: func(_ context.Context, _ []string, work func(*Tx) error) error {
		transactions = append(transactions, nil)
		return work(&Tx{backend: &sqlite{}})
	}}
	var all []*member
	for i, milliseconds := range []int64{8, 8, 8, 8, 80, 1, 1} {
		all = append(all, &member{ctx: t.Context(), done: make(chan error, 1), work: func(*Tx) error {
			last := len(transactions) - 1
			transactions[last] = append(transactions[last], i)
			now = now.Add(time.Duration(milliseconds) * time.Millisecond)
			return nil
		}})
	}
	g.waiting, g.running = all, true
	g.lead()
	// Work begins until 20 ms are over.
	assert.Same(t, "transactions", [][]int{{0, 1, 2}, {3, 4}, {5, 6}}, transactions)
	for i, m := range all {
		if err := <-m.done; err != nil {
			t.Errorf("work %d: %v", i, err)
		}
	}
}

// TestGroupBroken checks that all work fails on a database that takes no transactions.
func TestGroupBroken(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	g := groupCommit{now: time.Now, transact: func(context.Context, []string, func(*Tx) error) error { return broken }}
	var all []*member
	for range 3 {
		all = append(all, &member{ctx: t.Context(), done: make(chan error, 1), work: func(*Tx) error { return nil }})
	}
	g.waiting, g.running = all, true
	g.lead()
	for i, m := range all {
		if err := <-m.done; !errors.Is(err, broken) {
			t.Errorf("work %d: error = %v, want %v", i, err, broken)
		}
	}
}
