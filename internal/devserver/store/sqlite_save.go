package store

import (
	"errors"
	"slices"
	"strings"
)

// addRun and changeRun take the same parameters. There is no RETURNING and no ON CONFLICT: with either, SQLite copies each
// page before it changes, so that it could undo the statement alone.
const (
	addRun = `
		INSERT INTO runs (workspace_id, id, project, trace_id, parent_run_id, dotted_order, name, run_type, status, is_root,
			start_time, end_time, first_token_time, error, thread_id, prompt_tokens, completion_tokens, total_tokens, prompt_cost,
			completion_cost, total_cost, figures, price_id, row_bytes, body_bytes, label_bytes, received_at)
		VALUES (?1, ?2, (SELECT p.seq FROM projects p WHERE p.id = ?3), ?4, ?5, ?6, ?7, ?8, ?9, CAST(?5 AS TEXT) IS NULL, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)`
	changeRun = `
		UPDATE runs SET project = (SELECT p.seq FROM projects p WHERE p.id = ?3), trace_id = ?4, parent_run_id = ?5,
			dotted_order = ?6, name = ?7, run_type = ?8, status = ?9, is_root = CAST(?5 AS TEXT) IS NULL, start_time = ?10, end_time = ?11,
			first_token_time = ?12, error = ?13, thread_id = ?14, prompt_tokens = ?15, completion_tokens = ?16,
			total_tokens = ?17, prompt_cost = ?18, completion_cost = ?19, total_cost = ?20, figures = ?21, price_id = ?22,
			row_bytes = ?23, body_bytes = ?24, label_bytes = ?25
		WHERE workspace_id = ?1 AND id = ?2`
)

// save stores a run at once.
func (q *sqlite) save(t *Tx, r *savedRun) (err error) {
	args := []any{
		r.WorkspaceID, r.ID, r.ProjectID, r.TraceID, r.ParentRunID, r.DottedOrder, r.Name, r.RunType, r.Status,
		micros(r.StartTime), nullableMicros(r.EndTime), nullableMicros(r.FirstTokenTime), r.Error, r.ThreadID, r.PromptTokens,
		r.CompletionTokens, r.TotalTokens, r.PromptCost, r.CompletionCost, r.TotalCost, r.Figures, r.PriceID,
		r.space.Rows, r.space.Bodies, r.space.Labels, micros(r.ReceivedAt),
	}
	added := r.Seq == 0
	if added {
		t.unindexed++
		if r.Seq, err = q.insert(t, addRun, args); errors.Is(err, errTaken) {
			if err = t.makeRoom(r.WorkspaceID, r.ID); err == nil {
				r.Seq, err = q.insert(t, addRun, args)
			}
		}
	} else if err = t.vacate(jsonNumbers{r.Seq}); err == nil {
		err = t.execOne(changeRun, args[:len(args)-1]...)
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
