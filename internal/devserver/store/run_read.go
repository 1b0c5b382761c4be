package store

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

func (t *sqliteTx) TraceRuns(f RunFilter) ([]Run, error) {
	statement, args := f.traceRuns()
	return query(t, scanRun, statement, args...)
}

func (f RunFilter) traceRuns() (string, []any) {
	where, args := f.conditions()
	return "SELECT " + runColumns + " FROM runs r WHERE " + where + " ORDER BY r.dotted_order, r.seq", args
}

// Thread is a conversation: the root runs whose metadata name it.
type Thread struct {
	ID        string
	LastStart time.Time // When the last of its runs that match began.
}

// Traces are what a transaction does with traces and conversations.
type Traces interface {
	// TraceRuns lists the runs of a trace in their dotted order; those that have no place yet come first.
	TraceRuns(f RunFilter) ([]Run, error)
	// Threads lists the conversations of the root runs that match, the last begun first, after one if it is there.
	Threads(f RunFilter, after *Thread, limit, offset int) ([]Thread, error)
	// ThreadRuns lists the root runs that match and belong to some conversations, oldest first.
	ThreadRuns(f RunFilter, threadIDs []string) ([]Run, error)
	// CountThreads counts what Threads lists.
	CountThreads(f RunFilter) (int64, error)
	// SortedRuns lists the runs that match by a field, which is one of RunSorts. Those without a value come last.
	SortedRuns(f RunFilter, by filter.Field, ascending bool, page Page) ([]Run, error)
	// RunPreviews are the beginnings of the inputs and outputs of some runs; those of large ones are left out.
	RunPreviews(workspaceID string, ids []string, length int) ([]RunPreview, error)
}

func scanThread(row scanner) (Thread, error) {
	var t Thread
	err := row.Scan(&t.ID, timeColumn{&t.LastStart})
	return t, err
}

func (t *sqliteTx) Threads(f RunFilter, after *Thread, limit, offset int) ([]Thread, error) {
	statement, args := f.threads(after, limit, offset)
	return query(t, scanThread, statement, args...)
}

func (f RunFilter) threads(after *Thread, limit, offset int) (string, []any) {
	where, args := f.ofThreads()
	having := ""
	if after != nil {
		having = " HAVING (max(r.start_time), r.thread_id) < (?, ?)"
		args = append(args, micros(after.LastStart), after.ID)
	}
	return "SELECT r.thread_id, max(r.start_time) FROM runs r WHERE " + where + " GROUP BY r.thread_id" + having +
		" ORDER BY max(r.start_time) DESC, r.thread_id DESC LIMIT ? OFFSET ?", append(args, limit, offset)
}

func (t *sqliteTx) ThreadRuns(f RunFilter, threadIDs []string) ([]Run, error) {
	if len(threadIDs) == 0 {
		return nil, nil
	}
	statement, args := f.threadRuns(threadIDs)
	return query(t, scanRun, statement, args...)
}

// threadRuns names the index, because SQLite would rather read all root runs in the order in which they are wanted.
func (f RunFilter) threadRuns(threadIDs []string) (string, []any) {
	where, args := f.ofThreads()
	return "SELECT " + runColumns + " FROM runs r INDEXED BY runs_of_thread WHERE " + where +
		" AND r.thread_id IN (" + marks(len(threadIDs)) + ") ORDER BY r.start_time, r.seq", append(args, anys(threadIDs)...)
}

func (t *sqliteTx) CountThreads(f RunFilter) (int64, error) {
	where, args := f.ofThreads()
	return queryOne(t, scanNumber, "SELECT count(DISTINCT r.thread_id) FROM runs r WHERE "+where, args...)
}

// ofThreads are the conditions on root runs of conversations.
func (f RunFilter) ofThreads() (string, []any) {
	root := true
	f.Root = &root
	where, args := f.conditions()
	return where + " AND r.thread_id IS NOT NULL", args
}
