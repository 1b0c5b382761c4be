package authservice

import "sync"

// waiters are those who wait for the end of a flow, keyed by its ID.
type waiters struct {
	mu sync.Mutex
	of map[string]*waiter
}

// waiter is a channel that is closed for all who wait for the same flow.
type waiter struct {
	ended   chan struct{}
	waiting int
}

// wait starts to wait. Call leave afterwards.
func (w *waiters) wait(authID string) (ended <-chan struct{}, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, known := w.of[authID]
	if !known {
		at = &waiter{ended: make(chan struct{})}
		if w.of == nil {
			w.of = map[string]*waiter{}
		}
		w.of[authID] = at
	}
	at.waiting++
	return at.ended, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if at.waiting--; at.waiting == 0 && w.of[authID] == at {
			delete(w.of, authID)
		}
	}
}

// wake ends all waiting for a flow.
func (w *waiters) wake(authID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at, known := w.of[authID]; known {
		delete(w.of, authID)
		close(at.ended)
	}
}
