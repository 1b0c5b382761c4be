package store

import (
	"context"
	"sync"
	"time"
)

// leaseTime is how long a process may do some work alone before it has to say so again. If it ends without a word, another one takes the
// work over after this time.
const leaseTime = 10 * time.Second

// leads is what a process knows about leases.
type leads struct {
	mu sync.Mutex
	of map[string]lead
	// release lets other processes do what this one does; nil if it does nothing. If the database can't be reached, they wait until its time is
	// over.
	release func()
}

// end is called when a process ends.
func (l *leads) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.release != nil {
		l.release()
	}
}

// lead is whether this process has a lease, and until when it needn't look again.
type lead struct {
	mine  bool
	until time.Time
}

// Leads implements Store.
func (s *database) Leads(ctx context.Context, work string) (bool, error) {
	if !s.backend.shared() {
		return true, nil
	}
	s.leads.mu.Lock()
	known := s.leads.of[work]
	s.leads.mu.Unlock()
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
	s.leads.mu.Lock()
	defer s.leads.mu.Unlock()
	if s.leads.of == nil {
		s.leads.of = map[string]lead{}
	}
	s.leads.of[work] = lead{mine, now.Add(leaseTime / 2)}
	s.leads.release = func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = s.Tend(ending, func(tx *Tx) error { return tx.exec("DELETE FROM leases WHERE holder = ?", s.holder) })
	}
	return mine, nil
}

// Acquire makes this process the only one that does some work, until it releases it or a time is over. It returns false if another one
// does it. A process that has data for itself needs no lease.
func (t *Tx) Acquire(work string, length time.Duration) (bool, error) {
	if !t.backend.shared() {
		return true, nil
	}
	n, err := t.changed(`INSERT INTO leases (work, holder, until) VALUES (?, ?, ?)
		ON CONFLICT (work) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE leases.holder = excluded.holder OR leases.until <= ?`,
		work, t.holder, t.past.now+length.Microseconds(), t.past.now)
	return n > 0, err
}

// Holds reports whether no other process has acquired some work since this one has.
func (t *Tx) Holds(work string) (bool, error) {
	if !t.backend.shared() {
		return true, nil
	}
	others, err := queryOne(t, scanNumber, "SELECT count(*) FROM leases WHERE work = ? AND holder <> ?", work, t.holder)
	return others == 0, err
}

// Release lets other processes do some work.
func (t *Tx) Release(work string) error {
	if !t.backend.shared() {
		return nil
	}
	return t.exec("DELETE FROM leases WHERE work = ? AND holder = ?", work, t.holder)
}
