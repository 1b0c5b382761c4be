package run

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

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
	err := s.store.ReadTraced(r.Context(), func(tx *store.Tx) (err error) {
		row, err = tx.Attachment(r.PathValue("attachment_id"))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return rest.Answer{}, form.Missing("Attachment not found.")
	}
	if err != nil {
		return rest.Answer{}, err
	}
	ctx := r.Context()
	next := func(number int) (piece []byte, err error) {
		err = s.store.ReadTraced(ctx, func(tx *store.Tx) error {
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
