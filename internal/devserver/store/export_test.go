package store

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// must ends a test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Data is where a test keeps its rows: in memory or, if AGENTPLANE_TEST_DATA says so, in a database of PostgreSQL of its own.
func Data(t testing.TB) string {
	t.Helper()
	return postgrestest.New(t, Open)
}

// DataFile is Data for tests that need several connections: it is a file in place of memory.
func DataFile(t testing.TB) string {
	t.Helper()
	if data := Data(t); data != "" {
		return data
	}
	return filepath.Join(t.TempDir(), "plane.db")
}

// Pragma reads a setting of the connection.
func Pragma(tx *Tx, name string) (string, error) {
	return queryOne(tx, scanText, "PRAGMA "+name)
}

// LimitPages limits the database to a number of pages; zero removes the limit.
func LimitPages(tx *Tx, n int) error {
	if n == 0 {
		n = 1 << 30
	}
	_, err := queryOne(tx, scanNumber, fmt.Sprintf("PRAGMA max_page_count = %d", n))
	return err
}

// IndexRuns indexes all runs for searches, in place of what does that in the background. List says whether candidates are looked up by their numbers.
func IndexRuns(ctx context.Context, db *Store, list bool) error {
	db.StopIndexing()
	if !list {
		db.index.maxListed = 0
	}
	for {
		if found, err := db.indexNext(ctx, 0, false); err != nil || !found {
			return err
		}
	}
}

// Plan returns the query plan for listing runs. If the list looks at some runs at a time, it is that for finding them, and for looking.
func Plan(tx *Tx, f RunFilter, ascending bool, after *RunCursor) ([]string, error) {
	f = f.in(tx)
	if f.TreeWhere == nil {
		return tx.explain(f.list(ascending, after, 100))
	}
	all := f.withoutQuestions()
	all.TreeWhere = nil
	found, err := tx.explain(all.listOf("r.start_time, r.seq", ascending, after, candidatesAtOnce))
	if err != nil {
		return nil, err
	}
	f.candidates = &candidates{listed: jsonNumbers{1, 2, 3}}
	looked, err := tx.explain(f.list(ascending, nil, 100))
	return append(found, looked...), err
}

// PlanTimings returns the query plan for reading the timings of runs.
func PlanTimings(tx *Tx, f RunFilter, by RunGroup) ([]string, error) {
	return tx.explain(f.timings(by))
}

// PlanFigures returns the query plan for reading figures.
func PlanFigures(tx *Tx, f RunFilter) ([]string, error) { return tx.explain(f.figures()) }

// PlanFiguresOfTraces returns the query plan for reading the figures of traces.
func PlanFiguresOfTraces(tx *Tx, f RunFilter) ([]string, error) {
	return tx.explain(f.figuresOfTraces(true))
}

// PlanTraceRuns returns the query plan for listing the runs of a trace.
func PlanTraceRuns(tx *Tx, f RunFilter) ([]string, error) {
	return tx.explain(f.traceRuns())
}

// PlanThreads returns the query plan for listing conversations.
func PlanThreads(tx *Tx, f RunFilter, after *Thread) ([]string, error) {
	return tx.explain(f.threads(after, 100, 0))
}

// PlanFeedback returns the query plan for reading the feedback on runs.
func PlanFeedback(tx *Tx, f RunFilter) ([]string, error) { return tx.explain(f.feedback()) }

// PlanRunsWith returns the query plan for counting runs with a key.
func PlanRunsWith(tx *Tx, f RunFilter) ([]string, error) { return tx.explain(f.countWith("k")) }

// PlanThreadRuns returns the query plan for listing the runs of conversations.
func PlanThreadRuns(tx *Tx, f RunFilter, threadIDs []string) ([]string, error) {
	return tx.explain(f.threadRuns(threadIDs))
}

// FiguresComputed returns how many figures of subtrees are computed for each list of them that a filter needs.
func FiguresComputed(tx *Tx, f RunFilter) (counts []int, err error) {
	seen := map[*subtreeFigures]bool{}
	for _, arg := range f.in(tx).condition().arguments {
		if s, is := arg.(*subtreeFigures); is && !seen[s] {
			seen[s] = true
			figures, err := s.compute(tx)
			if err != nil {
				return nil, err
			}
			counts = append(counts, len(figures))
		}
	}
	return counts, nil
}

// PartSizes returns how many runs are looked at in each part of a list.
func PartSizes(tx *Tx, f RunFilter) (sizes []int, err error) {
	err = tx.inParts(f.in(tx), false, nil, 1, func(part RunFilter, _ int) (int, error) {
		sizes = append(sizes, len(part.candidates.listed))
		return 0, nil
	})
	return sizes, err
}

