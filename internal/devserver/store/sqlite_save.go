package store

import (
	"errors"
	"slices"
	"strings"
)

// There is no RETURNING and no ON CONFLICT: with either, SQLite copies each page before it changes, so that it could undo the statement alone.
var (
	addRun    = "INSERT INTO runs (" + strings.Join(addedColumns, ", ") + ") VALUES (" + marks(len(addedColumns)) + ")"
	changeRun = "UPDATE runs SET " + strings.Join(changedColumns, " = ?, ") + " = ? WHERE seq = ?"
)

// save stores a run at once.
func (q *sqlite) save(t *Tx, r *savedRun) (err error) {
	added := r.Seq == 0
	if added {
		t.unindexed++
		if r.Seq, err = q.insert(t, addRun, r.values(addedColumns)); errors.Is(err, errTaken) {
			if err = t.makeRoom(r.WorkspaceID, r.ID); err == nil {
				r.Seq, err = q.insert(t, addRun, r.values(addedColumns))
			}
		}
	} else if err = t.vacate(jsonNumbers{r.Seq}); err == nil {
		err = t.execOne(changeRun, append(r.values(changedColumns), r.Seq)...)
	}
	if err == nil && !added {
		err = t.noteChanges(jsonNumbers{r.Seq})
	}
	if err != nil {
		return err
	}
	t.occupy(r.WorkspaceID, r.project, r.space)
	t.unindexedBytes += int64(len(r.Body.Post) + len(r.Body.Patch))
	err = t.exec(`INSERT INTO run_bodies (run, post, patch) VALUES (?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET post = excluded.post, patch = excluded.patch`, r.Seq, r.Body.Post, r.Body.Patch)
	if err != nil {
		return err
	}
	if !added {
		if err := t.exec("DELETE FROM run_labels WHERE run = ?", r.Seq); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(r.labels, maxLabels) {
		args := make([]any, 0, 4*len(some))
		for _, label := range some {
			args = append(args, r.Seq, label.Kind, label.Key, labelValue(label.Value))
		}
		if err := t.exec("INSERT INTO run_labels (run, kind, key, value) VALUES "+
			strings.Repeat("(?, ?, ?, ?), ", len(some)-1)+"(?, ?, ?, ?) ON CONFLICT DO NOTHING", args...); err != nil {
			return err
		}
	}
	return nil
}

// maxLabels limits how many labels one statement adds, and thus the number of different statements.
const maxLabels = 32

// expect implements backend: a read takes no longer than looking for what was read before.
func (*sqlite) expect(*Tx, []Expected) error { return nil }

func (*sqlite) saveAll(*Tx) error { return nil }
