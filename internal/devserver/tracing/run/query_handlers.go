package run

import (
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// queryRuns returns runs by start time, by default newest first. A query without a project covers the whole workspace.
func queryRuns(c *rest.Call) (rest.Answer, error) {
	request, err := rest.DecodeTolerant[struct {
		Selection
		PageRequest
		noDifference
	}](c)
	if err != nil {
		return rest.Answer{}, err
	}
	fields, ascending, limit, err := request.Read()
	if err != nil {
		return rest.Answer{}, err
	}
	f, err := request.RunFilter(c.WorkspaceID)
	if err == nil {
		err = inExperiments(c.Tx, &f, request.ReferenceDatasetID)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	rows, next, err := Page(c.Tx, f, ascending, CursorOf(c, request.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := Answers(ViewOf(c), rows, fields, Subtree)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(NewPage(runs, next)), nil
}

func queryRunsV2(c *rest.Call) (rest.Answer, error) {
	q, err := rest.DecodeTolerant[QueryV2](c)
	if err != nil {
		return rest.Answer{}, err
	}
	fields, limit, err := q.Read()
	if err != nil {
		return rest.Answer{}, err
	}
	f, err := q.RunFilter(c.WorkspaceID, c.Now)
	if err == nil {
		err = inExperiments(c.Tx, &f, q.ReferenceDatasetID)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	rows, next, err := Page(c.Tx, f, q.ascending(), CursorOf(c, q.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := AnswersV2(ViewOf(c), rows, fields, scope(f.Subtrees))
	if err != nil {
		return rest.Answer{}, err
	}
	return PageAnswer(c, ItemsAnswer{runs, next}), nil
}

// queryTraces returns traces by their roots, each with the figures of all of its runs.
func queryTraces(c *rest.Call) (rest.Answer, error) {
	q, err := rest.DecodeTolerant[struct {
		QueryV2
		TraceIDs []api.UUID `json:"trace_ids,omitzero"`
	}](c)
	if err != nil {
		return rest.Answer{}, err
	}
	whole := form.Truth(true) // A trace has the figures of all of its runs.
	q.IsRoot, q.IncludeSubtreeUsage = &whole, &whole
	fields, limit, err := q.Read()
	if err != nil {
		return rest.Answer{}, err
	}
	if q.TraceIDs != nil {
		q.IDs = q.TraceIDs // A trace has the ID of its root.
	}
	var v form.Validator
	checkListed(&v, "trace_ids", q.TraceIDs)
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	f, err := q.RunFilter(c.WorkspaceID, c.Now)
	if err == nil {
		err = inExperiments(c.Tx, &f, q.ReferenceDatasetID)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	rows, next, err := Page(c.Tx, f, q.ascending(), CursorOf(c, q.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	roots, err := AnswersV2(ViewOf(c), rows, fields, Subtree)
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
func listTraceRuns(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	traceID, projectID, fields := p.PathID("trace_id"), p.ID("project_id"), ReadSelects(p)
	filter, from, to := p.Text("filter"), p.Text("min_start_time"), p.Text("max_start_time")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	q := QueryV2{Filter: filter, MinStartTime: from, MaxStartTime: to}
	f, err := q.RunFilter(c.WorkspaceID, c.Now)
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
	runs, err := AnswersV2(ViewOf(c), rows, fields, Itself)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(map[string]any{"items": runs}), nil
}

// runStats returns the figures of runs, or of each group of them by name.
func runStats(c *rest.Call) (rest.Answer, error) {
	request, err := rest.DecodeTolerant[struct {
		Selection
		StatsRequest
		noDifference
	}](c)
	if err != nil {
		return rest.Answer{}, err
	}
	if err := request.Check(); err != nil {
		return rest.Answer{}, err
	}
	f, err := request.RunFilter(c.WorkspaceID)
	if err == nil {
		err = inExperiments(c.Tx, &f, request.ReferenceDatasetID)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	if request.GroupBy == nil {
		m, err := FiguresOf(c.Tx, f, request.details())
		if err != nil {
			return rest.Answer{}, err
		}
		return rest.OK(request.chosen(m)), nil
	}
	groups, err := FiguresInGroups(c.Tx, f, request.GroupBy.RunGroup(), request.details())
	if err != nil {
		return rest.Answer{}, err
	}
	all := map[string]any{}
	if request.Groups != nil {
		maps.DeleteFunc(groups, func(name string, _ *Measured) bool { return !slices.ContainsFunc(request.Groups, isText(name)) })
	}
	for _, name := range request.GroupBy.largest(groups) {
		all[name] = request.chosen(groups[name])
	}
	return rest.Answer{Status: http.StatusOK, Body: all}, nil
}
