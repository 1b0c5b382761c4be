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

// GiveBack returns some of the free space of a file to the file system, and reports whether there is more. It is one short
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
	_, back := s.db.ExecContext(ctx, "PRAGMA "+patience)
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
	if err := checkFile(path, "devserver compact rewrites only SQLite files: PostgreSQL uses the space of deleted rows again by itself, and "+
		"VACUUM FULL returns it to the file system"); err != nil {
		return err
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

// Estimates of what is stored besides the texts: the numbers of a row and of its entries in indexes, of a label, and all of the
// row of an attachment.
const runNumbers, labelNumbers, attachmentRow = 300, 24, 400

// rowBytes returns what the row of a run takes. Some columns are in indexes, too.
func (r *Run) rowBytes() int64 {
	n := runNumbers + 3*len(r.WorkspaceID) + 2*len(r.ID) + 2*len(r.TraceID) + len(r.Name) + 2*len(r.RunType) + len(r.Status) + len(r.Figures)
	for _, twice := range []*string{r.ParentRunID, r.DottedOrder, r.ThreadID} {
		n += 2 * lengthOf(twice)
	}
	for _, once := range []*string{r.Error, r.PromptCost, r.CompletionCost, r.TotalCost, r.PriceID} {
		n += lengthOf(once)
	}
	return int64(n)
}

func lengthOf(text *string) int {
	if text == nil {
		return 0
	}
	return len(*text)
}

// Sizes of SQLite's pages: the page, what fits into one of a table, what of a larger row at least, and what into one of those with
// the rest of it.
const pageSize, pageRoom, rowHead, overflowRoom = 4096, 4061, 489, 4092

// bodyBytes returns what a body takes. The beginning of a row is in a page with as many others as fit as a whole, and what
// doesn't fit is in pages of its own.
func bodyBytes(n int64) int64 {
	head := n
	if n > pageRoom {
		if head = rowHead + (n-rowHead)%overflowRoom; head > pageRoom {
			head = rowHead
		}
	}
	return pageSize/max(1, pageRoom/max(1, head)) + (n-head+overflowRoom-1)/overflowRoom*pageSize
}

// labelBytes returns what labels take. Each is in the table and in an index.
func labelBytes(labels []Label) (n int64) {
	for _, label := range labels {
		n += int64(labelNumbers + 2*(len(label.Key)+len(labelValue(label.Value))))
	}
	return n
}

// vacate notes that the space of runs is free, which are to be deleted or replaced.
func (t *Tx) vacate(seqs jsonNumbers) error {
	freed, err := query(t, scanOccupation, `SELECT r.workspace_id, r.project, count(r.row_bytes), coalesce(sum(r.row_bytes), 0), coalesce(sum(r.body_bytes), 0),
		coalesce(sum(r.label_bytes), 0) FROM runs r WHERE r.seq IN `+numbers("?")+" GROUP BY r.workspace_id, r.project", seqs)
	for _, o := range freed {
		t.occupy(o.workspaceID, o.project, o.space.negative())
	}
	return err
}

func scanOccupation(row scanner) (o occupation, err error) {
	err = row.Scan(&o.workspaceID, &o.project, &o.space.Runs, &o.space.Rows, &o.space.Bodies, &o.space.Labels)
	return o, err
}

// projectSeq returns the number of a project; 0 if it doesn't exist.
func (t *Tx) projectSeq(id string) (int64, error) {
	if seq, known := t.projects[id]; known {
		return seq, nil
	}
	seq, err := queryOne(t, scanNumber, "SELECT p.seq FROM projects p WHERE p.id = ?", id)
	if Missing(&err) || err != nil {
		return 0, err
	}
	if t.projects == nil {
		t.projects = map[string]int64{}
	}
	t.projects[id] = seq
	return seq, nil
}
