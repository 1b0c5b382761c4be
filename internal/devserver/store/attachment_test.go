package store

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAttachmentsAreCompressed checks that what is stored of a file is smaller where that is possible, that the same bytes are read, whatever the
// first one is, and that pieces of earlier versions are read as they are.
func TestAttachmentsAreCompressed(t *testing.T) {
	t.Parallel()
	s := openPath(t, "")
	random := make([]byte, 100<<10)
	_, _ = rand.Read(random)
	for name, tc := range map[string]struct {
		content []byte
		most    int64 // Bytes that are stored.
	}{
		"a log": {[]byte(strings.Repeat("2026-05-02 10:00:00 INFO request answered in 12 ms\n", 50_000)), 500 << 10},
		// As if they were compressed.
		"a photo": {append([]byte{bodyDictionaryNumber}, random...), 100<<10 + 1},
		"a note":  {[]byte{bodyDictionaryNumber, 'a'}, 2},
		"empty":   {nil, 0},
	} {
		var seq, size, stored int64
		do(t, s, func(tx *Tx) (err error) {
			if seq, err = tx.BeginAttachment(Attachment{ID: name, WorkspaceID: "w", CreatedAt: time.Unix(0, 0)}); err != nil {
				return err
			}
			if size, err = Pieces(bytes.NewReader(tc.content), func(number int, piece Piece) error { return tx.AppendAttachment(seq, number, piece) }); err != nil {
				return err
			}
			stored, err = queryOne(tx, scanNumber, "SELECT coalesce(sum(length(content)), 0) FROM attachment_pieces WHERE attachment = ?", seq)
			return err
		})
		if stored > tc.most || size != int64(len(tc.content)) {
			t.Errorf("%s: %d bytes are stored of %d, want at most %d of %d", name, stored, size, tc.most, len(tc.content))
		}
		if got := attached(t, s, seq); !bytes.Equal(got, tc.content) {
			t.Errorf("%s: read %d bytes that aren't the %d that were stored", name, len(got), len(tc.content))
		}
	}
	do(t, s, func(tx *Tx) error {
		seq, err := tx.BeginAttachment(Attachment{ID: "old", WorkspaceID: "w", CreatedAt: time.Unix(0, 0)})
		if err != nil {
			return err
		}
		return tx.exec("INSERT INTO attachment_pieces (attachment, number, content) VALUES (?, 0, ?)", seq, []byte{bodyDictionaryNumber, 'b'})
	})
	if got := attached(t, s, 5); !bytes.Equal(got, []byte{bodyDictionaryNumber, 'b'}) {
		t.Errorf("read %q of a piece that isn't compressed", got)
	}
}

// attached reads an attachment.
func attached(t *testing.T, s *Store, seq int64) []byte {
	t.Helper()
	var content bytes.Buffer
	read(t, s, func(tx *Tx) error {
		for number := 0; ; number++ {
			piece, err := tx.AttachmentPiece(seq, number)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			if _, err := io.Copy(&content, bytes.NewReader(piece)); err != nil {
				return err
			}
		}
	})
	return content.Bytes()
}

// TestReplacedAttachments checks that the transaction that replaces an attachment doesn't delete its pieces, of which there may be very many,
// and that it takes space until it is swept.
func TestReplacedAttachments(t *testing.T) {
	t.Parallel()
	s := openPath(t, "")
	const pieces = 3 * mostDropped
	attach := func(tx *Tx, id string, pieces int) error {
		seq, err := tx.BeginAttachment(Attachment{ID: id, WorkspaceID: "w", CreatedAt: time.Unix(9, 0)})
		for n := range pieces {
			if err == nil {
				err = tx.AppendAttachment(seq, n, newPiece([]byte("piece")))
			}
		}
		if err != nil {
			return err
		}
		return tx.GiveAttachment(id, "run", "log", "text/plain", 1)
	}
	var left, others int64
	var abandoned []string
	do(t, s, func(tx *Tx) error { return attach(tx, "old", pieces) })
	err := s.Do(t.Context(), func(tx *Tx) (err error) {
		if err := attach(tx, "new", 1); err != nil {
			return err
		}
		left, err = queryOne(tx, scanNumber, "SELECT count(*) FROM attachment_pieces")
		return err
	})
	if err == nil {
		err = s.Read(t.Context(), func(tx *Tx) (err error) {
			if abandoned, err = tx.AbandonedAttachments(time.Unix(1, 0)); err != nil {
				return err
			}
			of, err := tx.Attachments("w", "run")
			others = int64(len(of))
			return err
		})
	}
	must(t, err)
	if left != pieces+1 || !slices.Equal(abandoned, []string{"old"}) || others != 1 {
		t.Errorf("%d pieces are left, %q is abandoned, and the run has %d attachments; want %d, the old one and 1", left, abandoned, others, pieces+1)
	}
	occupied := func() int64 {
		t.Helper()
		bytes, err := s.Occupied(t.Context(), "w")
		must(t, err)
		return bytes
	}
	before := occupied()
	for more, transactions := true, 0; more; transactions++ {
		if more, err = s.Sweep(t.Context()); err != nil || transactions > pieces/mostDropped+1 {
			t.Fatalf("more is left after %d transactions: %v", transactions, err)
		}
	}
	if after := occupied(); after >= before {
		t.Errorf("the workspace takes %d bytes after %d, want less", after, before)
	}
}
