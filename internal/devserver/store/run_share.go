package store

import "errors"

// RunShare gives anybody who has the token access to a run.
type RunShare struct{ Token, WorkspaceID, RunID string }

// RunShares are the operations on shared runs.
type RunShares interface {
	// RunShare reads the share of a run; its token is empty if there is none.
	RunShare(workspaceID, runID string) (RunShare, error)
	// SharedRun reads the share of a token, in any workspace.
	SharedRun(token string) (RunShare, error)
	// SaveRunShare adds a share, or replaces the token of the run's share.
	SaveRunShare(s RunShare) error
	// DeleteRunShare deletes the share of a run, if there is one.
	DeleteRunShare(workspaceID, runID string) error
}

func scanRunShare(row scanner) (RunShare, error) {
	var s RunShare
	err := row.Scan(&s.Token, &s.WorkspaceID, &s.RunID)
	return s, err
}

func (t *sqliteTx) RunShare(workspaceID, runID string) (RunShare, error) {
	s, err := queryOne(t, scanRunShare, "SELECT token, workspace_id, run_id FROM run_shares WHERE workspace_id = ? AND run_id = ?", workspaceID, runID)
	if errors.Is(err, ErrNotFound) {
		return RunShare{}, nil
	}
	return s, err
}

func (t *sqliteTx) SharedRun(token string) (RunShare, error) {
	return queryOne(t, scanRunShare, "SELECT token, workspace_id, run_id FROM run_shares WHERE token = ?", token)
}

func (t *sqliteTx) SaveRunShare(s RunShare) error {
	return t.exec(`INSERT INTO run_shares (token, workspace_id, run_id) VALUES (?, ?, ?)
		ON CONFLICT (workspace_id, run_id) DO UPDATE SET token = excluded.token`, s.Token, s.WorkspaceID, s.RunID)
}

func (t *sqliteTx) DeleteRunShare(workspaceID, runID string) error {
	return t.exec("DELETE FROM run_shares WHERE workspace_id = ? AND run_id = ?", workspaceID, runID)
}