// explain returns the query plan of a statement, after those for the figures among its arguments.
func (t *Tx) explain(statement string, args []any) (plan []string, err error) {
	for _, arg := range args {
		if figures, is := arg.(*subtreeFigures); is {
			asked, err := t.explain(figures.askedRuns())
			if err != nil {
				return nil, err
			}
			before, err := t.explain(figures.runsOfTraces(nil, placeColumnsWithOrder, ""))
			if err != nil {
				return nil, err
			}
			plan = slices.Concat(plan, asked, before)
		}
	}
	steps, err := t.explainOne(statement, args)
	return append(plan, steps...), err
}

func (t *Tx) explainOne(statement string, args []any) ([]string, error) {
	if _, is := t.backend.(*postgres); is {
		return query(t, scanText, "EXPLAIN "+statement, args...)
	}
	return query(t, func(row scanner) (string, error) {
		var id, parent, unused int
		var step string
		err := row.Scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+statement, args...)
}

// Exec runs a statement that changes rows in ways that nothing else does.
func Exec(tx *Tx, statement string) error { return tx.exec(statement) }

// RunsRead is how many rows of runs PostgreSQL has read in the transaction.
func RunsRead(tx *Tx) (int64, error) {
	return queryOne(tx, scanNumber, "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'runs'")
}

// MaxCachedBytes limits what is kept of traces. ChangeTimes is how many times of changes they share.
const MaxCachedBytes, ChangeTimes = maxCachedBytes, changeTimes

// SliceRows is the maximum number of rows that one step of a deletion may delete.
const SliceRows = sliceRows

// CountRows returns the number of rows that runs and what belongs to them have.
func CountRows(tx *Tx) (sum int64, err error) {
	for _, table := range []string{"projects", "runs", "run_bodies", "run_labels", "feedback", "feedback_tokens", "run_shares", "attachments", "attachment_pieces"} {
		n, err := queryOne(tx, scanNumber, "SELECT count(*) FROM "+table)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// Setting reads a setting of PostgreSQL.
func Setting(tx *Tx, name string) (string, error) {
	return queryOne(tx, scanText, "SELECT current_setting(?)", name)
}

// Sleep makes PostgreSQL wait for longer than any test.
func Sleep(tx *Tx) error {
	_, err := queryOne(tx, scanText, "SELECT pg_sleep(600)::text")
	return err
}

// largeScan is a step of a plan of SQLite that reads all runs of a workspace, or all rows of a table. The elements of an argument are a
// virtual table.
var largeScan = regexp.MustCompile(`runs_of_workspace \(workspace_id=\?\)|^SCAN [^ ]+($| USING)`)

// smallScans are those of tables or indexes with few rows.
var smallScans = []string{"SCAN space", "SCAN revisions USING INDEX revisions_unfinished"}

// CheckChanges checks that the statements that the transactions of a store have executed, and that change rows, read only what they need:
// everybody waits for them.
func CheckChanges(t testing.TB, s *Store) {
	t.Helper()
	if s.shared {
		return
	}
	s.statements.mu.Lock()
	all := slices.AppendSeq(slices.Clone(s.statements.wanted), maps.Keys(s.statements.ready))
	s.statements.mu.Unlock()
	err := s.Read(context.Background(), func(tx *Tx) error {
		for _, statement := range all {
			if word, _, _ := strings.Cut(statement, " "); !slices.Contains([]string{"INSERT", "UPDATE", "DELETE"}, word) {
				continue
			}
			plan, err := tx.explain(statement, make([]any, argumentsOf(statement)))
			if err != nil {
				return err
			}
			for _, step := range plan {
				if largeScan.MatchString(step) && !slices.Contains(smallScans, step) {
					t.Errorf("a change reads more than it needs:\n%s\n%s", statement, strings.Join(plan, "\n"))
				}
			}
		}
		return nil
	})
	if err != nil && !strings.Contains(err.Error(), "database is closed") {
		t.Error(err)
	}
}

// argumentsOf returns how many arguments a statement has, whose parameters are numbered or not.
func argumentsOf(statement string) (n int) {
	for _, parameter := range regexp.MustCompile(`\?(\d*)`).FindAllStringSubmatch(statement, -1) {
		number, err := strconv.Atoi(parameter[1])
		if err != nil {
			number = n + 1
		}
		n = max(n, number)
	}
	return n
}

// ScanTable reads all rows of a table, not those of an index.
func ScanTable(tx *Tx, table string) error {
	return each(tx, func(scanner) (struct{}, error) { return struct{}{}, nil }, func(struct{}) error { return nil }, "SELECT * FROM "+table+" NOT INDEXED")
}
