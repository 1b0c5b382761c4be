package store

import (
	"context"
	"time"
)

// Expire deletes the traces of each project whose roots began before a time that depends on the project; nil keeps all. Runs
// of a trace that never got its root count alone. It runs in many short transactions.
func (s *Store) Expire(ctx context.Context, before func(Project) *time.Time) error {
	var all []Project
	if err := s.ReadTraced(ctx, func(tx *Tx) (err error) {
		all, err = projects.find(tx, "p WHERE p.workspace_id <> ''")
		return err
	}); err != nil {
		return err
	}
	for _, project := range all {
		limit := before(project)
		if limit == nil {
			continue
		}
		for _, next := range []expired{selectExpiredRoots, selectExpiredOrphans} {
			for more := true; more; {
				var err error
				if more, err = s.expire(ctx, project, next, *limit); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// expired is a query for runs of a project that began before a time, oldest first.
type expired string

const (
	selectExpiredRoots expired = `SELECT r.seq, r.project, r.workspace_id, r.id, r.trace_id FROM runs r
		WHERE r.project = (SELECT p.seq FROM projects p WHERE p.id = ?1 AND p.workspace_id = ?2) AND r.is_root = TRUE AND r.start_time < ?3
		ORDER BY r.start_time, r.seq LIMIT ?4`
	selectExpiredOrphans expired = `SELECT r.seq, r.project, r.workspace_id, r.id, r.trace_id FROM runs r
		WHERE r.project = (SELECT p.seq FROM projects p WHERE p.id = ?1 AND p.workspace_id = ?2) AND r.is_root = FALSE AND r.start_time < ?3
		AND NOT EXISTS (SELECT 1 FROM runs t WHERE t.workspace_id = r.workspace_id AND t.id = r.trace_id AND t.is_root)
		ORDER BY r.start_time, r.seq LIMIT ?4`
)

// expiredRun is a run that is to be deleted, with the rest of its trace if it is a root.
type expiredRun struct {
	doomed
	traceID string
}

func scanExpired(row scanner) (e expiredRun, err error) {
	err = row.Scan(&e.seq, &e.project, &e.workspaceID, &e.id, &e.traceID)
	return e, err
}

// expire deletes as many traces as one transaction may, and reports whether there were any. It finds them without keeping others from
// writing first, because there are usually none.
func (s *Store) expire(ctx context.Context, project Project, next expired, limit time.Time) (more bool, err error) {
	find := func(tx *Tx) ([]expiredRun, error) {
		return query(tx, scanExpired, string(next), project.ID, project.WorkspaceID, micros(limit), sliceRuns)
	}
	var found []expiredRun
	if err := s.ReadTraced(ctx, func(tx *Tx) (err error) { found, err = find(tx); return err }); err != nil || len(found) == 0 {
		return false, err
	}
	return true, s.Do(ctx, func(tx *Tx) error {
		found, err := find(tx) // What was found may be gone, or be part of another trace.
		if err != nil {
			return err
		}
		left := int64(sliceRows)
		for _, root := range found {
			trace, err := tx.traceOf(root, next == selectExpiredRoots)
			if err != nil {
				return err
			}
			if left < sliceRows { // A trace that isn't the first is left to the next transaction unless all of it fits.
				if rows, err := tx.rowsOf(trace); err != nil || rows > left || len(trace) > sliceRuns {
					return err
				}
			}
			if left, err = tx.deleteRuns(trace, left); err != nil || left <= 0 {
				return err
			}
		}
		return nil
	})
}

// traceOf returns the runs to delete, the root last: as long as it exists, the rest of a large trace is found. There are at most as many as
// one transaction deletes, and one more.
func (t *Tx) traceOf(root expiredRun, whole bool) ([]doomed, error) {
	if !whole {
		return []doomed{root.doomed}, nil
	}
	trace, err := query(t, scanDoomed, selectDoomed+"WHERE r.trace_id = ? AND "+unindexed("r.workspace_id")+" = ? AND r.seq <> ? LIMIT ?",
		root.traceID, root.workspaceID, root.seq, sliceRuns+1)
	if len(trace) > sliceRuns {
		return trace, err
	}
	return append(trace, root.doomed), err
}
