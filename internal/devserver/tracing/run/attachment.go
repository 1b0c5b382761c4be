package run

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// attachmentsAtOnce is the number of runs whose attachments one database query reads: its size is limited.
const attachmentsAtOnce = 1000

// attachments returns those of runs, by the IDs of the runs.
func attachments(v View, rows []store.Run) (map[string][]store.Attachment, error) {
	all := map[string][]store.Attachment{}
	for some := range slices.Chunk(rows, attachmentsAtOnce) {
		found, err := v.Tx.Attachments(v.WorkspaceID, form.Collect(some, func(row store.Run) string { return row.ID })...)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			all[*one.RunID] = append(all[*one.RunID], one)
		}
	}
	return all, nil
}

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
