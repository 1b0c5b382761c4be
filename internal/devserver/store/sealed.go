package store

// Sealed is a kind of encrypted values.
type Sealed string

// The kinds that are needed for longer than a login takes.
const (
	SealedClientSecrets     Sealed = "client secrets"
	SealedAccessTokens      Sealed = "access tokens"
	SealedRefreshTokens     Sealed = "refresh tokens"
	SealedDeploymentSecrets Sealed = "deployment secrets"
)

// sealedValues are the statements that list the values of a kind with the IDs of their rows, and that delete one. Nobody needs a token
// without its value.
var sealedValues = map[Sealed]struct{ list, forget string }{
	SealedClientSecrets: {
		"SELECT id, sealed_client_secret FROM oauth_providers WHERE sealed_client_secret IS NOT NULL",
		"UPDATE oauth_providers SET sealed_client_secret = NULL WHERE id = ?",
	},
	SealedAccessTokens: {
		"SELECT id, sealed_access FROM oauth_tokens",
		"DELETE FROM oauth_tokens WHERE id = ?",
	},
	SealedRefreshTokens: {
		"SELECT id, sealed_refresh FROM oauth_tokens WHERE sealed_refresh IS NOT NULL",
		"UPDATE oauth_tokens SET sealed_refresh = NULL WHERE id = ?",
	},
	SealedDeploymentSecrets: {
		"SELECT id, sealed_secrets FROM deployments WHERE sealed_secrets IS NOT NULL",
		"UPDATE deployments SET sealed_secrets = NULL WHERE id = ?",
	},
}

// EachSealed visits all values of a kind, in all workspaces, with the IDs of their rows.
func (t *Tx) EachSealed(of Sealed, visit func(id string, value []byte)) error {
	scan := func(row scanner) (none struct{}, err error) {
		var id string
		var value []byte
		if err = row.Scan(&id, &value); err == nil {
			visit(id, value)
		}
		return none, err
	}
	return each(t, scan, func(struct{}) error { return nil }, sealedValues[of].list)
}

// ForgetSealed deletes a value of a kind.
func (t *Tx) ForgetSealed(of Sealed, id string) error { return t.exec(sealedValues[of].forget, id) }

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
