package store

import (
	"context"
	"fmt"
	"sync"
)

// maxTogether bounds a common transaction, so that nobody waits long for others.
const maxTogether = 64

// queue is the work that waits for a common transaction.
type queue struct {
	mu      sync.Mutex
	waiting []*member
	running bool
}

type member struct {
	ctx  context.Context
	work func(*Tx) error
	done chan error
}

// DoTogether is Do for many writers at a time: what waits while a transaction is on its way to the disk goes into the next
// one together, and shares the wait for the disk. Like Do it returns when the work is durable, and the error of one work
// takes back that work alone.
func (s *Store) DoTogether(ctx context.Context, work func(*Tx) error) error {
	m := &member{ctx: ctx, work: work, done: make(chan error, 1)}
	s.queue.mu.Lock()
	s.queue.waiting = append(s.queue.waiting, m)
	if !s.queue.running {
		s.queue.running = true
		go s.lead() //nolint:contextcheck // It works for many.
	}
	s.queue.mu.Unlock()
	return <-m.done
}

// lead runs transactions until nothing waits.
func (s *Store) lead() {
	for {
		s.queue.mu.Lock()
		group := s.queue.waiting[:min(len(s.queue.waiting), maxTogether)]
		s.queue.waiting = s.queue.waiting[len(group):]
		s.queue.running = len(group) > 0
		s.queue.mu.Unlock()
		if len(group) == 0 {
			return
		}
		s.run(group)
	}
}

// run does the work of a group in one transaction, and tells each what came of it.
func (s *Store) run(group []*member) {
	results := make([]error, len(group))
	err := s.Do(context.Background(), func(tx *Tx) error {
		for i, m := range group {
			if results[i] = m.ctx.Err(); results[i] != nil {
				continue
			}
			var err error
			if results[i], err = tx.attempt(m.work); err != nil {
				return err
			}
		}
		return nil
	})
	for i, m := range group {
		if err != nil {
			results[i] = err
		}
		m.done <- results[i]
	}
}

// attempt does work that is taken back alone when it fails. The second error is the transaction's own.
func (t *Tx) attempt(work func(*Tx) error) (failed, broken error) {
	if err := t.exec("SAVEPOINT work"); err != nil {
		return nil, err
	}
	if failed = guarded(t, work); failed != nil {
		if err := t.exec("ROLLBACK TO work"); err != nil {
			return nil, err
		}
	}
	return failed, t.exec("RELEASE work")
}

// guarded turns a panic into an error: it would end the process, for it happens in no request.
func guarded(t *Tx, work func(*Tx) error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("the work panicked: %v", reason)
		}
	}()
	return work(t)
}
