package store

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Run is a row of runs: what can be queried without reading the body.
type Run struct {
	Seq            int64      `db:"seq"`
	WorkspaceID    string     `db:"workspace_id"`
	ID             string     `db:"id"`
	ProjectID      string     // The column has the number of the project.
	TraceID        string     `db:"trace_id"`
	ParentRunID    *string    `db:"parent_run_id"`
	DottedOrder    *string    `db:"dotted_order"` // Nil while its parent is unknown.
	Name           string     `db:"name"`
	RunType        string     `db:"run_type"`
	Status         string     `db:"status"`
	StartTime      time.Time  `db:"start_time"`
	EndTime        *time.Time `db:"end_time"`
	FirstTokenTime *time.Time `db:"first_token_time"`
	Error          *string    `db:"error"`
	ThreadID       *string    `db:"thread_id"`

	PromptTokens     int64     `db:"prompt_tokens"`
	CompletionTokens int64     `db:"completion_tokens"`
	TotalTokens      int64     `db:"total_tokens"`
	PromptCost       *string   `db:"prompt_cost"` // US dollars, as exact decimals.
	CompletionCost   *string   `db:"completion_cost"`
	TotalCost        *string   `db:"total_cost"`
	Figures          string    `db:"figures"` // A JSON object.
	PriceID          *string   `db:"price_id"`
	ReceivedAt       time.Time `db:"received_at"`
}

var (
	runs       = tableOf[Run]("runs")
	runColumns = runs.aliased("r") + ", (SELECT p.id FROM projects p WHERE p.seq = r.project)"
)

func (r *Run) columns() []any { return append(runs.into(r), &r.ProjectID) }

func scanRun(row scanner) (Run, error) {
	var r Run
	err := row.Scan(r.columns()...)
	return r, err
}

// StoredRun is a run, and its body as it is stored.
type StoredRun struct {
	Run
	Body RunBody
}

func scanStoredRun(row scanner) (r StoredRun, err error) {
	err = row.Scan(append(r.columns(), &r.Body.Post, &r.Body.Patch)...)
	return r, err
}

var selectStoredRun = "SELECT " + runColumns + ", b.post, b.patch FROM runs r LEFT JOIN run_bodies b ON b.run = r.seq WHERE "

// Run reads one run.
func (t *Tx) Run(workspaceID, id string) (Run, error) {
	row, err := t.readRun(runKey{workspaceID, id}, func() (r StoredRun, err error) {
		r.Run, err = queryOne(t, scanRun, "SELECT "+runColumns+" FROM runs r WHERE r.workspace_id = ? AND r.id = ? AND "+alive("r"), workspaceID, id)
		return r, err
	})
	return row.Run, err
}

// StoredRun reads a run, and its body as it is stored.
func (t *Tx) StoredRun(workspaceID, id string) (Run, RunBody, error) {
	row, err := t.readRun(runKey{workspaceID, id}, func() (StoredRun, error) {
		return queryOne(t, scanStoredRun, selectStoredRun+"r.workspace_id = ? AND r.id = ? AND "+alive("r"), workspaceID, id)
	})
	return row.Run, row.Body, err
}

// StoredRuns reads those of some runs that exist, by their IDs.
func (t *Tx) StoredRuns(workspaceID string, ids []string) (map[string]StoredRun, error) {
	found := make(map[string]StoredRun, len(ids))
	add := func(r StoredRun) {
		found[r.ID] = r
		if !t.readOnly {
			t.marks.see(r.Run)
		}
	}
	unread := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		r, known := t.pending.find(runKey{workspaceID, id})
		if r.ID != "" {
			add(r)
		}
		return known
	})
	list, err := json.Marshal(unread)
	if err != nil || len(unread) == 0 {
		return found, err
	}
	return found, each(t, scanStoredRun, func(r StoredRun) error { add(r); return nil }, selectStoredRun+"r.workspace_id = ? AND r.id IN "+elements("?")+" AND "+alive("r"), workspaceID, string(list))
}

