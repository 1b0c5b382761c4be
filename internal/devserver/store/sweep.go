package store

import (
	"context"
	"errors"
)

// sliceRuns and sliceRows limit what one transaction deletes, so that others needn't wait long for it.
const sliceRuns, sliceRows = 150, 600

// What else counts as a row: this many bytes of a body. A piece of an attachment counts as several rows.
const rowBytes, rowsOfPiece = 16 << 10, 64

// nothingMarked is true as long as no project is being deleted, which is nearly always. It is evaluated once, not for each row.
const nothingMarked = "NOT EXISTS (SELECT 1 FROM deleted_projects WHERE project > 0)"

// alive is the condition that the project of a run isn't being deleted. The argument is the alias of the run's table.
func alive(run string) string {
	return "(" + nothingMarked + " OR " + unindexed(run+".project") + " NOT IN (SELECT project FROM deleted_projects))"
}

// ofLiveRun is the condition that what belongs to a run doesn't belong to one whose project is being deleted. The run may
// not have arrived. The argument is the alias of the table, which has the columns workspace_id and run_id.
func ofLiveRun(of string) string {
	return "(" + nothingMarked + " OR NOT EXISTS (SELECT 1 FROM runs x JOIN deleted_projects d ON d.project = x.project WHERE x.workspace_id = " +
		of + ".workspace_id AND x.id = " + of + ".run_id))"
}

// DeleteProject deletes a project with its runs and everything that belongs to them. Small projects are gone with the
// transaction. Those with more runs than one transaction may delete are marked: no answer contains them, their name is
// free, and Sweep deletes them. Their ID remains taken until then.
//
// It deletes some runs before it marks the project, because a full disk has no page for the mark.
func (t *Tx) DeleteProject(workspaceID, id string) error {
	if t.readOnly {
		return errReadOnly
	}
	t.deletes = true
	seq, err := queryOne(t, scanNumber, "SELECT p.seq FROM projects p WHERE p.workspace_id = ? AND p.id = ?", workspaceID, id)
	if err != nil {
		return err
	}
	if t.deleted < sliceRows { // Of other projects, in the same transaction.
		done, err := t.sweepProject(seq)
		if err != nil || done {
			return err
		}
	}
	t.marked = true
	// No workspace has an empty ID. Numbers as names are unique, and shorter than any name that they may replace.
	if err := t.execOne(`UPDATE projects SET workspace_id = '', name = CAST(seq AS TEXT), description = NULL, extra = NULL WHERE id = ?`, id); err != nil {
		return err
	}
	return t.exec("INSERT INTO deleted_projects (project) VALUES (?)", seq)
}

// Sweep deletes some of the rows of deleted projects, or of replaced attachments, and reports whether there are more. It is one short
// transaction, so that others run in between.
func (s *Store) Sweep(ctx context.Context) (more bool, err error) {
	more, err = s.step(ctx, "SELECT project FROM deleted_projects ORDER BY project LIMIT 1", func(tx *Tx, seq int64) error {
		_, err := tx.sweepProject(seq)
		return err
	})
	if more || err != nil {
		return more, err
	}
	return s.step(ctx, "SELECT seq FROM attachments WHERE run_id IS NULL AND created_at = 0 LIMIT 1", func(tx *Tx, seq int64) error {
		id, err := queryOne(tx, scanText, "SELECT id FROM attachments WHERE seq = ?", seq)
		if err == nil {
			_, err = tx.DropAttachments([]string{id})
		}
		return err
	})
}

// step does work with the number that a query returns, and reports whether it returned one. It finds it without keeping others from
// writing first, because there is usually none.
func (s *Store) step(ctx context.Context, next string, work func(*Tx, int64) error) (more bool, err error) {
	err = s.ReadTraced(ctx, func(tx *Tx) error {
		_, err := queryOne(tx, scanNumber, next)
		return err
	})
	if Missing(&err) || err != nil {
		return false, err
	}
	err = s.Do(ctx, func(tx *Tx) error {
		n, err := queryOne(tx, scanNumber, next)
		if Missing(&err) || err != nil {
			return err
		}
		more = true
		return work(tx, n)
	})
	return more && err == nil, err
}

// Marked receives a value after a transaction has left work to Sweep or GiveBack. There may also be some from before the
// database was opened.
func (s *Store) Marked() <-chan struct{} { return s.marked }

