package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestStatements checks that statements are cached once they have run, whatever the outcome of the transaction, up to a limit.
func TestStatements(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), "")
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	s.StopIndexing() // It has its own statements.
	s.statements = statements{}
	number := func(statement string) (got int, err error) {
		err = s.transact(t.Context(), nil, func(tx *Tx) error {
			return tx.use(statement, func(ready readyStatement) error { return ready.QueryRowContext(t.Context()).Scan(&got) })
		})
		return got, err
	}
	const statement = "SELECT 7"
	stopped := errors.New("stopped")
	if err := s.transact(t.Context(), nil, func(tx *Tx) error {
		return errors.Join(tx.use(statement, func(readyStatement) error { return nil }), stopped)
	}); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	for range 3 {
		if got, err := number(statement); got != 7 || err != nil {
			t.Fatalf("number = %d, %v; want 7", got, err)
		}
	}
	kept := s.statements.get(statement)
	if kept == nil || len(s.statements.ready) != 1 {
		t.Fatalf("%d statements are cached, want the one that ran", len(s.statements.ready))
	}
	for range 2 {
		if _, err := number("SELECT nonsense FROM nowhere"); err == nil {
			t.Fatal("running an invalid statement: error = nil, want one")
		}
	}
	if got, err := number(statement); got != 7 || err != nil || s.statements.get(statement) != kept {
		t.Errorf("after an error: number = %d, %v; want 7 with the same cached statement", got, err)
	}
	for i := range 2 * mostStatements {
		if got, err := number(fmt.Sprintf("SELECT %d", i)); got != i || err != nil {
			t.Fatalf("number = %d, %v; want %d", got, err, i)
		}
	}
	if got := len(s.statements.ready); got > mostStatements {
		t.Errorf("%d statements are cached, want at most %d", got, mostStatements)
	}
}

// TestStatementsWithLimits checks that SQLite is not given a limit that is a mere parameter: it would plan the statement again for each.
func TestStatementsWithLimits(t *testing.T) {
	t.Parallel()
	s, err := openSQLite(t.Context(), "")
	must(t, err)
	defer s.Close()
	for limit := range 3 {
		read(t, s, func(tx *Tx) error {
			_, err := tx.Runs(RunFilter{WorkspaceID: "w"}, false, nil, limit)
			return errors.Join(err, func() error { _, err := tx.Orphans("w", "r", 0, limit); return err }())
		})
	}
	limited := 0
	for statement := range s.asked.ready {
		if strings.Contains(statement, "LIMIT ?") {
			t.Errorf("a statement is planned again for each limit: %s", statement)
		}
		if strings.Contains(statement, "LIMIT") {
			limited++
		}
	}
	if limited < 2 {
		t.Errorf("%d statements have a limit, want at least 2", limited)
	}
}
