package store

import (
	"errors"
	"time"
)

// RunShare gives anyone with the token access to a run.
type RunShare struct{ Token, WorkspaceID, RunID string }

func scanRunShare(row scanner) (RunShare, error) {
	var s RunShare
	err := row.Scan(&s.Token, &s.WorkspaceID, &s.RunID)
	return s, err
}

// RunShare reads the share of a run; its token is empty if there is none.
func (t *Tx) RunShare(workspaceID, runID string) (RunShare, error) {
	s, err := queryOne(t, scanRunShare, "SELECT token, workspace_id, run_id FROM run_shares WHERE workspace_id = ? AND run_id = ?", workspaceID, runID)
	if errors.Is(err, ErrNotFound) {
		return RunShare{}, nil
	}
	return s, err
}

// SharedRun reads the share of a token, in any workspace.
func (t *Tx) SharedRun(token string) (RunShare, error) {
	return queryOne(t, scanRunShare, "SELECT token, workspace_id, run_id FROM run_shares WHERE token = ?", token)
}

// SaveRunShare adds a share, or replaces the token of the run's share.
func (t *Tx) SaveRunShare(s RunShare) error {
	return t.exec(`INSERT INTO run_shares (token, workspace_id, run_id) VALUES (?, ?, ?)
		ON CONFLICT (workspace_id, run_id) DO UPDATE SET token = excluded.token`, s.Token, s.WorkspaceID, s.RunID)
}

// DeleteRunShare deletes the share of a run, if there is one.
func (t *Tx) DeleteRunShare(workspaceID, runID string) error {
	return t.exec("DELETE FROM run_shares WHERE workspace_id = ? AND run_id = ?", workspaceID, runID)
}

// SharedRun is a run with the token of its share.
type SharedRun struct {
	RunShare
	TraceID, Name string
	StartTime     time.Time
}

// SharedRuns lists the shared runs of a workspace, those that started last first.
func (t *Tx) SharedRuns(workspaceID string, page Page) ([]SharedRun, error) {
	return query(t, func(row scanner) (s SharedRun, err error) {
		err = row.Scan(&s.Token, &s.WorkspaceID, &s.RunID, &s.TraceID, &s.Name, timeColumn{&s.StartTime})
		return s, err
	}, `SELECT s.token, s.workspace_id, s.run_id, r.trace_id, r.name, r.start_time FROM run_shares s
		JOIN runs r ON r.workspace_id = s.workspace_id AND r.id = s.run_id WHERE s.workspace_id = ? AND `+alive("r")+`
		ORDER BY r.start_time DESC, r.seq DESC LIMIT ? OFFSET ?`, workspaceID, page.Limit, page.Offset)
}

// ThreadShare returns the token of a conversation that is shared; the error is ErrNotFound if it isn't.
func (t *Tx) ThreadShare(workspaceID, projectID, threadID string) (token string, err error) {
	return queryOne(t, scanText, "SELECT s.token FROM thread_shares s WHERE s."+ofProject+" AND s.thread_id = ?3", workspaceID, projectID, threadID)
}

// ShareThread adds the share of a conversation that isn't shared.
func (t *Tx) ShareThread(workspaceID, projectID, threadID, token string) error {
	return t.execOne("INSERT INTO thread_shares (token, project, thread_id) SELECT ?4, p.seq, ?3 FROM projects p WHERE p.workspace_id = ?1 AND p.id = ?2",
		workspaceID, projectID, threadID, token)
}

// UnshareThread deletes the share of a conversation, if there is one.
func (t *Tx) UnshareThread(workspaceID, projectID, threadID string) error {
	return t.exec("DELETE FROM thread_shares WHERE "+ofProject+" AND thread_id = ?3", workspaceID, projectID, threadID)
}
