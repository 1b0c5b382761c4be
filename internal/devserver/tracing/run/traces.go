package run

import (
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// queryTraces returns traces by their roots, each with the figures of all of its runs.
func (s *Service) queryTraces(c *rest.Call) (rest.Answer, error) {
	q, fields, limit, err := s.ReadQueryV2(c, ofTraces)
	if err != nil {
		return rest.Answer{}, err
	}
	whole := form.Truth(true) // A trace has the figures of all of its runs.
	q.IsRoot, q.IncludeSubtreeUsage = &whole, &whole
	if q.TraceIDs != nil {
		q.IDs = q.TraceIDs // A trace has the ID of its root.
	}
	f, err := q.RunFilter(c)
	if err != nil {
		return rest.Answer{}, err
	}
	rows, next, err := s.RunPage(c, f, q.ascending(), CursorOf(c, q.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	roots, err := s.AnswersV2(c, rows, fields, Subtree)
	if err != nil {
		return rest.Answer{}, err
	}
	totals, err := figure.Rollup(c.Tx, c.WorkspaceID, rows)
	if err != nil {
		return rest.Answer{}, err
	}
	items := make([]map[string]any, len(rows))
	for i, row := range rows {
		items[i] = map[string]any{"root_run": roots[i], "trace_aggregates": aggregates(totals[uuid.MustParse(row.ID)])}
	}
	return PageAnswer(c, ItemsAnswer{items, next}), nil
}

func aggregates(t usage.Totals) map[string]any {
	all := map[string]any{"total_tokens": t.TotalTokens}
	if t.TotalCost != nil {
		all["total_cost"] = t.TotalCost.Number()
	}
	if t.FirstTokenTime != nil {
		all["first_token_time"] = Formatted(t.FirstTokenTime, timestamp.Layout)
	}
	return all
}

// listTraceRuns returns every run of a trace, each after its parent.
func (s *Service) listTraceRuns(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	traceID, projectID, fields := p.PathID("trace_id"), p.ID("project_id"), readSelects(p)
	filter, from, to := p.Text("filter"), p.Text("min_start_time"), p.Text("max_start_time")
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	q := QueryV2{Filter: filter, MinStartTime: from, MaxStartTime: to}
	f, err := q.RunFilter(c)
	if err != nil {
		return rest.Answer{}, err
	}
	f.TraceID = traceID
	if from == nil {
		f.From = nil
	}
	if projectID != nil {
		f.ProjectIDs = []string{*projectID}
	}
	rows, err := c.Tx.TraceRuns(f)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := s.AnswersV2(c, rows, fields, itself)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(map[string]any{"items": runs}), nil
}