// sweepProject deletes a slice of a project's rows, and the project itself after the last one.
func (t *Tx) sweepProject(seq int64) (done bool, err error) {
	runs, err := query(t, scanDoomed, selectDoomed+"WHERE r.project = ? ORDER BY r.start_time, r.seq LIMIT ?", seq, sliceRuns)
	if err != nil {
		return false, err
	}
	left, err := t.deleteRuns(runs, sliceRows)
	if err != nil || left <= 0 || len(runs) == sliceRuns {
		return false, err
	}
	rows, err := t.changed(`DELETE FROM feedback WHERE seq IN (SELECT f.seq FROM projects p JOIN feedback f ON f.project_id = p.id
		WHERE p.seq = ? LIMIT ?)`, seq, left)
	if err != nil || rows == left {
		return false, err
	}
	if rows, err = t.dropRollups(seq, left-rows); err != nil || rows > 0 {
		return false, err
	}
	if err := errors.Join(t.settle(), t.exec("DELETE FROM space WHERE project = ?", seq)); err != nil {
		return false, err
	}
	id, err := queryOne(t, scanText, "SELECT p.id FROM projects p WHERE p.seq = ?", seq)
	if err != nil {
		return false, err
	}
	return true, t.execOne("DELETE FROM projects WHERE id = ?", id)
}

// doomed is a run that is to be deleted.
type doomed struct {
	seq, project    int64
	workspaceID, id string
}

const selectDoomed = "SELECT r.seq, r.project, r.workspace_id, r.id FROM runs r "

func scanDoomed(row scanner) (doomed, error) {
	var d doomed
	err := row.Scan(&d.seq, &d.project, &d.workspaceID, &d.id)
	return d, err
}

// deleteRuns deletes runs of one workspace, in order, with everything that belongs to them, until a number of rows is
// exhausted; it returns what is left of it. Runs are only ever deleted here: what is derived from them is deleted, too.
func (t *Tx) deleteRuns(runs []doomed, rows int64) (left int64, err error) {
	t.deletes = true
	if len(runs) == 0 {
		return rows, nil
	}
	weights, err := t.weights(runs)
	if err != nil {
		return 0, err
	}
	n, left := 0, rows
	for n < len(runs) && weights[runs[n].seq] <= left {
		left -= weights[runs[n].seq]
		n++
	}
	if n == 0 {
		t.deleted += rows
		return 0, t.trim(runs[0], rows)
	}
	t.deleted += rows - left
	of := deletionOf(runs[:n])
	if err := t.markDeleted(of); err != nil {
		return 0, err
	}
	seqs, _ := of[2].(jsonNumbers)
	if err := errors.Join(t.vacate(seqs), t.dropAttachments("a.workspace_id = ?1 AND a.run_id IN "+elements("?2"), of[:2]...)); err != nil {
		return 0, err
	}
	for _, statement := range []string{
		"DELETE FROM run_labels WHERE run IN " + numbers("?3"),
		"DELETE FROM feedback WHERE run_id IN " + elements("?2") + " AND workspace_id = ?1",
		"DELETE FROM feedback_tokens WHERE workspace_id = ?1 AND run_id IN " + elements("?2"),
		"DELETE FROM run_shares WHERE workspace_id = ?1 AND run_id IN " + elements("?2"),
		"DELETE FROM runs WHERE seq IN " + numbers("?3"),
	} {
		if err := t.exec(statement, of...); err != nil {
			return 0, err
		}
	}
	if n < len(runs) {
		left = 0
	}
	t.unindexed += int64(n) // Blocks without runs need no index.
	return left, nil
}

// markDeleted marks the figures that depend on runs that are about to be deleted: they also count for the runs above them, which may stay.
func (t *Tx) markDeleted(of []any) error {
	workspaceID, _ := of[0].(string)
	return errors.Join(
		t.mark("SELECT DISTINCT r.project, 1, "+startQuarter()+", 1 FROM runs r WHERE r.seq IN "+numbers("?1"), of[2]),
		each(t, scanText, func(traceID string) error {
			t.marks.changeTrace(workspaceID, traceID)
			return nil
		}, "SELECT DISTINCT r.trace_id FROM runs r WHERE r.seq IN "+numbers("?1"), of[2]),
	)
}

// deletionOf returns the arguments of statements on runs: their workspace, their IDs, and their numbers.
func deletionOf(runs []doomed) []any {
	ids, seqs := make([]string, len(runs)), make([]int64, len(runs))
	for i, run := range runs {
		ids[i], seqs[i] = run.id, run.seq
	}
	return []any{runs[0].workspaceID, jsonList(ids), jsonNumbers(seqs)}
}

