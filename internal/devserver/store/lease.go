package store

import (
	"context"
	"sync"
	"time"
)

// leaseTime is how long a process may do some work alone before it has to say so again. If it ends without a word, another one takes the
// work over after this time.
const leaseTime = 10 * time.Second

// leases are those that a process knows of, by what they are for.
type leases struct {
	mu    sync.Mutex
	known map[string]lease
	// release gives up those of this process; nil if it has none. If the database can't be reached, other processes wait until they expire.
	release func()
}

// end is called when a process ends.
func (l *leases) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.release != nil {
		l.release()
	}
}

// lease reports whether this process has a lease, and until when that is certain.
type lease struct {
	mine  bool
	until time.Time
}

// Leads reports whether this process is the one that does some work in the background. Only one of those that share the data does.
func (s *Store) Leads(ctx context.Context, work string) (bool, error) {
	if !s.shared {
		return true, nil
	}
	s.leases.mu.Lock()
	known := s.leases.known[work]
	s.leases.mu.Unlock()
	now := time.Now()
	if now.Before(known.until) {
		return known.mine, nil
	}
	mine := false
	err := s.Tend(ctx, func(tx *Tx) (err error) {
		mine, err = tx.Acquire(work, leaseTime)
		return err
	})
	if err != nil {
		return false, err
	}
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	if s.leases.known == nil {
		s.leases.known = map[string]lease{}
	}
	s.leases.known[work] = lease{mine, now.Add(leaseTime / 2)}
	s.leases.release = func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = s.Tend(ending, func(tx *Tx) error { return tx.exec("DELETE FROM leases WHERE holder = ?", s.holder) })
	}
	return mine, nil
}

// Acquire makes this process the only one that does some work, until it releases it or a time is over. It returns false if another one
// does it. A process that has data for itself needs no lease.
func (t *Tx) Acquire(work string, length time.Duration) (bool, error) {
	if !t.db.shared {
		return true, nil
	}
	n, err := t.changed(`INSERT INTO leases (work, holder, until) VALUES (?, ?, ?)
		ON CONFLICT (work) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE leases.holder = excluded.holder OR leases.until <= ?`,
		work, t.db.holder, t.snapshot.now+length.Microseconds(), t.snapshot.now)
	return n > 0, err
}

// Holds reports whether no other process has acquired some work since this one has, even if that one has released it again.
func (t *Tx) Holds(work string) (bool, error) {
	if !t.db.shared {
		return true, nil
	}
	own, err := queryOne(t, scanNumber, "SELECT count(*) FROM leases WHERE work = ? AND holder = ?", work, t.db.holder)
	return own > 0, err
}

// Release lets other processes do some work.
func (t *Tx) Release(work string) error {
	if !t.db.shared {
		return nil
	}
	return t.exec("DELETE FROM leases WHERE work = ? AND holder = ?", work, t.db.holder)
}
