package store

import (
	"errors"
	"time"
)

// RunShare gives anyone with the token access to a run.
type RunShare struct {
	Token       string `db:"token"`
	WorkspaceID string `db:"workspace_id"`
	RunID       string `db:"run_id"`
}

var runShares = tableOf[RunShare]("run_shares", "workspace_id", "run_id")

// RunShare reads the share of a run; its token is empty if there is none.
func (t *Tx) RunShare(workspaceID, runID string) (RunShare, error) {
	s, err := runShares.one(t, "WHERE workspace_id = ? AND run_id = ?", workspaceID, runID)
	if errors.Is(err, ErrNotFound) {
		return RunShare{}, nil
	}
	return s, err
}

// SharedRun reads the share of a token, in any workspace.
func (t *Tx) SharedRun(token string) (RunShare, error) {
	return runShares.one(t, "WHERE token = ?", token)
}

// SaveRunShare adds a share, or replaces the token of the run's share.
func (t *Tx) SaveRunShare(s RunShare) error {
	return runShares.save(t, s, "token")
}

// DeleteRunShare deletes the share of a run, if there is one.
func (t *Tx) DeleteRunShare(workspaceID, runID string) error {
	return t.exec("DELETE FROM run_shares WHERE workspace_id = ? AND run_id = ?", workspaceID, runID)
}

// Share is a shared run, or a shared conversation of a project. StartTime is when the run, or the last turn, started.
type Share struct {
	Token, RunID, TraceID, Name, ProjectID, ThreadID string
	StartTime                                        time.Time
}

// Shares lists the shared runs and conversations of a workspace, those that started last first.
func (t *Tx) Shares(workspaceID string, page Page) ([]Share, error) {
	return query(t, func(row scanner) (s Share, err error) {
		return s, row.Scan(&s.Token, &s.RunID, &s.TraceID, &s.Name, &s.ProjectID, &s.ThreadID, timeColumn{&s.StartTime})
	}, `SELECT s.token, s.run_id, r.trace_id, r.name, '' AS project_id, '' AS thread_id, r.start_time FROM run_shares s
		JOIN runs r ON r.workspace_id = s.workspace_id AND r.id = s.run_id WHERE s.workspace_id = ?1 AND `+alive("r")+`
		UNION ALL SELECT s.token, '', '', '', p.id, s.thread_id, max(r.start_time) FROM thread_shares s
		JOIN projects p ON p.seq = s.project JOIN runs r ON r.project = s.project AND r.thread_id = s.thread_id AND r.is_root
		WHERE p.workspace_id = ?1 GROUP BY s.token, p.id, s.thread_id
		ORDER BY start_time DESC, token LIMIT ?2 OFFSET ?3`, workspaceID, page.Limit, page.Offset)
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

// ThreadShare gives anybody who has the token access to a conversation.
type ThreadShare struct{ Token, WorkspaceID, ProjectID, ThreadID string }

// SharedThread reads the share of a token, in any workspace.
func (t *Tx) SharedThread(token string) (ThreadShare, error) {
	return queryOne(t, func(row scanner) (s ThreadShare, err error) {
		return s, row.Scan(&s.Token, &s.WorkspaceID, &s.ProjectID, &s.ThreadID)
	}, `SELECT s.token, p.workspace_id, p.id, s.thread_id FROM thread_shares s
		JOIN projects p ON p.seq = s.project WHERE s.token = ? AND p.workspace_id <> ''`, token)
}
