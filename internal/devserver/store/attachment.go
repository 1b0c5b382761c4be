package store

import (
	"io"
	"time"
)

// pieceSize is the size of the pieces in which attachments are stored, one of which is in memory at a time.
const pieceSize = 1 << 20

// Attachment is a row of attachments: a file that belongs to a run.
type Attachment struct {
	Seq         int64     `db:"seq"`
	ID          string    `db:"id"`
	WorkspaceID string    `db:"workspace_id"`
	RunID       *string   `db:"run_id"` // Nil until the request that sent it has finished.
	Name        string    `db:"name"`
	MimeType    string    `db:"mime_type"`
	Size        int64     `db:"size"`
	CreatedAt   time.Time `db:"created_at"`
}

var attachments = tableOf[Attachment]("attachments")

// BeginAttachment adds an attachment that belongs to no run yet, and returns its Seq.
func (t *Tx) BeginAttachment(a Attachment) (int64, error) {
	return t.insert(attachments.insertion(), attachments.values(a, attachments.inserted)...)
}

// Piece is a piece of an attachment as it is stored: compressed if that makes it smaller.
type Piece struct {
	content []byte
	packed  bool
}

func newPiece(content []byte) Piece {
	small := packed(content)
	return Piece{small, len(small) < len(content)}
}

// AppendAttachment adds the next piece of its content.
func (t *Tx) AppendAttachment(seq int64, number int, piece Piece) error {
	return t.exec("INSERT INTO attachment_pieces (attachment, number, content, packed) VALUES (?, ?, ?, ?)", seq, number, piece.content, piece.packed)
}

// GiveAttachment assigns an attachment to a run, replacing one with the same name. That one is deleted by Sweep: it may be
// large.
func (t *Tx) GiveAttachment(id, runID, name, mimeType string, size int64) error {
	replaced, err := t.changed(`UPDATE attachments SET run_id = NULL, created_at = 0 WHERE run_id = ?1 AND name = ?2 AND id <> ?3
		AND workspace_id = (SELECT b.workspace_id FROM attachments b WHERE b.id = ?3)`, runID, name, id)
	if err != nil {
		return err
	}
	t.marked = t.marked || replaced > 0
	type given struct {
		workspaceID string
		stored      int64
	}
	g, err := queryOne(t, func(row scanner) (g given, err error) {
		err = row.Scan(&g.workspaceID, &g.stored)
		return g, err
	}, `SELECT a.workspace_id, (SELECT coalesce(sum(length(c.content)), 0) FROM attachment_pieces c WHERE c.attachment = a.seq) + ? - a.stored
		FROM attachments a WHERE a.id = ?`, attachmentRow, id)
	if err != nil {
		return err
	}
	t.occupy(g.workspaceID, 0, Space{Attachments: g.stored})
	return t.execOne("UPDATE attachments SET run_id = ?, name = ?, mime_type = ?, size = ?, stored = stored + ? WHERE id = ?",
		runID, name, mimeType, size, g.stored, id)
}

// dropAttachments deletes attachments, which may take space of their workspaces. The condition is on the alias a.
func (t *Tx) dropAttachments(condition string, args ...any) error {
	freed, err := query(t, func(row scanner) (o occupation, err error) {
		err = row.Scan(&o.workspaceID, &o.space.Attachments)
		return o, err
	}, "SELECT a.workspace_id, sum(a.stored) FROM attachments a WHERE "+condition+" GROUP BY a.workspace_id", args...)
	if err != nil || len(freed) == 0 {
		return err
	}
	for _, o := range freed {
		t.occupy(o.workspaceID, 0, o.space.negative())
	}
	return t.exec("DELETE FROM attachments AS a WHERE "+condition, args...)
}

// AbandonedAttachments lists the IDs of those that belong to no run, and were begun before a time or replaced.
func (t *Tx) AbandonedAttachments(before time.Time) ([]string, error) {
	return query(t, scanText, "SELECT id FROM attachments WHERE run_id IS NULL AND created_at < ?", micros(before))
}

// mostDropped is how many pieces of attachments a transaction deletes.
const mostDropped = 64

// DropAttachments deletes attachments that belong to no run, if they exist. It returns those that are left for further
// transactions.
func (t *Tx) DropAttachments(ids []string) (left []string, err error) {
	t.deletes = true
	pieces := 0
	for i, id := range ids {
		if pieces >= mostDropped {
			return ids[i:], nil
		}
		dropped, err := t.change(`DELETE FROM attachment_pieces WHERE (attachment, number) IN (
			SELECT c.attachment, c.number FROM attachments a JOIN attachment_pieces c ON c.attachment = a.seq WHERE a.id = ? AND a.run_id IS NULL LIMIT ?)`,
			[]any{id, mostDropped - pieces})
		if err != nil {
			return nil, err
		}
		n, err := dropped.RowsAffected()
		if err != nil {
			return nil, err
		}
		if pieces += max(int(n), 1); pieces == mostDropped && n > 1 {
			return ids[i:], nil // There may be more of it.
		}
		if err := t.dropAttachments("a.run_id IS NULL AND a.id = ?", id); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Attachments lists those of runs, sorted by name.
func (t *Tx) Attachments(workspaceID string, runIDs ...string) ([]Attachment, error) {
	return attachments.find(t, "WHERE workspace_id = ? AND run_id IN ("+marks(len(runIDs))+") ORDER BY name",
		append([]any{workspaceID}, anys(runIDs)...)...)
}

// TraceAttachments counts those of the runs of a trace.
func (t *Tx) TraceAttachments(workspaceID, traceID string) (int64, error) {
	return queryOne(t, scanNumber, `SELECT count(*) FROM attachments WHERE workspace_id = ?1 AND run_id IN
		(SELECT r.id FROM runs r WHERE r.trace_id = ?2 AND `+unindexed("r.workspace_id")+" = ?1)", workspaceID, traceID)
}

// Attachment reads one that belongs to a run.
func (t *Tx) Attachment(id string) (Attachment, error) {
	return attachments.one(t, "a WHERE a.id = ? AND a.run_id IS NOT NULL AND "+ofLiveRun("a"), id)
}

// AttachmentPiece reads a piece of the content; ErrNotFound follows the last one.
func (t *Tx) AttachmentPiece(seq int64, number int) ([]byte, error) {
	piece, err := queryOne(t, func(row scanner) (p Piece, err error) {
		err = row.Scan(&p.content, &p.packed)
		return p, err
	}, "SELECT content, packed FROM attachment_pieces WHERE attachment = ? AND number = ?", seq, number)
	if err != nil || !piece.packed {
		return piece.content, err
	}
	return unpacked(piece.content)
}

// Pieces splits content into pieces for AppendAttachment, and returns its size. It compresses them, so that no transaction
// has to.
func Pieces(content io.Reader, take func(number int, piece Piece) error) (size int64, err error) {
	for number := 0; ; number++ {
		piece, err := io.ReadAll(io.LimitReader(content, pieceSize))
		size += int64(len(piece))
		if err != nil || len(piece) == 0 {
			return size, err
		}
		if err := take(number, newPiece(piece)); err != nil {
			return size, err
		}
	}
}
