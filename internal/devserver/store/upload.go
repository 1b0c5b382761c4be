package store

import "time"

// Upload is a row of uploads: where an archive for a deployment can be uploaded, or was.
type Upload struct {
	Path, DeploymentID, Token string
	ExpiresAt                 time.Time
	// Size and Digest are nil until the archive is uploaded.
	Size   *int64
	Digest *string
}

// Upload reads the one with a path, of any workspace.
func (t *Tx) Upload(path string) (Upload, error) {
	return queryOne(t, func(row scanner) (u Upload, err error) {
		err = row.Scan(&u.Path, &u.DeploymentID, &u.Token, timeColumn{&u.ExpiresAt}, &u.Size, &u.Digest)
		return u, err
	}, "SELECT path, deployment_id, token, expires_at, size, digest FROM uploads WHERE path = ?", path)
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
	return t.exec("INSERT INTO uploads (path, deployment_id, token, expires_at) VALUES (?, ?, ?, ?)", u.Path, u.DeploymentID, u.Token, micros(u.ExpiresAt))
}

// FinishUpload records what was uploaded.
func (t *Tx) FinishUpload(path string, size int64, digest string) error {
	return t.execOne("UPDATE uploads SET size = ?, digest = ? WHERE path = ?", size, digest, path)
}
