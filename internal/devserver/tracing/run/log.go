package run

import (
	"context"
	"slices"

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
func slicesOf(all []*change) (divided [][]*change) {
	var bytes int64
	for _, c := range all {
		last := len(divided) - 1
		if bytes += c.size(); last < 0 || len(divided[last]) == changesTogether || bytes > bytesTogether {
			divided, bytes = append(divided, []*change{c}), c.size()
			continue
		}
		divided[last] = append(divided[last], c)
	}
	return divided
}

// log stores the contents of a request.
func (s *Service) log(ctx context.Context, workspaceID string, request ingest.Request) error {
	entries, err := entriesOf(workspaceID, request.Feedback, s.now())
	if err != nil {
		return err
	}
	all := changes(request.Operations)
	divided := slicesOf(all)
	if len(entries) > 0 || len(all) == 0 { // Only the transaction finds out whether they are refused.
		divided = [][]*change{all}
	}
	var parts []part
	for i, some := range divided {
		next := part{expected: store.Expected{WorkspaceID: workspaceID}}
		expected := &next.expected
		for _, c := range some {
			switch {
			case c.post == nil:
				next.changed = append(next.changed, c.runID)
			case c.runID != "":
				next.created = append(next.created, c.runID)
			}
			if parentID, is := c.parentID(); is {
				expected.RunIDs = append(expected.RunIDs, parentID)
			}
		}
		expected.RunIDs = slices.Concat(expected.RunIDs, next.created, next.changed)
		next.work = func(d *draft) error {
			if i == len(divided)-1 {
				d.addRest(request, entries)
			}
			return d.applyAll(some)
		}
		parts = append(parts, next)
	}
	return s.transact(ctx, workspaceID, parts...)
}
