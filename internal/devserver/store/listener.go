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

// Listeners are the operations on listeners.
type Listeners interface {
	// Listener reads one listener.
	Listener(workspaceID, id string) (Listener, error)
	// ListenerOf reads the listener of a compute.
	ListenerOf(workspaceID, computeID string) (Listener, error)
	// Listeners lists listeners, oldest first.
	Listeners(workspaceID string, p Page) ([]Listener, error)
	// InsertListener adds a listener.
	InsertListener(l Listener) error
	// UpdateListener writes the columns that can change.
	UpdateListener(l Listener) error
	// DeleteListener deletes a listener that no deployment refers to.
	DeleteListener(workspaceID, id string) error
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

func (t *sqliteTx) Listener(workspaceID, id string) (Listener, error) {
	return queryOne(t, scanListener, selectListener+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

func (t *sqliteTx) ListenerOf(workspaceID, computeID string) (Listener, error) {
	return queryOne(t, scanListener, selectListener+"WHERE workspace_id = ? AND compute_id = ?", workspaceID, computeID)
}

func (t *sqliteTx) Listeners(workspaceID string, p Page) ([]Listener, error) {
	return query(t, scanListener, selectListener+"WHERE workspace_id = ? ORDER BY seq LIMIT ? OFFSET ?",
		workspaceID, p.Limit, p.Offset)
}

func (t *sqliteTx) InsertListener(l Listener) error {
	return t.exec(`
		INSERT INTO listeners (id, workspace_id, version, compute_type, compute_id, k8s_namespaces, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		l.ID, l.WorkspaceID, l.Version, l.ComputeType, l.ComputeID, nullableList(l.K8sNamespaces), micros(l.CreatedAt), micros(l.UpdatedAt))
}

func (t *sqliteTx) UpdateListener(l Listener) error {
	return t.execOne("UPDATE listeners SET version = ?, k8s_namespaces = ?, updated_at = ? WHERE workspace_id = ? AND id = ?",
		l.Version, nullableList(l.K8sNamespaces), micros(l.UpdatedAt), l.WorkspaceID, l.ID)
}

func (t *sqliteTx) DeleteListener(workspaceID, id string) error {
	return t.execOne("DELETE FROM listeners WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
