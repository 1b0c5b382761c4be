package run

import (
	"context"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// Log stores a batch of runs, with feedback by ID. A refused batch stores nothing.
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

// changesTogether is how many runs of a request a transaction changes, and bytesTogether how many bytes these have, unless one has more. Others can
// write before the next ones. Clients are told to send as many runs at once.
const changesTogether, bytesTogether = 100, 4 << 20

// slicesOf divides changes among transactions.
func slicesOf(all []*change) (slices [][]*change) {
	var bytes int64
	for _, c := range all {
		last := len(slices) - 1
		if bytes += c.size(); last < 0 || len(slices[last]) == changesTogether || bytes > bytesTogether {
			slices, bytes = append(slices, []*change{c}), c.size()
			continue
		}
		slices[last] = append(slices[last], c)
	}
	return slices
}

// log stores the contents of a request.
func (s *Service) log(ctx context.Context, workspaceID string, request ingest.Request) error {
	entries, err := entriesOf(workspaceID, request.Feedback, s.now())
	if err != nil {
		return err
	}
	all := changes(request.Operations)
	divided := slicesOf(all)
	if len(entries) > 0 && len(all) > 0 { // A rehearsal doesn't find out whether they are refused.
		divided = [][]*change{all}
	}
	var patched []string
	var parts []part
	for _, some := range divided {
		expected := store.Expected{WorkspaceID: workspaceID}
		for _, c := range some {
			if c.post == nil {
				patched = append(patched, c.runID)
			}
			if c.runID != "" {
				expected.RunIDs = append(expected.RunIDs, c.runID)
			}
			if parentID, is := c.parentID(); is {
				expected.RunIDs = append(expected.RunIDs, parentID)
			}
		}
		parts = append(parts, part{expected, func(l *logging) error { return l.applyAll(some) }})
	}
	rest := part{store.Expected{WorkspaceID: workspaceID}, func(l *logging) error { return l.storeRest(request, entries) }}
	if len(parts) == 0 {
		return s.transact(ctx, workspaceID, patched, rest)
	}
	if len(parts) > 1 { // Whether the request is refused must be known before its first part is stored.
		patched = joined(parts).expected.RunIDs
	}
	parts[len(parts)-1] = joined([]part{parts[len(parts)-1], rest})
	return s.transact(ctx, workspaceID, patched, parts...)
}
