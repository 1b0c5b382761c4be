package run

import (
	"context"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// Log stores a batch of runs, with feedback by ID: all of it, or nothing.
func (s *Service) Log(ctx context.Context, workspaceID string, batch []byte, feedback map[string][]byte) error {
	operations, err := ingest.Batch(batch)
	if err != nil {
		return err
	}
	request := ingest.Request{Operations: operations}
	for id, body := range feedback {
		request.Feedback = append(request.Feedback, ingest.Feedback{ID: id, Body: body})
	}
	return s.log(ctx, workspaceID, request)
}

// log stores the contents of a request.
func (s *Service) log(ctx context.Context, workspaceID string, request ingest.Request) error {
	var l *logging
	err := s.store.DoGrouped(ctx, func(tx *store.Tx) error {
		l = s.newLogging(tx, workspaceID)
		return l.store(request)
	})
	if err == nil {
		s.Charts.Forget(l.moments, l.unnoted, s.store.Commits())
	}
	return err
}
