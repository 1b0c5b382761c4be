package run

import (
	"context"
	"io"
	"slices"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
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
	service     *Service
	workspaceID string
	kept        []string // The IDs of what was stored.
}

// Keep implements ingest.Sink.
func (s *attachmentSink) Keep(ctx context.Context, content io.Reader) (id string, size int64, err error) {
	if len(s.kept) == limits.Attachments {
		return "", 0, ingest.TooMany("attachments", limits.Attachments)
	}
	id = uuid.NewString() // Knowing it is enough to read the attachment.
	s.kept = append(s.kept, id)
	var seq int64
	begin := func(tx *store.Tx) (err error) {
		seq, err = tx.BeginAttachment(store.Attachment{ID: id, WorkspaceID: s.workspaceID, CreatedAt: s.service.now()})
		return err
	}
	of := store.Expected{WorkspaceID: s.workspaceID}
	size, err = store.Pieces(content, func(number int, piece store.Piece) error {
		return s.service.write(ctx, of, func(tx *store.Tx) error {
			if number == 0 {
				if err := begin(tx); err != nil {
					return err
				}
			}
			return tx.AppendAttachment(seq, number, piece)
		})
	})
	if err == nil && size == 0 {
		err = s.service.write(ctx, of, begin)
	}
	return id, size, err
}

// discard deletes what was stored for a refused request.
func (s *attachmentSink) discard(ctx context.Context) error {
	return s.service.drop(context.WithoutCancel(ctx), s.kept)
}

// SweepAttachments deletes attachments whose requests have never finished.
func (s *Service) SweepAttachments(ctx context.Context) error {
	var ids []string
	err := s.store.ReadTraced(ctx, func(tx *store.Tx) (err error) {
		ids, err = tx.AbandonedAttachments(s.now().Add(-limits.AttachmentTime))
		return err
	})
	if err != nil {
		return err
	}
	return s.drop(ctx, ids)
}

// drop deletes attachments that belong to no run, some pieces in each transaction.
func (s *Service) drop(ctx context.Context, ids []string) error {
	for len(ids) > 0 {
		var left []string
		err := s.write(ctx, store.Expected{}, func(tx *store.Tx) (err error) {
			left, err = tx.DropAttachments(ids)
			return err
		})
		if err != nil {
			return err
		}
		ids = left
	}
	return nil
}
