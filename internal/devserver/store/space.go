package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

const (
	// vacuumPages is how many pages one transaction moves to where free ones are.
	vacuumPages = 256
	// keptPages and keptShare are how many free pages stay in the file, at least, and as a share of it: runs that replace
	// deleted ones needn't extend it again.
	keptPages, keptShare = 512, 20
	// keptLog is how long the write-ahead log may stay. What it has, a full disk can't take away.
	keptLog = 4 << 20
)

// incremental is the value of PRAGMA auto_vacuum for files that can be made smaller page by page.
const incremental = 2

// pages are the sizes of a file.
type pages struct{ all, free, size, vacuum int64 }

func scanPages(row scanner) (p pages, err error) {
	err = row.Scan(&p.all, &p.free, &p.size, &p.vacuum)
	return p, err
}

const selectPages = "SELECT page_count, freelist_count, page_size, auto_vacuum FROM " +
	"pragma_page_count, pragma_freelist_count, pragma_page_size, pragma_auto_vacuum"

// GiveBack returns some of the free space of a file to the file system, and says whether there is more. It is one short
// transaction, too.
func (s *Store) GiveBack(ctx context.Context) (more bool, err error) {
	return s.backend.giveBack(ctx, s)
}

func (q *sqlite) giveBack(ctx context.Context, s *Store) (more bool, err error) {
	var p pages
	if err := s.ReadTraced(ctx, func(tx *Tx) (err error) {
		p, err = q.size(tx)
		return err
	}); err != nil {
		return false, err
	}
	excess := p.free - max(keptPages, p.all/keptShare)
	if p.vacuum != incremental || excess <= 0 {
		if err := q.shortenLog(ctx, s); err != nil || !s.spare.lacks(p.all*p.size) {
			return false, err
		}
		return false, s.spare.create()
	}
	err = s.Do(ctx, func(tx *Tx) error {
		// Pragmas can't have parameters. This one moves a page for each row that is read.
		_, err := query(tx, func(scanner) (struct{}, error) { return struct{}{}, nil }, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumPages))
		return err
	})
	return err == nil, err
}

// shortenLog empties the write-ahead log if it is long, which also makes the file as small as its contents. It waits
// for nobody: the log that a long read still needs is shortened later.
func (q *sqlite) shortenLog(ctx context.Context, s *Store) error {
	log, err := os.Stat(q.path + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil || log.Size() <= keptLog {
		return err
	}
	// Most of the work, beside those that write.
	if _, err := s.checkpoint(ctx, "PASSIVE"); err != nil {
		return err
	}
	giveBack, err := s.turn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	ctx = context.WithoutCancel(ctx)
	_, err = s.db.ExecContext(ctx, "PRAGMA busy_timeout = 0")
	if err == nil {
		_, err = s.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)") // That it is busy is a result, not an error.
	}
	_, back := s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout))
	return s.withCause(errors.Join(err, back))
}

// triedBytes is what TryWrite writes: a row that needs pages of its own, like most of what requests store.
const triedBytes = 64 << 10

// Full reports whether a write has found the disk full, and TryWrite has not succeeded since.
func (s *Store) Full() bool { return s.full.Load() }

// TryWrite commits a small write that changes nothing.
func (s *Store) TryWrite(ctx context.Context) error {
	err := s.Tend(ctx, func(tx *Tx) error {
		if err := tx.SetRepoHead("", "", "", strings.Repeat(" ", triedBytes)); err != nil {
			return err
		}
		return tx.exec("DELETE FROM repo_heads WHERE workspace_id = ''")
	})
	if err == nil {
		s.full.Store(false)
	}
	return err
}

// Compact rewrites a file that no server uses, so that it has no free space and can be made smaller later.
func Compact(ctx context.Context, path string) (err error) {
	if IsPostgres(path) {
		return errors.New("devserver compact rewrites only SQLite files: PostgreSQL uses the space of deleted rows again by itself, and VACUUM FULL returns it " +
			"to the file system")
	}
	if _, err := os.Stat(path); err != nil {
		return err // Opening would create it.
	}
	claim, err := Claim(ctx, path, "devserver compact")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	s, err := openSQLite(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, err = s.db.ExecContext(ctx, "VACUUM")
	return withCause(err)
}
