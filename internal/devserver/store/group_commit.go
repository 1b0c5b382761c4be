package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// maxGroup and maxGroupTime limit a common transaction, so that no transaction waits long for others. Work that has begun is always finished.
const (
	maxGroup     = 64
	maxGroupTime = 20 * time.Millisecond
)

// groupCommit collects work for a common transaction, which waits once for the disk: without it, 16 clients log half as many single runs.
type groupCommit struct {
	// transact runs a transaction that writes to some workspaces, or anything.
	transact func(ctx context.Context, workspaces []string, work func(*Tx) error) error
	now      func() time.Time

	mu      sync.Mutex
	waiting []*member
	running bool
}

type member struct {
	ctx      context.Context
	expected Expected
	work     func(*Tx) error
	done     chan error
}

func (g *groupCommit) do(ctx context.Context, expected Expected, work func(*Tx) error) error {
	m := &member{ctx: ctx, expected: expected, work: work, done: make(chan error, 1)}
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
		if n := g.run(group); n < len(group) {
			g.mu.Lock()
			g.waiting = slices.Concat(group[n:], g.waiting)
			g.mu.Unlock()
		}
	}
}

// run does the work of a group in one transaction, until its time is over. It reports each result to its caller, and returns how many
// there are. It expects all to succeed: in a savepoint, SQLite copies every page before its first change, which takes longer than many
// changes. Only after a failure, it repeats the work with a savepoint for each member.
func (g *groupCommit) run(group []*member) (done int) {
	results := make([]error, len(group))
	var failed error
	expected := make([]Expected, len(group))
	workspaces := make([]string, len(group))
	for i, m := range group {
		expected[i], workspaces[i] = m.expected, m.expected.WorkspaceID
	}
	if slices.Contains(workspaces, "") {
		workspaces = nil
	}
	err := g.transact(context.Background(), workspaces, func(tx *Tx) error {
		failed = tx.backend.expect(tx, expected)
		if failed != nil {
			return failed
		}
		if done, failed = g.each(group, func(_ int, m *member) error { return m.do(tx) }); failed == nil {
			failed = tx.backend.saveAll(tx)
		}
		return failed
	})
	if failed != nil && len(group) > 1 {
		err = g.transact(context.Background(), workspaces, func(tx *Tx) (broken error) {
			if err := tx.backend.expect(tx, expected); err != nil {
				return err
			}
			done, broken = g.each(group, func(i int, m *member) error {
				var broken error
				results[i], broken = tx.attempt(m.do)
				return broken
			})
			return broken
		})
	}
	if err != nil {
		done = max(done, 1)
	}
	for i, m := range group[:done] {
		if err != nil {
			results[i] = err
		}
		m.done <- results[i]
	}
	return done
}

// each calls do for members until one fails or the time for a transaction is over, and returns how many succeeded.
func (g *groupCommit) each(group []*member, do func(int, *member) error) (done int, err error) {
	end := g.now().Add(maxGroupTime)
	for i, m := range group {
		if i > 0 && !g.now().Before(end) {
			return i, nil
		}
		if err := do(i, m); err != nil {
			return i, err
		}
	}
	return len(group), nil
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
	occupied := len(t.occupied)
	if failed = work(t); failed == nil {
		failed = t.backend.saveAll(t)
	}
	if failed != nil {
		t.pending.discard()
		t.occupied, t.projects = t.occupied[:occupied], nil
		clear(t.marks.read) // Marks for nothing do no harm.
		if err := t.exec("ROLLBACK TO work"); err != nil {
			return nil, errors.Join(failed, err) // SQLite has ended the transaction, as on a full disk.
		}
	}
	return failed, t.exec("RELEASE work")
}
