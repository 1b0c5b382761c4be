package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
)

// Run is a row of runs: what can be queried without reading the body.
type Run struct {
	Seq            int64
	WorkspaceID    string
	ID             string
	ProjectID      string
	TraceID        string
	ParentRunID    *string
	DottedOrder    *string // Nil while its parent is unknown.
	Name           string
	RunType        string
	Status         string
	StartTime      time.Time
	EndTime        *time.Time
	FirstTokenTime *time.Time
	Error          *string
	ThreadID       *string

	PromptTokens, CompletionTokens, TotalTokens int64
	PromptCost, CompletionCost, TotalCost       *string // US dollars, as exact decimals.
	Figures                                     string  // A JSON object.
	PriceID                                     *string
	ReceivedAt                                  time.Time
}

// LabelKind is the kind of a label.
type LabelKind int

// The kinds of labels, as they are stored.
const (
	Tag      LabelKind = 0
	Metadata LabelKind = 1
)

// Label is a tag, whose key is empty, or a metadata entry.
type Label struct {
	Kind       LabelKind
	Key, Value string
}

// maxLabel is the longest label value that is stored unchanged. A longer one is stored as its beginning and a digest:
// values can still be compared, and the database needn't search long texts.
const maxLabel = 1 << 10

// labelValue returns a value as it is stored in labels.
func labelValue(value string) string {
	if len(value) <= maxLabel {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return strings.ToValidUTF8(value[:maxLabel-2*len(sum)], "") + hex.EncodeToString(sum[:])
}

const runColumns = `r.seq, r.workspace_id, r.id, (SELECT p.id FROM projects p WHERE p.seq = r.project), r.trace_id, r.parent_run_id, r.dotted_order, r.name, r.run_type,
	r.status, r.start_time, r.end_time, r.first_token_time, r.error, r.thread_id, r.prompt_tokens, r.completion_tokens,
	r.total_tokens, r.prompt_cost, r.completion_cost, r.total_cost, r.figures, r.price_id, r.received_at`

func (r *Run) columns() []any {
	return []any{
		&r.Seq, &r.WorkspaceID, &r.ID, &r.ProjectID, &r.TraceID, &r.ParentRunID, &r.DottedOrder, &r.Name, &r.RunType,
		&r.Status, timeColumn{&r.StartTime}, nullableTimeColumn{&r.EndTime}, nullableTimeColumn{&r.FirstTokenTime}, &r.Error,
		&r.ThreadID, &r.PromptTokens, &r.CompletionTokens, &r.TotalTokens, &r.PromptCost, &r.CompletionCost, &r.TotalCost,
		&r.Figures, &r.PriceID, timeColumn{&r.ReceivedAt},
	}
}

func scanRun(row scanner) (Run, error) {
	var r Run
	err := row.Scan(r.columns()...)
	return r, err
}

// Run reads one run.
func (t *Tx) Run(workspaceID, id string) (Run, error) {
	row, err := queryOne(t, scanRun, "SELECT "+runColumns+" FROM runs r WHERE r.workspace_id = ? AND r.id = ? AND "+alive("r"), workspaceID, id)
	if err == nil && !t.readOnly {
		t.marks.see(row)
	}
	return row, err
}

// StoredRun reads a run, and its body as it is stored.
func (t *Tx) StoredRun(workspaceID, id string) (Run, RunBody, error) {
	var body RunBody
	run, err := queryOne(t, func(row scanner) (Run, error) {
		var r Run
		err := row.Scan(append(r.columns(), &body.Post, &body.Patch)...)
		return r, err
	}, "SELECT "+runColumns+`, b.post, b.patch FROM runs r LEFT JOIN run_bodies b ON b.run = r.seq
		WHERE r.workspace_id = ? AND r.id = ? AND `+alive("r"), workspaceID, id)
	if err == nil && !t.readOnly {
		t.marks.see(run)
	}
	return run, body, err
}

// RunBody reads the body of a run; both parts are nil if the run doesn't exist.
func (t *Tx) RunBody(workspaceID, id string) (RunBody, error) {
	body, err := queryOne(t, scanRunBody, `
		SELECT b.post, b.patch FROM runs r JOIN run_bodies b ON b.run = r.seq WHERE r.workspace_id = ? AND r.id = ? AND `+alive("r"), workspaceID, id)
	if errors.Is(err, ErrNotFound) {
		return RunBody{}, nil
	}
	return body, err
}

// Orphans lists the IDs of runs whose place in their trace depends on a run that was unknown.
func (t *Tx) Orphans(workspaceID, parentRunID string) ([]string, error) {
	return query(t, scanText, `
		SELECT r.id FROM runs r`+using("runs_of_parent")+`
		WHERE r.parent_run_id = ? AND r.workspace_id = ? AND r.dotted_order IS NULL AND `+alive("r")+" ORDER BY r.seq", parentRunID, workspaceID)
}

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

// StoredLabels returns labels as they are stored. SaveRun takes them in either form.
func StoredLabels(labels []Label) []Label {
	for i := range labels {
		labels[i].Value = labelValue(labels[i].Value)
	}
	return labels
}

// SaveRun adds a run, or replaces it if Seq is set.
func (t *Tx) SaveRun(r Run, body RunBody, labels []Label) error {
	post, patch := packed(body.Post), packed(body.Patch)
	space := Space{Runs: 1, Rows: r.rowBytes(), Bodies: bodyBytes(int64(len(post) + len(patch))), Labels: labelBytes(labels)}
	project, err := t.projectSeq(r.ProjectID)
	if err != nil {
		return err
	}
	args := []any{
		r.WorkspaceID, r.ID, r.ProjectID, r.TraceID, r.ParentRunID, r.DottedOrder, r.Name, r.RunType, r.Status,
		micros(r.StartTime), nullableMicros(r.EndTime), nullableMicros(r.FirstTokenTime), r.Error, r.ThreadID, r.PromptTokens,
		r.CompletionTokens, r.TotalTokens, r.PromptCost, r.CompletionCost, r.TotalCost, r.Figures, r.PriceID,
		space.Rows, space.Bodies, space.Labels, micros(r.ReceivedAt),
	}
	if err := t.changing(r); err != nil {
		return err
	}
	added := r.Seq == 0
	if added {
		t.unindexed++
		if r.Seq, err = t.backend.insert(t, addRun, args); errors.Is(err, errTaken) {
			if err = t.makeRoom(r.WorkspaceID, r.ID); err == nil {
				r.Seq, err = t.backend.insert(t, addRun, args)
			}
		}
	} else if err = t.vacate(jsonNumbers{r.Seq}); err == nil {
		err = t.execOne(changeRun, args[:len(args)-1]...)
	}
	if err == nil && !added {
		err = t.noteChange(r.Seq)
	}
	if err != nil {
		return err
	}
	t.occupy(r.WorkspaceID, project, space)
	t.unindexedBytes += int64(len(post) + len(patch))
	err = t.exec(`INSERT INTO run_bodies (run, post, patch) VALUES (?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET post = excluded.post, patch = excluded.patch`, r.Seq, post, patch)
	if err != nil {
		return err
	}
	if !added {
		if err := t.exec("DELETE FROM run_labels WHERE run = ?", r.Seq); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(labels, maxLabels) {
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
