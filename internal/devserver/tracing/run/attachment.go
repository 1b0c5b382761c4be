package run

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// attachmentSink stores attachments while they arrive. They belong to no run until their request has finished.
type attachmentSink struct {
	store       store.Store
	workspaceID string
	now         func() time.Time
	kept        []string // The IDs of what was stored.
}

// Keep implements ingest.Sink.
func (s *attachmentSink) Keep(ctx context.Context, content io.Reader) (id string, size int64, err error) {
	if len(s.kept) == limits.Operations {
		return "", 0, tooMany("attachments", limits.Operations+1)
	}
	id = uuid.NewString() // Knowing it is enough to read the attachment.
	s.kept = append(s.kept, id)
	var seq int64
	begin := func(tx *store.Tx) (err error) {
		now := s.now()
		if err := tx.DropAttachments(now.Add(-limits.AttachmentTime)); err != nil {
			return err
		}
		seq, err = tx.BeginAttachment(store.Attachment{ID: id, WorkspaceID: s.workspaceID, CreatedAt: now})
		return err
	}
	size, err = store.Pieces(content, func(number int, piece []byte) error {
		return s.store.DoGrouped(ctx, func(tx *store.Tx) error {
			if number == 0 {
				if err := begin(tx); err != nil {
					return err
				}
			}
			return tx.AppendAttachment(seq, number, piece)
		})
	})
	if err == nil && size == 0 {
		err = s.store.DoGrouped(ctx, begin)
	}
	return id, size, err
}

// discard deletes what was stored for a refused request.
func (s *attachmentSink) discard(ctx context.Context) error {
	if len(s.kept) == 0 {
		return nil
	}
	return s.store.DoGrouped(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		for _, id := range s.kept {
			if err := tx.DropAttachment(id); err != nil {
				return err
			}
		}
		return nil
	})
}

// attachmentContent is a response body that is read from the store while it is sent.
type attachmentContent struct {
	row  store.Attachment
	next func(number int) ([]byte, error) // store.ErrNotFound after the last piece.
}

// Send implements rest.Content.
func (a attachmentContent) Send(w io.Writer) error {
	for number := 0; ; number++ {
		piece, err := a.next(number)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
}

// getAttachment serves an attachment to anyone who knows its ID, like the service's signed URLs.
func (s *Service) getAttachment(r *http.Request, _ string) (rest.Answer, error) {
	var row store.Attachment
	err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		row, err = tx.Attachment(r.PathValue("attachment_id"))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return rest.Answer{}, refusal.Missing("Attachment not found.")
	}
	if err != nil {
		return rest.Answer{}, err
	}
	ctx := r.Context()
	next := func(number int) (piece []byte, err error) {
		err = s.store.Read(ctx, func(tx *store.Tx) error {
			piece, err = tx.AttachmentPiece(row.Seq, number)
			return err
		})
		return piece, err
	}
	return rest.Answer{Status: http.StatusOK, Body: attachmentContent{row, next}, Header: http.Header{
		"Content-Type":        {row.MimeType},
		"Content-Length":      {strconv.FormatInt(row.Size, 10)},
		"Content-Disposition": {mime.FormatMediaType("inline", map[string]string{"filename": row.Name})},
		// An attachment may be a page with scripts, which must not run with this server's origin.
		"Content-Security-Policy": {"default-src 'none'; sandbox"},
		"X-Content-Type-Options":  {"nosniff"},
	}}, nil
}
