package store

import "time"

// Upload is a row of uploads: where an archive for a deployment can be uploaded, or was.
type Upload struct {
	Path         string    `db:"path"`
	DeploymentID string    `db:"deployment_id"`
	Token        string    `db:"token"`
	ExpiresAt    time.Time `db:"expires_at"`
	// Size and Digest are nil until the archive is uploaded.
	Size   *int64  `db:"size"`
	Digest *string `db:"digest"`
}

var uploads = tableOf[Upload]("uploads")

// Upload reads the one with a path, of any workspace.
func (t *Tx) Upload(path string) (Upload, error) {
	return uploads.one(t, "WHERE path = ?", path)
}

// Uploaded reports whether a workspace has uploaded an archive to a path.
func (t *Tx) Uploaded(workspaceID, path string) (bool, error) {
	n, err := queryOne(t, scanNumber, `SELECT count(*) FROM uploads u JOIN deployments d ON d.id = u.deployment_id
		WHERE d.workspace_id = ? AND u.path = ? AND u.size IS NOT NULL`, workspaceID, path)
	return n > 0, err
}

// InsertUpload adds one, and deletes those of the deployment that expired unused.
func (t *Tx) InsertUpload(u Upload, now time.Time) error {
	if err := t.exec("DELETE FROM uploads WHERE deployment_id = ? AND size IS NULL AND expires_at <= ?", u.DeploymentID, micros(now)); err != nil {
		return err
	}
	return uploads.insert(t, u)
}

// FinishUpload records what was uploaded.
func (t *Tx) FinishUpload(path string, size int64, digest string) error {
	return t.execOne("UPDATE uploads SET size = ?, digest = ? WHERE path = ?", size, digest, path)
}
