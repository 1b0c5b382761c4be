package store

// SealKey is the fingerprint of the key that the servers that share the data encrypt secrets with; the error is ErrNotFound if no server has
// said it.
func (t *Tx) SealKey() (string, error) {
	return queryOne(t, scanText, "SELECT fingerprint FROM seal_keys")
}

// SetSealKey replaces the fingerprint.
func (t *Tx) SetSealKey(fingerprint string) error {
	if err := t.exec("DELETE FROM seal_keys"); err != nil {
		return err
	}
	return t.exec("INSERT INTO seal_keys (fingerprint) VALUES (?)", fingerprint)
}
