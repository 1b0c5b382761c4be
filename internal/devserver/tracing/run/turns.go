package run

import (
	"context"
	"runtime"
	"sync"
)

// turns limits how many requests of each workspace are derived at the same time, so that one workspace leaves processors to the others.
type turns struct {
	mu          sync.Mutex
	byWorkspace map[string]*queue
}

type queue struct {
	places chan struct{}
	users  int // Those who wait, too.
}

// take waits for a turn; call the result to return it.
func (t *turns) take(ctx context.Context, workspaceID string) (giveBack func(), err error) {
	t.mu.Lock()
	q := t.byWorkspace[workspaceID]
	if q == nil {
		q = &queue{places: make(chan struct{}, (runtime.GOMAXPROCS(0)+1)/2)}
		if t.byWorkspace == nil {
			t.byWorkspace = map[string]*queue{}
		}
		t.byWorkspace[workspaceID] = q
	}
	q.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if q.users--; q.users == 0 {
			delete(t.byWorkspace, workspaceID)
		}
	}
	select {
	case q.places <- struct{}{}:
		return func() { <-q.places; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
