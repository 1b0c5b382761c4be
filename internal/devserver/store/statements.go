package store

import (
	"context"
	"database/sql"
	"sync"
)

// mostStatements bounds how many statements are kept: filters of runs make up new ones for as long as anybody likes.
const mostStatements = 256

// statements are those that outlive a transaction, by their text. Preparing one takes longer than most of them run.
type statements struct {
	mu    sync.Mutex
	ready map[string]*sql.Stmt
	// wanted have run in a transaction, in which there is no connection left to prepare them for good.
	wanted []string
}

func (s *statements) get(text string) *sql.Stmt {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ready, known := s.ready[text]; known {
		return ready
	}
	if len(s.ready)+len(s.wanted) < mostStatements {
		s.wanted = append(s.wanted, text)
	}
	return nil
}

// prepare prepares what is wanted; it must be called outside of transactions. What can't be prepared is prepared again
// by the transaction that needs it, which then has the error.
func (s *statements) prepare(ctx context.Context, db *sql.DB) {
	s.mu.Lock()
	wanted := s.wanted
	s.wanted = nil
	s.mu.Unlock()
	for _, text := range wanted {
		ready, err := db.PrepareContext(ctx, text)
		if err != nil {
			continue
		}
		s.mu.Lock()
		if s.ready == nil {
			s.ready = map[string]*sql.Stmt{}
		}
		if _, twice := s.ready[text]; twice {
			_ = ready.Close() //nolint:sqlclosecheck // Another transaction wanted it, too; the others stay open.
		} else {
			s.ready[text] = ready
		}
		s.mu.Unlock()
	}
}
