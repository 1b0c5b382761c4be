package run

import (
	"context"
	"slices"

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
	all := changes(request.Operations)
	var patched, others []string
	for _, c := range all {
		switch {
		case c.post == nil:
			patched = append(patched, c.runID)
		case c.runID != "":
			others = append(others, c.runID)
		}
		if parentID, is := c.parentID(); is {
			others = append(others, parentID)
		}
	}
	entries, err := entriesOf(workspaceID, request.Feedback, s.now())
	if err != nil {
		return err
	}
	expected := store.Expected{WorkspaceID: workspaceID, RunIDs: slices.Concat(patched, others)}
	return s.transact(ctx, expected, patched, func(l *logging) error { return l.store(all, request, entries) })
}
