package store

import (
	"io"
	"time"
)

// pieceSize is how much of an attachment is in memory at once.
const pieceSize = 1 << 20

// Attachment is a row of attachments: a file that belongs to a run.
type Attachment struct {
	Seq         int64
	ID          string
	WorkspaceID string
	RunID       *string // Nil until the request that brought it is done.
	Name        string
	MimeType    string
	Size        int64
	CreatedAt   time.Time
}

// Attachments are what a transaction does with content that clients send along with runs.
type Attachments interface {
	// BeginAttachment adds an attachment that belongs to nothing yet, and returns its Seq.
	BeginAttachment(a Attachment) (int64, error)
	// AppendAttachment adds the next piece of its content.
	AppendAttachment(seq int64, number int, content []byte) error
	// GiveAttachment makes an attachment a run's, in place of one of the same name.
	GiveAttachment(id, runID, name, mimeType string, size int64) error
	// DropAttachments deletes those that began before a time and never became a run's.
	DropAttachments(before time.Time) error
	// DropAttachment deletes one that never became a run's, if it is there.
	DropAttachment(id string) error
	// Attachments lists those of a run, by name.
	Attachments(workspaceID, runID string) ([]Attachment, error)
	// Attachment reads one that belongs to a run.
	Attachment(id string) (Attachment, error)
	// AttachmentPiece reads a piece of the content; ErrNotFound follows the last one.
	AttachmentPiece(seq int64, number int) ([]byte, error)
}

const selectAttachment = "SELECT seq, id, workspace_id, run_id, name, mime_type, size, created_at FROM attachments "

func scanAttachment(row scanner) (Attachment, error) {
	var a Attachment
	err := row.Scan(&a.Seq, &a.ID, &a.WorkspaceID, &a.RunID, &a.Name, &a.MimeType, &a.Size, timeColumn{&a.CreatedAt})
	return a, err
}

func (t *sqliteTx) BeginAttachment(a Attachment) (int64, error) {
	return queryOne(t, scanNumber, `
		INSERT INTO attachments (id, workspace_id, name, mime_type, size, created_at) VALUES (?, ?, '', '', 0, ?) RETURNING seq`,
		a.ID, a.WorkspaceID, micros(a.CreatedAt))
}

func (t *sqliteTx) AppendAttachment(seq int64, number int, content []byte) error {
	return t.exec("INSERT INTO attachment_pieces (attachment, number, content) VALUES (?, ?, ?)", seq, number, content)
}

func (t *sqliteTx) GiveAttachment(id, runID, name, mimeType string, size int64) error {
	err := t.exec(`DELETE FROM attachments WHERE run_id = ?1 AND name = ?2 AND id <> ?3
		AND workspace_id = (SELECT workspace_id FROM attachments WHERE id = ?3)`, runID, name, id)
	if err != nil {
		return err
	}
	return t.execOne("UPDATE attachments SET run_id = ?, name = ?, mime_type = ?, size = ? WHERE id = ?",
		runID, name, mimeType, size, id)
}

func (t *sqliteTx) DropAttachments(before time.Time) error {
	return t.exec("DELETE FROM attachments WHERE run_id IS NULL AND created_at < ?", micros(before))
}

func (t *sqliteTx) DropAttachment(id string) error {
	return t.exec("DELETE FROM attachments WHERE run_id IS NULL AND id = ?", id)
}

func (t *sqliteTx) Attachments(workspaceID, runID string) ([]Attachment, error) {
	return query(t, scanAttachment, selectAttachment+"WHERE workspace_id = ? AND run_id = ? ORDER BY name", workspaceID, runID)
}

func (t *sqliteTx) Attachment(id string) (Attachment, error) {
	return queryOne(t, scanAttachment, selectAttachment+"WHERE id = ? AND run_id IS NOT NULL", id)
}

func (t *sqliteTx) AttachmentPiece(seq int64, number int) ([]byte, error) {
	return queryOne(t, func(row scanner) ([]byte, error) {
		var content []byte
		err := row.Scan(&content)
		return content, err
	}, "SELECT content FROM attachment_pieces WHERE attachment = ? AND number = ?", seq, number)
}

// Pieces cuts content into pieces that AppendAttachment takes, and returns its size.
func Pieces(content io.Reader, take func(number int, piece []byte) error) (size int64, err error) {
	for number := 0; ; number++ {
		piece, err := io.ReadAll(io.LimitReader(content, pieceSize))
		size += int64(len(piece))
		if err != nil || len(piece) == 0 {
			return size, err
		}
		if err := take(number, piece); err != nil {
			return size, err
		}
	}
}