// readRun reads a run, if this transaction doesn't know it yet. It may be changed later.
func (t *Tx) readRun(key runKey, read func() (StoredRun, error)) (StoredRun, error) {
	row, known := t.pending.find(key)
	if !known {
		if err := t.pending.beside(func() (err error) { row, err = read(); return err }); err != nil {
			return row, err
		}
	}
	if row.ID == "" {
		return row, ErrNotFound
	}
	if !t.readOnly {
		t.marks.see(row.Run)
	}
	return row, nil
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

// BodyOf reads the body of a run that was read: its number says where it is.
func (t *Tx) BodyOf(r Run) (RunBody, error) {
	body, err := queryOne(t, scanRunBody, "SELECT b.post, b.patch FROM run_bodies b WHERE b.run = ?", r.Seq)
	if errors.Is(err, ErrNotFound) {
		return RunBody{}, nil
	}
	return body, err
}

// Orphans lists some of the runs whose place in their trace depends on a run that was unknown, after the run with a number.
func (t *Tx) Orphans(workspaceID, parentRunID string, after int64, limit int) ([]Run, error) {
	if t.pending.childless(runKey{workspaceID, parentRunID}) {
		return nil, nil
	}
	return query(t, scanRun, "SELECT "+runColumns+" FROM runs r"+using("runs_of_parent")+`
		WHERE r.parent_run_id = ? AND r.seq > ? AND r.workspace_id = ? AND r.dotted_order IS NULL AND `+alive("r")+" ORDER BY r.seq LIMIT ?",
		parentRunID, after, workspaceID, limit)
}

// Awaited returns those of some runs that have Orphans.
func (t *Tx) Awaited(workspaceID string, ids []string) (map[string]bool, error) {
	list, err := json.Marshal(ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	awaited := map[string]bool{}
	return awaited, each(t, scanText, func(id string) error {
		awaited[id] = true
		return nil
	}, "SELECT DISTINCT r.parent_run_id FROM runs r"+using("runs_of_parent")+`
		WHERE r.parent_run_id IN `+elements("?")+" AND r.workspace_id = ? AND r.dotted_order IS NULL AND "+alive("r"), string(list), workspaceID)
}

// savedRun is a run as it is stored, and the space that it takes.
type savedRun struct {
	StoredRun
	labels  []Label
	project int64 // Its number; 0 if it doesn't exist.
	space   Space
}

// derivedColumns are columns of runs that aren't fields of Run, changedColumns those that can change, and addedColumns those of a new run.
var (
	derivedColumns = []string{"project", "is_root", "row_bytes", "body_bytes", "label_bytes"}
	changedColumns = slices.DeleteFunc(slices.Concat(derivedColumns, runs.inserted), func(column string) bool {
		return column == "workspace_id" || column == "id" || column == "received_at"
	})
	addedColumns = slices.Concat(derivedColumns, runs.inserted)
)

// values returns derivedColumns, and others.
func (r *savedRun) values(columns []string) []any {
	derived := []any{r.project, r.ParentRunID == nil, r.space.Rows, r.space.Bodies, r.space.Labels}
	return append(derived, runs.values(r.Run, columns[len(derived):])...)
}

// SaveRun adds a run, or replaces it if Seq is set.
func (t *Tx) SaveRun(r Run, body RunBody, labels []Label) error {
	if t.readOnly {
		return errReadOnly
	}
	body = body.Packed()
	project, err := t.projectSeq(r.ProjectID)
	if err != nil {
		return err
	}
	if err := t.changing(r); err != nil {
		return err
	}
	return t.backend.save(t, &savedRun{
		StoredRun{r, body}, labels, project,
		Space{Runs: 1, Rows: r.rowBytes(), Bodies: bodyBytes(int64(len(body.Post) + len(body.Patch))), Labels: labelBytes(labels)},
	})
}
