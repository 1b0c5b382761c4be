package tracing

import (
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Rollup adds up the figures of runs and of all that is below them, by id.
func (s *Service) Rollup(c *rest.Call, rows []store.Run) (map[uuid.UUID]usage.Totals, error) {
	var nodes []usage.Node
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row.TraceID] {
			continue
		}
		seen[row.TraceID] = true
		err := c.Tx.EachFigures(store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: row.TraceID}, func(run store.RunFigures) error {
			n, err := nodeOf(run)
			nodes = append(nodes, n)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	totals, _ := usage.Rollup(nodes)
	return totals, nil
}

func nodeOf(row store.RunFigures) (usage.Node, error) {
	totals, err := totalsOf(row)
	if err != nil {
		return usage.Node{}, err
	}
	n := usage.Node{Totals: totals}
	// Ids were checked before they were stored.
	n.ID, n.TraceID = uuid.MustParse(row.ID), uuid.MustParse(row.TraceID)
	if row.ParentRunID != nil {
		n.ParentRunID = uuid.MustParse(*row.ParentRunID)
	}
	return n, nil
}
