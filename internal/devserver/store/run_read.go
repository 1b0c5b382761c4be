package store

import (
	"iter"
	"strings"
	"time"
)

// TraceRuns lists the runs of a trace by dotted order; those that have no place yet come first.
func (t *Tx) TraceRuns(f RunFilter) ([]Run, error) {
	statement, args := f.in(t).traceRuns()
	return query(t, scanRun, statement, args...)
}

func (f RunFilter) traceRuns() (string, []any) {
	where, args := f.conditions()
	return "SELECT " + runColumns + " FROM runs r WHERE " + where + " ORDER BY r.dotted_order NULLS FIRST, r.seq", args
}

// Thread is a conversation: the root runs whose metadata contains its ID.
type Thread struct {
	ID        string
	LastStart time.Time // When the last matching run started.
}

func scanThread(row scanner) (Thread, error) {
	var t Thread
	err := row.Scan(&t.ID, timeColumn{&t.LastStart})
	return t, err
}

// Threads lists the conversations of the matching root runs, the most recently started first, beginning after a given
// one if it is set.
func (t *Tx) Threads(f RunFilter, after *Thread, limit, offset int) ([]Thread, error) {
	f, err := t.narrow(f)
	if err != nil {
		return nil, err
	}
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

// ThreadRuns lists the matching root runs of some conversations, oldest first.
func (t *Tx) ThreadRuns(f RunFilter, threadIDs []string) ([]Run, error) {
	if len(threadIDs) == 0 {
		return nil, nil
	}
	statement, args := f.in(t).threadRuns(threadIDs)
	return query(t, scanRun, statement, args...)
}

// threadRuns names the index, because SQLite would otherwise read all root runs in the requested order. It has no index for root runs, so that
// figures are computed without reading all of those, either.
func (f RunFilter) threadRuns(threadIDs []string) (string, []any) {
	f.Root, f.besides = nil, []condition{where("r.thread_id IN ("+marks(len(threadIDs))+") AND "+unindexed("r.is_root")+" = ?", append(anys(threadIDs), true)...)}
	where, args := f.conditions()
	return "SELECT " + runColumns + " FROM runs r" + using("runs_of_thread") + "WHERE " + where + " ORDER BY r.start_time, r.seq", args
}

// CountThreads counts the results of Threads.
func (t *Tx) CountThreads(f RunFilter) (int64, error) {
	f, err := t.narrow(f)
	if err != nil {
		return 0, err
	}
	where, args := f.ofThreads()
	return queryOne(t, scanNumber, "SELECT count(DISTINCT r.thread_id) FROM runs r WHERE "+where, args...)
}

// ofThreads returns the conditions on root runs of conversations.
func (f RunFilter) ofThreads() (string, []any) {
	root := true
	f.Root = &root
	f.besides = append(f.besides, where("r.thread_id IS NOT NULL"))
	return f.conditions()
}

// CountRunsWith counts the matching runs that have metadata with a key.
func (t *Tx) CountRunsWith(f RunFilter, key string) (int64, error) {
	statement, args := f.in(t).countWith(key)
	return queryOne(t, scanNumber, statement, args...)
}

// countWith begins with the labels, because few runs have a rare key.
func (f RunFilter) countWith(key string) (string, []any) {
	if f.condition().needsAnswers() { // Only about runs with the key.
		f.besides, f.sparse = []condition{where("r.id IN (SELECT x.id FROM run_labels l"+thenJoin+
			"runs x ON x.seq = l.run WHERE l.kind = ? AND l.key = ?)", Metadata, key)}, true
	}
	where, args := f.conditions()
	return "SELECT count(*) FROM run_labels l" + thenJoin + "runs r ON r.seq = l.run WHERE l.kind = ? AND l.key = ? AND " + where,
		append([]any{Metadata, key}, args...)
}

// EachFailure visits the errors of the newest matching failed runs. It names the index, because SQLite would otherwise read all root runs in
// search of failed ones.
func (t *Tx) EachFailure(f RunFilter, limit int, visit func(message string) error) error {
	failed := true
	f.Failed = &failed
	where, args := f.in(t).conditions()
	return each(t, scanText, visit, "SELECT r.error FROM runs r"+using("runs_failed")+"WHERE "+where+" ORDER BY r.start_time DESC, r.seq DESC LIMIT ?",
		append(args, limit)...)
}

// Place is the run's place in the order of its trace; empty while it is unknown.
func (f RunFigures) Place() string {
	if f.DottedOrder == nil {
		return ""
	}
	return *f.DottedOrder
}

// Lineage returns the IDs of a run and all of its ancestors, starting with the root. They are part of its dotted order, so
// that a run counts for its trace even if one in between has not arrived. A run whose place is unknown counts only for
// itself.
func (f RunFigures) Lineage() iter.Seq[string] {
	return func(yield func(string) bool) {
		if f.DottedOrder == nil {
			yield(f.ID)
			return
		}
		for segment := range strings.SplitSeq(*f.DottedOrder, ".") {
			if _, id, _ := strings.Cut(segment, "Z"); !yield(id) {
				return
			}
		}
	}
}

// IsBelow reports whether the run, or one of its ancestors, has an ID.
func (r Run) IsBelow(id string) bool {
	for ancestor := range (RunFigures{ID: r.ID, DottedOrder: r.DottedOrder}).Lineage() {
		if ancestor == id {
			return true
		}
	}
	return false
}
