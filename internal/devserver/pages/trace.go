package pages

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

func (s *Service) showTrace(c *rest.Call, frame web.Frame) (web.View, error) {
	view, trace, err := s.traceView(c, frame)
	if err != nil {
		return nil, err
	}
	query := c.Request.URL.Query()
	chosen := chosenRun(trace.Runs, query.Get("run"))
	if view.Run, err = s.runView(c, frame, chosen, trace); err != nil {
		return nil, err
	}
	if err := errors.Join(s.addPrevious(c, chosen, &view.Run), addShare(c, chosen, &view.Run)); err != nil {
		return nil, err
	}
	web.EachNode(view.Roots, func(n *web.TraceNode) {
		if n.ID == chosen.ID {
			view.Run.SelfTime = n.SelfTime
			web.EachNode(n.Children, func(below *web.TraceNode) {
				if below.CallsModel {
					view.Run.LastCallID = below.ID
				}
			})
		}
	})
	if query.Get(web.PartParameter) == web.ChosenPart {
		return web.ChosenRunView{TraceView: view}, nil
	}
	view.ByModel, view.ByTool, view.ByName = traceGroups(trace, view.Roots)
	view.Levels = levels(addressOf(c, frame.Paths().Trace(view.ID)), view.Depth, view.Roots)
	if err := errors.Join(s.addTurns(c, frame, trace.Runs[0], &view), addContents(c, trace.Runs, &view)); err != nil {
		return nil, err
	}
	return view, nil
}

// traceView returns the tree of a trace and its figures, without the selected run.
func (s *Service) traceView(c *rest.Call, frame web.Frame) (web.TraceView, *figure.Trace, error) {
	trace, err := rest.Named(c, "trace_id", readTrace)
	if err != nil {
		return web.TraceView{}, nil, err
	}
	query := c.Request.URL.Query()
	view := web.TraceView{
		Frame: frame, ID: trace.Runs[0].TraceID, Totals: traceTotals(trace), Roots: treeOf(trace), Find: query.Get("find"),
		Order: among(web.TreeOrders, query.Get("sort")), Only: among(web.TreeFilters, query.Get("only")),
	}
	view.Depth, view.Zoom = depthIn(query), zoomIn(query)
	view.Live = slices.ContainsFunc(trace.Runs, func(row store.Run) bool { return row.Status == string(llmrun.StatusPending) })
	return view, trace, nil
}

// readTrace reads a trace that has runs.
func readTrace(tx *store.Tx, workspaceID, id string) (*figure.Trace, error) {
	trace, err := figure.ReadTrace(tx, workspaceID, id)
	if err == nil && len(trace.Runs) == 0 {
		err = form.Missing("Trace ID %s not found.", id)
	}
	return trace, err
}

// among returns a value if it is allowed.
func among(allowed []string, value string) string {
	if slices.Contains(allowed, value) {
		return value
	}
	return ""
}

// chosenRun returns the run of a trace that is shown beside the tree: the one with an ID, or else the first.
func chosenRun(rows []store.Run, id string) store.Run {
	for _, row := range rows {
		if row.ID == id {
			return row
		}
	}
	return rows[0]
}

// maxLevelLinks is the maximum number of links to levels.
const maxLevelLinks = 4

// levels returns links to numbers of expanded levels of a tree.
func levels(at web.Address, depth int, roots []web.TraceNode) []web.Range {
	deepest := depthOf(roots, 0)
	if deepest < 2 {
		return nil
	}
	all := []web.Range{{Label: "all", URL: at.With("depth", ""), Current: depth == 0}}
	for n := 1; n < min(deepest, maxLevelLinks+1); n++ {
		label := strconv.Itoa(n)
		all = append(all, web.Range{Label: label, URL: at.With("depth", label), Current: depth == n})
	}
	return all
}

// depthIn returns the number of expanded levels in a query; 0 means all.
func depthIn(query url.Values) int {
	depth, _ := strconv.Atoi(query.Get("depth")) // What isn't a number means all, too.
	return max(0, depth)
}

// zoomIn returns the part of the time in a query: its start and its end, in milliseconds from the start of the trace.
func zoomIn(query url.Values) *web.Zoom {
	first, last, _ := strings.Cut(query.Get("zoom"), "-")
	from, err := strconv.ParseInt(first, 10, 64)
	to, unreadable := strconv.ParseInt(last, 10, 64)
	if err != nil || unreadable != nil || from < 0 || to <= from || to > int64(maxZoom/time.Millisecond) {
		return nil
	}
	return &web.Zoom{From: time.Duration(from) * time.Millisecond, To: time.Duration(to) * time.Millisecond}
}

// maxZoom is longer than all traces.
const maxZoom = 100 * 365 * 24 * time.Hour

func depthOf(nodes []web.TraceNode, above int) int {
	if len(nodes) == 0 {
		return above
	}
	deepest := above + 1
	for _, n := range nodes {
		deepest = max(deepest, depthOf(n.Children, above+1))
	}
	return deepest
}

// addTurns finds the previous and the next trace of the conversation.
func (s *Service) addTurns(c *rest.Call, frame web.Frame, root store.Run, view *web.TraceView) error {
	if root.ThreadID == nil {
		return nil
	}
	turns, err := c.Tx.ThreadRuns(store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{root.ProjectID}}, []string{*root.ThreadID})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(turns, func(turn store.Run) bool { return turn.ID == root.ID })
	if at > 0 {
		view.PreviousURL = frame.Paths().Trace(turns[at-1].TraceID)
	}
	if at >= 0 && at+1 < len(turns) {
		view.NextURL = frame.Paths().Trace(turns[at+1].TraceID)
	}
	return nil
}

// traceTotals returns the figures of a trace. Each run counts once, also those whose parents are unknown.
func traceTotals(trace *figure.Trace) web.Totals {
	var sum usage.Totals
	var count figure.Count
	for _, row := range trace.Runs {
		sum.Include(trace.Of[row.ID].Own)
		count.Runs++
		switch {
		case llmrun.Interrupted(api.OrEmpty(row.Error)):
			count.Interrupted++
		case row.Error != nil:
			count.Failed++
		}
	}
	return totalsView(sum, count, trace.Runs[0])
}

func gapsOf(sum usage.Totals) web.Gaps {
	return web.Gaps{
		UnpricedRuns: sum.UnpricedRuns, UnpricedTokens: sum.UnpricedTokens, IncompleteRuns: sum.IncompleteRuns, UncheckedRuns: sum.UncheckedRuns,
	}
}

// totalsView returns sums with the times of a run.
func totalsView(sum usage.Totals, count figure.Count, row store.Run) web.Totals {
	summary := runSummary(row, sum, nil)
	return web.Totals{
		Runs: count.Runs, Errors: count.Failed, Interrupts: count.Interrupted,
		PromptTokens: sum.PromptTokens, CompletionTokens: sum.CompletionTokens, TotalTokens: sum.TotalTokens,
		PromptCost: costText(sum.PromptCost), CompletionCost: costText(sum.CompletionCost), OtherCost: costText(sum.OtherCost),
		TotalCost: costText(sum.TotalCost), Gaps: gapsOf(sum), Latency: summary.Latency, FirstToken: summary.FirstToken,
	}
}
