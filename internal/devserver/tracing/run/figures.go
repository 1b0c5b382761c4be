package run

import (
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Rollup adds up the figures of runs and of all runs below them, by ID.
func (s *Service) Rollup(c *rest.Call, rows []store.Run) (map[uuid.UUID]usage.Totals, error) {
	return figure.Rollup(c.Tx, c.WorkspaceID, rows)
}

// Summarize is Rollup with the models that runs, or those below them, have called: by ID, in order of their calls.
func (s *Service) Summarize(c *rest.Call, rows []store.Run) (map[uuid.UUID]usage.Totals, map[string][]string, error) {
	return figure.Summarize(c.Tx, c.WorkspaceID, rows)
}

// Summaries returns the figures of a project in a time range, in total and per step; the end is exclusive.
func (s *Service) Summaries(
	c *rest.Call, projectID string, from, to time.Time, step time.Duration,
) (all figure.Summary, steps []figure.Summary, _ error) {
	return s.charts.Summaries(c.Tx, c.WorkspaceID, projectID, from, to, step)
}

// GroupSummaries is Summaries for the groups with the most runs, of one of figure.Groupings.
func (s *Service) GroupSummaries(
	c *rest.Call, projectID, by string, from, to time.Time, step time.Duration, most int,
) ([]figure.GroupSummary, error) {
	return s.charts.GroupSummaries(c.Tx, c.WorkspaceID, projectID, by, from, to, step, most)
}