// weights returns how many rows belong to each run. Long bodies and attachments count as several.
func (t *Tx) weights(runs []doomed) (map[int64]int64, error) {
	type weight struct{ run, rows int64 }
	weights := map[int64]int64{}
	err := each(t, func(row scanner) (w weight, err error) {
		err = row.Scan(&w.run, &w.rows)
		return w, err
	}, func(w weight) error {
		weights[w.run] += w.rows
		return nil
	}, `SELECT r.seq, 3 + (SELECT count(*) FROM run_labels l WHERE l.run = r.seq)
			+ coalesce((SELECT (length(b.post) + length(b.patch)) / ?1 FROM run_bodies b WHERE b.run = r.seq), 0)
			+ (SELECT count(*) FROM feedback f WHERE f.run_id = r.id AND f.workspace_id = r.workspace_id)
			+ (SELECT count(*) FROM feedback_tokens k WHERE k.workspace_id = r.workspace_id AND k.run_id = r.id)
			+ ?2 * (SELECT count(*) FROM attachments a LEFT JOIN attachment_pieces c ON c.attachment = a.seq
				WHERE a.workspace_id = r.workspace_id AND a.run_id = r.id)
		FROM runs r WHERE r.seq IN `+numbers("?3"), rowBytes, rowsOfPiece, deletionOf(runs)[2])
	return weights, err
}

// rowsOf returns how many rows belong to runs.
func (t *Tx) rowsOf(runs []doomed) (sum int64, err error) {
	weights, err := t.weights(runs)
	for _, rows := range weights {
		sum += rows
	}
	return sum, err
}

// trim deletes some of the rows that belong to a run with very many.
func (t *Tx) trim(run doomed, rows int64) error {
	empty := rows / rowsOfPiece
	err := t.dropAttachments(`a.seq IN (SELECT b.seq FROM attachments b WHERE b.workspace_id = ? AND b.run_id = ?
		AND NOT EXISTS (SELECT 1 FROM attachment_pieces c WHERE c.attachment = b.seq) LIMIT ?)`, run.workspaceID, run.id, empty)
	if err != nil {
		return err
	}
	rows -= empty
	for _, some := range []struct {
		statement string
		of        []any
		counts    int64
	}{
		{`DELETE FROM attachment_pieces WHERE (attachment, number) IN (
			SELECT c.attachment, c.number FROM attachments a JOIN attachment_pieces c ON c.attachment = a.seq
			WHERE a.workspace_id = ? AND a.run_id = ? LIMIT ?)`, []any{run.workspaceID, run.id}, rowsOfPiece},
		{`DELETE FROM run_labels WHERE (run, kind, key, value) IN (
			SELECT l.run, l.kind, l.key, l.value FROM run_labels l WHERE l.run = ? LIMIT ?)`, []any{run.seq}, 1},
		{"DELETE FROM feedback WHERE seq IN (SELECT f.seq FROM feedback f WHERE f.workspace_id = ? AND f.run_id = ? LIMIT ?)",
			[]any{run.workspaceID, run.id}, 1},
		{"DELETE FROM feedback_tokens WHERE seq IN (SELECT k.seq FROM feedback_tokens k WHERE k.workspace_id = ? AND k.run_id = ? LIMIT ?)",
			[]any{run.workspaceID, run.id}, 1},
	} {
		deleted, err := t.changed(some.statement, append(some.of, rows/some.counts)...)
		if err != nil {
			return err
		}
		if rows -= deleted * some.counts; rows < some.counts {
			return nil
		}
	}
	return t.exec("DELETE FROM run_bodies WHERE run = ?", run.seq) // Nothing else is left that is as large.
}

// changed is exec for statements of which the number of rows that they change matters.
func (t *Tx) changed(statement string, args ...any) (int64, error) {
	result, err := t.change(statement, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// makeRoom deletes a run of a project that is being deleted, if it still has the ID of a new run.
func (t *Tx) makeRoom(workspaceID, id string) error {
	runs, err := query(t, scanDoomed, selectDoomed+"WHERE r.workspace_id = ? AND r.id = ? AND NOT ("+alive("r")+")", workspaceID, id)
	for left := int64(0); err == nil && left <= 0 && len(runs) > 0; {
		left, err = t.deleteRuns(runs, sliceRows)
	}
	return err
}
