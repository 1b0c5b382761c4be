package store

import (
	"context"
	"database/sql"
	"sync"
)

// mostStatements limits how many statements are kept: run filters can produce an unlimited number of new ones.
const mostStatements = 256

// statements are prepared statements that outlive a transaction, by their SQL. Preparing one takes longer than most of them
// run.
type statements struct {
	mu    sync.Mutex
	ready map[string]*sql.Stmt
	// wanted have run in a transaction, which leaves no connection for preparing them permanently.
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

// prepare prepares the wanted statements; call it outside of transactions. If it fails, the next transaction that needs the
// statement prepares it again and reports the error.
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
			_ = ready.Close() //nolint:sqlclosecheck // Another transaction has prepared it, too; its statement is kept.
		} else {
			s.ready[text] = ready
		}
		s.mu.Unlock()
	}
}
