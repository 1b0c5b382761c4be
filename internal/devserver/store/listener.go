package store

import (
	"time"
)

// Listener is a row of listeners.
type Listener struct {
	ID            string
	WorkspaceID   string
	Version       *string
	ComputeType   string
	ComputeID     string
	K8sNamespaces []string // Nil if the listener reports none.
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

const selectListener = `
SELECT id, workspace_id, version, compute_type, compute_id, k8s_namespaces, created_at, updated_at FROM listeners
`

func scanListener(row scanner) (Listener, error) {
	var l Listener
	err := row.Scan(&l.ID, &l.WorkspaceID, &l.Version, &l.ComputeType, &l.ComputeID, (*jsonList)(&l.K8sNamespaces),
		timeColumn{&l.CreatedAt}, timeColumn{&l.UpdatedAt})
	return l, err
}

// Listener reads one listener.
func (t *Tx) Listener(workspaceID, id string) (Listener, error) {
	return queryOne(t, scanListener, selectListener+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// ListenerOf reads the listener of a compute.
func (t *Tx) ListenerOf(workspaceID, computeID string) (Listener, error) {
	return queryOne(t, scanListener, selectListener+"WHERE workspace_id = ? AND compute_id = ?", workspaceID, computeID)
}

// Listeners lists listeners, oldest first.
func (t *Tx) Listeners(workspaceID string, p Page) ([]Listener, error) {
	return query(t, scanListener, selectListener+"WHERE workspace_id = ? ORDER BY seq LIMIT ? OFFSET ?",
		workspaceID, p.Limit, p.Offset)
}

// InsertListener adds a listener.
func (t *Tx) InsertListener(l Listener) error {
	return t.exec(`
		INSERT INTO listeners (id, workspace_id, version, compute_type, compute_id, k8s_namespaces, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		l.ID, l.WorkspaceID, l.Version, l.ComputeType, l.ComputeID, nullableList(l.K8sNamespaces), micros(l.CreatedAt), micros(l.UpdatedAt))
}

// UpdateListener writes the columns that can change.
func (t *Tx) UpdateListener(l Listener) error {
	return t.execOne("UPDATE listeners SET version = ?, k8s_namespaces = ?, updated_at = ? WHERE workspace_id = ? AND id = ?",
		l.Version, nullableList(l.K8sNamespaces), micros(l.UpdatedAt), l.WorkspaceID, l.ID)
}

// DeleteListener deletes a listener that no deployment refers to.
func (t *Tx) DeleteListener(workspaceID, id string) error {
	return t.execOne("DELETE FROM listeners WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
