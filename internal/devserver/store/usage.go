package store

import "time"

// Usage is how the connections of a database are used at a moment.
type Usage struct {
	// WritersWaiting is how many transactions wait for their turn to write, and ReadersInUse how many are reading.
	WritersWaiting, ReadersInUse int64
}

// Usage is how the connections are used now.
func (s *Store) Usage() Usage {
	s.group.mu.Lock()
	grouped := len(s.group.waiting)
	s.group.mu.Unlock()
	return Usage{WritersWaiting: s.waiting.Load() + int64(grouped), ReadersInUse: int64(len(s.readTurn))}
}

// Measure makes each transaction that writes tell how long it has taken, without the wait for its turn.
func (s *Store) Measure(wrote func(took time.Duration)) { s.wrote.Store(&wrote) }
