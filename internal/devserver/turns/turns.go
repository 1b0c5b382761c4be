package turns

import (
	"context"
	"slices"
	"sync"
)

// Turns are places that workspaces take in turn.
type Turns struct {
	all, each int

	mu      sync.Mutex
	taken   int
	holds   map[string]int // By workspace; those without a place are left out.
	waiting []*waiter      // The longest waiter comes first.
}

type waiter struct {
	workspaceID string
	called      chan struct{} // Closed when it has got a place.
}

// New returns a number of places, of which each workspace takes at most a certain part.
func New(all, each int) *Turns { return &Turns{all: all, each: each, holds: map[string]int{}} }

// Take waits for a place; call the result to return it. The error is that of ctx.
func (t *Turns) Take(ctx context.Context, workspaceID string) (giveBack func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &waiter{workspaceID, make(chan struct{})}
	t.mu.Lock()
	t.waiting = append(t.waiting, w)
	t.call()
	t.mu.Unlock()
	giveBack = func() { t.giveBack(workspaceID) }
	select {
	case <-w.called:
		return giveBack, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	at := slices.Index(t.waiting, w)
	if at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	}
	t.mu.Unlock()
	if at < 0 { // It was called meanwhile.
		giveBack()
	}
	return nil, ctx.Err()
}

func (t *Turns) take(workspaceID string) {
	t.taken++
	t.holds[workspaceID]++
}

func (t *Turns) giveBack(workspaceID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken--
	if t.holds[workspaceID]--; t.holds[workspaceID] == 0 {
		delete(t.holds, workspaceID)
	}
	t.call()
}

// call gives free places to those who wait: first to the workspaces with the fewest.
func (t *Turns) call() {
	for t.taken < t.all {
		next := -1
		for i, w := range t.waiting {
			if held := t.holds[w.workspaceID]; held < t.each && (next < 0 || held < t.holds[t.waiting[next].workspaceID]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		w := t.waiting[next]
		t.waiting = slices.Delete(t.waiting, next, next+1)
		t.take(w.workspaceID)
		close(w.called)
	}
}
