package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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

// SealSecrets implements Store.
func (s *database) SealSecrets(ctx context.Context, seal func(deploymentID, secrets string) []byte) error {
	return s.backend.sealSecrets(ctx, s, seal)
}

func (q *sqlite) sealSecrets(ctx context.Context, s *database, seal func(deploymentID, secrets string) []byte) error {
	type plain struct{ id, secrets string }
	scan := func(row scanner) (p plain, err error) {
		err = row.Scan(&p.id, &p.secrets)
		return p, err
	}
	found := false
	err := s.Do(ctx, func(tx *Tx) error {
		all, err := query(tx, scan, "SELECT id, plain_secrets FROM deployments WHERE plain_secrets IS NOT NULL")
		if err != nil || len(all) == 0 {
			return err
		}
		found = true
		if err := tx.exec("PRAGMA secure_delete = ON"); err != nil {
			return err
		}
		for _, p := range all {
			err := tx.exec("UPDATE deployments SET sealed_secrets = ?, plain_secrets = NULL WHERE id = ?", seal(p.id, p.secrets), p.id)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("encrypt the secrets of deployments in %q: %w", q.path, err)
	}
	_, err = s.db.ExecContext(ctx, "PRAGMA secure_delete = OFF")
	if err == nil && found {
		err = q.emptyLog(ctx, s) // It still has them.
	}
	if err != nil {
		return fmt.Errorf("open %q: %w", q.path, err)
	}
	return nil
}

// emptyLog copies the log into the file and overwrites it, after those who read or copy it.
func (*sqlite) emptyLog(ctx context.Context, s *database) error {
	giveBack, err := s.turn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	for began := time.Now(); ; wait(ctx, interruptAgain) {
		var busy bool
		var log logPages
		err := s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log.all, &log.copied)
		if err == nil && busy && time.Since(began) > busyTimeout*time.Millisecond {
			err = errors.New("the write-ahead log still contains secrets in plain text, because something reads it: end whatever else uses the file, and start again")
		}
		if err != nil || !busy {
			return err
		}
	}
}
