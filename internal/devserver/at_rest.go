package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// data is what a server has opened: a store that no other server of the same file uses, the key of the secrets in it, and its clock.
type data struct {
	*store.Store
	claim io.Closer
	key   seal.Key
	clock Clock
	// inTx is the time in a transaction that writes; nil if it is that of the clock.
	inTx func(*store.Tx) time.Time
}

// openData opens the data of a server.
func openData(ctx context.Context, cfg Config) (*data, error) {
	claim, err := claimed(ctx, cfg)
	if err != nil {
		return nil, err
	}
	db, key, err := opened(ctx, cfg)
	if err != nil {
		return nil, errors.Join(err, claim.Close())
	}
	d := &data{Store: db, claim: claim, key: key}
	clock := cfg.Clock
	if clock == nil {
		clock = db
	}
	steady, err := newSteadyClock(ctx, clock, db, cfg.ClockSkew+db.Ahead(), cfg.Logger)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.clock = aheadClock{steady, cfg.ClockSkew, db.Ahead}
	if cfg.Clock == nil && db.Shared() {
		d.inTx = func(tx *store.Tx) time.Time { return tx.Now().Add(steady.Ahead() + cfg.ClockSkew + tx.Ahead()) }
	}
	return d, nil
}

// Close releases the data.
func (d *data) Close() error { return errors.Join(d.Store.Close(), d.claim.Close()) }

// claimed makes the server the only user of its file.
func claimed(ctx context.Context, cfg Config) (io.Closer, error) {
	if cfg.Data == "" {
		return io.NopCloser(nil), nil
	}
	owner := "another server"
	if cfg.Address != "" {
		owner = "the server at " + cfg.Address
	}
	return store.Claim(ctx, cfg.Data, owner)
}

// opened opens the data of a server, and the key of the secrets in it.
func opened(ctx context.Context, cfg Config) (*store.Store, seal.Key, error) {
	db, err := store.Open(ctx, cfg.Data)
	if err != nil {
		return nil, seal.Key{}, err
	}
	if unsafe := db.Unsafe(); unsafe != "" {
		cfg.Logger.Warn("a crash of the database's machine can lose or damage what was acknowledged: turn on "+unsafe+" in PostgreSQL's configuration", "off", unsafe)
	}
	if cfg.NoSearchIndex {
		db.StopIndexing()
	}
	if cfg.Data == "" {
		return db, seal.NewKey(), nil
	}
	key, err := keyOf(ctx, db, cfg)
	if err == nil {
		err = unlock(ctx, db, key, cfg)
	}
	if err == nil && db.Shared() {
		err = agree(ctx, db, key, cfg)
	}
	if err == nil {
		err = db.Do(ctx, (*store.Tx).MakeRevisionsDue) // When they are depends on the dialect.
	}
	if err != nil {
		return nil, key, errors.Join(err, db.Close())
	}
	return db, key, nil
}

// keyOf reads the key of data, or creates it if nothing depends on one yet.
func keyOf(ctx context.Context, db *store.Store, cfg Config) (seal.Key, error) {
	key, err := seal.Open(cfg.keyFile())
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	var lost lostSecrets
	used := false
	err = db.Read(ctx, func(tx *store.Tx) (err error) {
		if lost, err = findLost(tx, seal.NewKey()); err != nil || !db.Shared() {
			return err
		}
		_, err = tx.SealKey()
		used = !store.Missing(&err)
		return err
	})
	if err != nil {
		return key, err
	}
	if cfg.DiscardSecrets || !used && len(lost) == 0 {
		return seal.Create(cfg.keyFile())
	}
	key, err = seal.Open(cfg.keyFile()) // Another server may have created it meanwhile.
	if errors.Is(err, fs.ErrNotExist) {
		err = lost.refusal(cfg, "is missing: restore the file, or copy the file from another server with the same data. It encrypts "+lost.in(cfg))
	}
	return key, err
}

// agree checks that a key is that of the other servers that share the data. A server with another one could not read the secrets that they
// store, and would store what they can't read.
func agree(ctx context.Context, db *store.Store, key seal.Key, cfg Config) error {
	fingerprint := key.Text("fingerprint")
	return db.Do(ctx, func(tx *store.Tx) error {
		known, err := tx.SealKey()
		switch first := store.Missing(&err); {
		case err != nil || known == fingerprint:
			return err
		case !first && !cfg.DiscardSecrets:
			return fmt.Errorf("the key %q isn't the one that other servers have used with %s: copy the file from one of them. "+
				"If it is lost, start once with -discard-secrets, which deletes what it has encrypted", cfg.keyFile(), cfg.dataName())
		}
		return tx.SetSealKey(fingerprint)
	})
}

// unlock checks that the key decrypts all secrets in a file.
func unlock(ctx context.Context, db *store.Store, key seal.Key, cfg Config) error {
	var lost lostSecrets
	err := db.Read(ctx, func(tx *store.Tx) (err error) {
		lost, err = findLost(tx, key)
		return err
	})
	if err != nil || len(lost) == 0 {
		return err
	}
	if !cfg.DiscardSecrets {
		return lost.refusal(cfg, "doesn't decrypt "+lost.in(cfg)+": restore the key that was there when they were stored")
	}
	return db.Do(ctx, lost.discard)
}

// lostSecrets are the IDs of the rows whose secrets a key doesn't decrypt, by kind.
type lostSecrets map[store.Sealed][]string

func findLost(tx *store.Tx, key seal.Key) (lostSecrets, error) {
	lost := lostSecrets{}
	for of, purpose := range map[store.Sealed]string{
		store.SealedClientSecrets: seal.ClientSecret, store.SealedAccessTokens: seal.AccessToken,
		store.SealedRefreshTokens: seal.RefreshToken, store.SealedDeploymentSecrets: seal.DeploymentSecrets,
	} {
		err := tx.EachSealed(of, func(id string, value []byte) {
			if _, err := key.Open(purpose+id, value); err != nil {
				lost[of] = append(lost[of], id)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return lost, nil
}

func (l lostSecrets) discard(tx *store.Tx) error {
	for of, ids := range l {
		for _, id := range ids {
			if err := tx.ForgetSealed(of, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// refusal is why a server doesn't start: without the right key, it could use none of the secrets.
func (l lostSecrets) refusal(cfg Config, problem string) error {
	return fmt.Errorf("the key %q %s. If it is lost, start once with -discard-secrets, which deletes them: users have to log in again, and the "+
		"secrets have to be set again", cfg.keyFile(), problem)
}

// in lists what data has of each kind.
func (l lostSecrets) in(cfg Config) string {
	counted := func(n int, noun string) string {
		if n != 1 {
			noun += "s"
		}
		return fmt.Sprintf("%d %s", n, noun)
	}
	return fmt.Sprintf("%s, %s and the secrets of %s in %q", counted(len(l[store.SealedClientSecrets]), "client secret"),
		counted(max(len(l[store.SealedAccessTokens]), len(l[store.SealedRefreshTokens])), "token"),
		counted(len(l[store.SealedDeploymentSecrets]), "deployment"), cfg.dataName())
}
