package store

import "context"

// LogRequest adds a request, as JSON, to the log of servers that share their data, which keeps the newest. One that belongs to no
// workspace is only counted.
func (s *Store) LogRequest(ctx context.Context, workspaceID, request string, most int64) error {
	if workspaceID == "" {
		_, err := s.readers.ExecContext(ctx, `INSERT INTO stray_requests (id, number) VALUES (1, 1)
			ON CONFLICT (id) DO UPDATE SET number = stray_requests.number + 1`)
		return s.withCause(err)
	}
	var seq int64
	row := s.readers.QueryRowContext(ctx, "INSERT INTO requests (workspace_id, request) VALUES ($1, $2) RETURNING seq", workspaceID,
		storable(request))
	err := row.Scan(&seq)
	if err == nil && seq%(most/10) == 0 {
		_, err = s.readers.ExecContext(ctx, "DELETE FROM requests WHERE seq <= $1", seq-most)
	}
	return s.withCause(err)
}

// LoggedRequests lists the requests of a workspace, or of all if the ID is empty, oldest first.
func (t *Tx) LoggedRequests(workspaceID string) ([]string, error) {
	return query(t, scanText, "SELECT r.request FROM requests r WHERE r.workspace_id = ?1 OR ?1 = '' ORDER BY r.seq", workspaceID)
}

// StrayRequests is the number of requests that belong to no workspace.
func (t *Tx) StrayRequests() (int64, error) {
	return queryOne(t, scanNumber, "SELECT CAST(coalesce(sum(number), 0) AS BIGINT) FROM stray_requests")
}
