package run

import (
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// queryV1 is the body of a query in version 1.
type queryV1 struct {
	Selection
	PageRequest
}

// queryRuns returns runs by start time, by default newest first. A query without a project covers the whole workspace.
func queryRuns(c *rest.Call, q queryV1) (rest.Answer, error) {
	fields, ascending, limit, err := q.Read()
	if err != nil {
		return rest.Answer{}, err
	}
	f, err := q.RunFilter(c.Tx, c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	rows, next, err := Page(c.Tx, f, ascending, CursorOf(c, q.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := Answers(ViewOf(c), rows, fields, Subtree)
	return rest.OK(NewPage(runs, next)), err
}

func queryRunsV2(c *rest.Call, q QueryV2) (rest.Answer, error) {
	_, page, err := pageV2(c, q)
	return PageAnswer(c, page), err
}

// pageV2 returns a page of version 2, and the runs on it.
func pageV2(c *rest.Call, q QueryV2) (rows []store.Run, page ItemsAnswer, err error) {
	fields, limit, err := q.Read()
	if err != nil {
		return nil, page, err
	}
	f, err := q.RunFilter(c.Tx, c.WorkspaceID, c.Now)
	if err != nil {
		return nil, page, err
	}
	ascending := api.OrEmpty(q.SortOrder) == "ASC"
	if rows, page.NextCursor, err = Page(c.Tx, f, ascending, CursorOf(c, q.Cursor), limit); err != nil {
		return nil, page, err
	}
	page.Items, err = AnswersV2(ViewOf(c), rows, fields, scope(f.Subtrees))
	return rows, page, err
}

// tracesQuery is the body of a query for traces.
type tracesQuery struct {
	QueryV2
	TraceIDs []api.UUID `json:"trace_ids,omitzero"`
}

// queryTraces returns traces by their roots, each with the figures of all of its runs.
func queryTraces(c *rest.Call, q tracesQuery) (rest.Answer, error) {
	whole := form.Truth(true) // A trace has the figures of all of its runs.
	q.IsRoot, q.IncludeSubtreeUsage = &whole, &whole
	if q.TraceIDs != nil {
		q.IDs = q.TraceIDs // A trace has the ID of its root.
	}
	var v form.Validator
	checkListed(&v, "trace_ids", q.TraceIDs)
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, page, err := pageV2(c, q.QueryV2)
	if err != nil {
		return rest.Answer{}, err
	}
	totals, err := figure.Rollup(c.Tx, c.WorkspaceID, rows)
	if err != nil {
		return rest.Answer{}, err
	}
	for i, row := range rows {
		page.Items[i] = map[string]any{"root_run": page.Items[i], "trace_aggregates": aggregates(totals[uuid.MustParse(row.ID)])}
	}
	return PageAnswer(c, page), nil
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
func listTraceRuns(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	traceID, fields := api.UUID(p.PathID("trace_id")), ReadSelects(p)
	q := QueryV2{
		TraceID: &traceID, ProjectID: (*api.UUID)(p.ID("project_id")), Filter: p.Text("filter"), MinStartTime: p.Text("min_start_time"),
		MaxStartTime: p.Text("max_start_time"),
	}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	f, err := q.RunFilter(c.Tx, c.WorkspaceID, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.TraceRuns(f)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := AnswersV2(ViewOf(c), rows, fields, Itself)
	return rest.OK(map[string]any{"items": runs}), err
}

// statsQuery is the body of a query for figures.
type statsQuery struct {
	Selection
	StatsRequest
}

// runStats returns the figures of runs, or of each group of them by name.
func runStats(c *rest.Call, q statsQuery) (rest.Answer, error) {
	if err := q.Check(); err != nil {
		return rest.Answer{}, err
	}
	f, err := q.RunFilter(c.Tx, c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	if q.GroupBy == nil {
		m, err := FiguresOf(c.Tx, f, q.details())
		if err != nil {
			return rest.Answer{}, err
		}
		return rest.OK(q.chosen(m)), nil
	}
	groups, err := FiguresInGroups(c.Tx, f, q.GroupBy.RunGroup(), q.details())
	if err != nil {
		return rest.Answer{}, err
	}
	if q.Groups != nil {
		maps.DeleteFunc(groups, func(name string, _ *Measured) bool { return !slices.ContainsFunc(q.Groups, isText(name)) })
	}
	all := map[string]any{}
	for _, name := range q.GroupBy.largest(groups) {
		all[name] = q.chosen(groups[name])
	}
	return rest.OK(all), nil
}
