package tracing

import (
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Rollup adds up the figures of runs and of all that is below them, by id.
func (s *Service) Rollup(c *rest.Call, rows []store.Run) (map[uuid.UUID]usage.Totals, error) {
	var all []store.RunFigures
	known, seen := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		if seen[row.TraceID] {
			continue
		}
		seen[row.TraceID] = true
		err := c.Tx.EachFigures(store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: row.TraceID}, func(run store.RunFigures) error {
			all, known[run.ID] = append(all, run), true
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	nodes := make([]usage.Node, len(all))
	for i, run := range all {
		totals, err := totalsOf(run)
		if err != nil {
			return nil, err
		}
		// Ids were checked before they were stored.
		nodes[i] = usage.Node{Totals: totals, ID: uuid.MustParse(run.ID), TraceID: uuid.MustParse(run.TraceID)}
		// The run counts for all above it that are there, even if its parent isn't.
		for id := range lineage(run) {
			if id != run.ID && known[id] {
				nodes[i].ParentRunID = uuid.MustParse(id)
			}
		}
	}
	totals, _ := usage.Rollup(nodes)
	return totals, nil
}

// ownTotals are the figures of each run alone, by id.
func (s *Service) ownTotals(rows []store.Run) (map[uuid.UUID]usage.Totals, error) {
	totals := make(map[uuid.UUID]usage.Totals, len(rows))
	for _, row := range rows {
		own, err := s.OwnTotals(row)
		if err != nil {
			return nil, err
		}
		totals[uuid.MustParse(row.ID)] = own
	}
	return totals, nil
}
