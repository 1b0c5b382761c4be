package store

import "time"

// Listener is a row of listeners.
type Listener struct {
	ID            string    `db:"id"`
	WorkspaceID   string    `db:"workspace_id"`
	Version       *string   `db:"version"`
	ComputeType   string    `db:"compute_type"`
	ComputeID     string    `db:"compute_id"`
	K8sNamespaces jsonList  `db:"k8s_namespaces"` // Nil if the listener reports none.
	CreatedAt     time.Time `db:"created_at"`
	UpdatedAt     time.Time `db:"updated_at"`
}

var listeners = tableOf[Listener]("listeners", "workspace_id", "id")

// Listener reads one listener.
func (t *Tx) Listener(workspaceID, id string) (Listener, error) {
	return listeners.one(t, "WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// ListenerOf reads the listener of a compute.
func (t *Tx) ListenerOf(workspaceID, computeID string) (Listener, error) {
	return listeners.one(t, "WHERE workspace_id = ? AND compute_id = ?", workspaceID, computeID)
}

// Listeners lists listeners, oldest first.
func (t *Tx) Listeners(workspaceID string, p Page) ([]Listener, error) {
	return listeners.find(t, "WHERE workspace_id = ? ORDER BY seq LIMIT ? OFFSET ?", workspaceID, p.Limit, p.Offset)
}

// InsertListener adds a listener.
func (t *Tx) InsertListener(l Listener) error {
	return listeners.insert(t, l)
}

// UpdateListener writes the columns that can change.
func (t *Tx) UpdateListener(l Listener) error {
	return listeners.update(t, l, "version", "k8s_namespaces", "updated_at")
}

// DeleteListener deletes a listener that no deployment refers to.
func (t *Tx) DeleteListener(workspaceID, id string) error {
	return t.execOne("DELETE FROM listeners WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
