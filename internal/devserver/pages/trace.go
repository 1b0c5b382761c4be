package pages

import (
	"io"
	"net/http"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// maxTree is how many runs of a trace are shown; a page of them is written in some tens of milliseconds.
const maxTree = 1000

func (s *Service) showTrace(c *rest.Call, frame web.Frame) (rendering, error) {
	p := rest.NewParams(c.Request)
	id := p.PathID("trace_id")
	if err := p.Err(); err != nil {
		return nil, err
	}
	rows, err := c.Tx.TraceRuns(store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: id})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, rest.NewError(http.StatusNotFound, "Trace ID %s not found.", id)
	}
	totals, err := s.tracing.Rollup(c, rows[:1])
	if err != nil {
		return nil, err
	}
	view := web.TraceView{Frame: frame, ID: id, ProjectID: rows[0].ProjectID}
	if project, err := c.Tx.Project(c.WorkspaceID, rows[0].ProjectID); err == nil {
		view.ProjectName = project.Name
	}
	var sum usage.Totals
	known := map[string]bool{}
	for _, row := range rows {
		known[row.ID] = true
		if row.ThreadID != nil && view.ThreadID == "" {
			view.ThreadID = *row.ThreadID
		}
		if row.Error != nil {
			view.Totals.Errors++
		}
	}
	for _, row := range rows {
		if row.ParentRunID == nil || !known[*row.ParentRunID] {
			sum = sum.Add(totals[uuid.MustParse(row.ID)])
		}
	}
	errors := view.Totals.Errors
	view.Totals = totalsView(sum, rows[0])
	view.Totals.Runs, view.Totals.Errors = int64(len(rows)), errors
	shown := rows[:min(maxTree, len(rows))]
	view.Omitted = int64(len(rows) - len(shown))
	view.Roots = treeOf(shown, totals)
	return func(pages *web.Pages, w io.Writer) error { return pages.Trace(w, view) }, nil
}

// totalsView are sums, and the times of the run that they begin with.
func totalsView(sum usage.Totals, row store.Run) web.Totals {
	t := web.Totals{
		PromptTokens: sum.PromptTokens, CompletionTokens: sum.CompletionTokens, TotalTokens: sum.TotalTokens,
		PromptCost: costText(sum.PromptCost), CompletionCost: costText(sum.CompletionCost), OtherCost: costText(sum.OtherCost),
		TotalCost: costText(sum.TotalCost),
	}
	summary := runSummary(row, sum)
	t.Latency, t.FirstToken = summary.Latency, summary.FirstToken
	return t
}

// treeOf puts runs below their parents. Rows are in dotted order, so that each comes after its parent.
func treeOf(rows []store.Run, totals map[uuid.UUID]usage.Totals) []web.TraceNode {
	children := map[string][]store.Run{}
	known := map[string]bool{}
	for _, row := range rows {
		known[row.ID] = true
	}
	var roots []store.Run
	for _, row := range rows {
		if row.ParentRunID != nil && known[*row.ParentRunID] && *row.ParentRunID != row.ID {
			children[*row.ParentRunID] = append(children[*row.ParentRunID], row)
			continue
		}
		roots = append(roots, row)
	}
	var nodes func(rows []store.Run) []web.TraceNode
	nodes = func(rows []store.Run) []web.TraceNode {
		return rest.Collect(rows, func(row store.Run) web.TraceNode {
			below := children[row.ID]
			delete(children, row.ID) // Parents that go round in a circle would never end.
			return web.TraceNode{RunSummary: runSummary(row, totals[uuid.MustParse(row.ID)]), Children: nodes(below)}
		})
	}
	return nodes(roots)
}
