package store

// KeepToyGrant adds what a user has allowed at the toy login of servers that share their data, and deletes the oldest of its kind beyond
// most. Whoever has the key that a digest belongs to may have it.
func (t *Tx) KeepToyGrant(kind string, digest []byte, body string, most int) error {
	if err := t.exec("INSERT INTO toy_grants (kind, digest, body) VALUES (?, ?, ?)", kind, digest, body); err != nil {
		return err
	}
	return t.exec(`DELETE FROM toy_grants WHERE kind = ?1 AND seq <=
		(SELECT g.seq FROM toy_grants g WHERE g.kind = ?1 ORDER BY g.seq DESC LIMIT 1 OFFSET ?2)`, kind, most)
}

// TakeToyGrant deletes a grant and returns it; the error is ErrNotFound if there is none.
func (t *Tx) TakeToyGrant(kind string, digest []byte) (string, error) {
	body, err := queryOne(t, scanText, "SELECT g.body FROM toy_grants g WHERE g.kind = ? AND g.digest = ?", kind, digest)
	if err != nil {
		return "", err
	}
	return body, t.execOne("DELETE FROM toy_grants WHERE kind = ? AND digest = ?", kind, digest)
}
