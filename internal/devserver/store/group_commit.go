package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// maxGroup limits a common transaction, so that nobody waits long for others.
const maxGroup = 64

// groupCommit collects work for a common transaction.
type groupCommit struct {
	// transact runs a transaction.
	transact func(ctx context.Context, work func(*Tx) error) error

	mu      sync.Mutex
	waiting []*member
	running bool
}

type member struct {
	ctx  context.Context
	work func(*Tx) error
	done chan error
}

func (g *groupCommit) do(ctx context.Context, work func(*Tx) error) error {
	m := &member{ctx: ctx, work: work, done: make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, m)
	if !g.running {
		g.running = true
		go g.lead() //nolint:contextcheck // It runs the work of many callers.
	}
	g.mu.Unlock()
	return <-m.done
}

// lead runs transactions until no work is waiting.
func (g *groupCommit) lead() {
	for {
		g.mu.Lock()
		group := g.waiting[:min(len(g.waiting), maxGroup)]
		g.waiting = g.waiting[len(group):]
		g.running = len(group) > 0
		g.mu.Unlock()
		if len(group) == 0 {
			return
		}
		g.run(group)
	}
}

// run does the work of a group in one transaction, and reports each result to its caller. It expects all to succeed: in a
// savepoint, SQLite copies every page before its first change, which takes longer than many changes. Only after a failure,
// it repeats the work with a savepoint for each member.
func (g *groupCommit) run(group []*member) {
	results := make([]error, len(group))
	var failed error
	err := g.transact(context.Background(), func(tx *Tx) error {
		for _, m := range group {
			if err := m.do(tx); err != nil {
				failed = err
				return err
			}
		}
		return nil
	})
	if failed != nil && len(group) > 1 {
		err = g.transact(context.Background(), func(tx *Tx) error {
			for i, m := range group {
				var broken error
				if results[i], broken = tx.attempt(m.do); broken != nil {
					return broken
				}
			}
			return nil
		})
	}
	for i, m := range group {
		if err != nil {
			results[i] = err
		}
		m.done <- results[i]
	}
}

// do does the work unless its caller has left. A panic is an error: it would end the process, because no request handler
// recovers it.
func (m *member) do(tx *Tx) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("the work panicked: %v", reason)
		}
	}()
	if err := m.ctx.Err(); err != nil {
		return err
	}
	return m.work(tx)
}

// attempt runs work in a savepoint, so that a failure rolls back that work alone. The second error is the transaction's
// own.
func (t *Tx) attempt(work func(*Tx) error) (failed, broken error) {
	if err := t.exec("SAVEPOINT work"); err != nil {
		return nil, err
	}
	before := len(t.changes)
	if failed = work(t); failed != nil {
		t.changes = t.changes[:before]
		if err := t.exec("ROLLBACK TO work"); err != nil {
			return nil, errors.Join(failed, err) // SQLite has ended the transaction, as on a full disk.
		}
	}
	return failed, t.exec("RELEASE work")
}
