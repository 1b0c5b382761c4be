package devserver

import (
	"context"
	"crypto/sha256"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/toylogin"
)

// toyGrants keeps the grants of the toy login in data that several servers share. It stores no key, only its digest.
type toyGrants struct{ *store.Store }

// Keep implements toylogin.Grants.
func (g toyGrants) Keep(ctx context.Context, kind toylogin.Kind, key, grant string) error {
	digest := sha256.Sum256([]byte(key))
	return g.Do(ctx, func(tx *store.Tx) error { return tx.KeepToyGrant(string(kind), digest[:], grant, toylogin.MostGrants) })
}

// Take implements toylogin.Grants.
func (g toyGrants) Take(ctx context.Context, kind toylogin.Kind, key string) (grant string, known bool, err error) {
	digest := sha256.Sum256([]byte(key))
	err = g.Do(ctx, func(tx *store.Tx) error {
		grant, err = tx.TakeToyGrant(string(kind), digest[:])
		known = err == nil
		if store.Missing(&err) {
			return nil
		}
		return err
	})
	return grant, known, err
}
