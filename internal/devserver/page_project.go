package devserver

import (
	"io"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

func showProjects(c *call, frame web.Frame) (rendering, error) {
	view := web.ProjectsView{Frame: frame, NameContains: c.request.URL.Query().Get("name_contains")}
	rows, err := c.tx.Projects(c.workspaceID, store.ProjectFilter{NameContains: nonEmpty(view.NameContains)})
	if err != nil {
		return nil, err
	}
	p, page := c.paged(frame.Paths().Projects())
	rows = rows[min(page.Offset, len(rows)):min(page.Offset+page.Limit, len(rows))]
	rows, view.Paging = window(p, rows)
	for _, row := range rows {
		spans, err := c.spansOf(row.ID, projectRanges[0])
		if err != nil {
			return nil, err
		}
		view.Projects = append(view.Projects, projectSummary(row, spans))
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Projects(w, view) }, nil
}

// projectSummary is a project with the figures of some spans of its time.
func projectSummary(row store.Project, spans []spanFigures) web.ProjectSummary {
	var all spanFigures
	for _, s := range spans {
		all = all.add(s)
	}
	return web.ProjectSummary{
		ID: row.ID, Name: row.Name, Description: orEmpty(row.Description), StartTime: row.StartTime, LastRunTime: all.last,
		Figures: figuresView(all),
	}
}

func figuresView(f spanFigures) web.Figures {
	return web.Figures{
		Runs: int64(f.runs), Errors: int64(f.failed), PromptTokens: f.sum.PromptTokens, CompletionTokens: f.sum.CompletionTokens,
		TotalTokens: f.sum.TotalTokens, TotalCost: costText(f.sum.TotalCost),
		LatencyP50: durationOf(percentile(f.latencies, 0.5)), LatencyP99: durationOf(percentile(f.latencies, 0.99)),
		FirstTokenP50: durationOf(percentile(f.firstTokens, 0.5)), FirstTokenP99: durationOf(percentile(f.firstTokens, 0.99)),
	}
}

func costText(cost *usage.Decimal) string { return orEmpty(decimalText(cost)) }

// durationOf is a number of seconds.
func durationOf(seconds *float64) *time.Duration {
	if seconds == nil {
		return nil
	}
	d := time.Duration(*seconds * float64(time.Second)).Round(time.Microsecond)
	return &d
}

// projectRange is a span of time in steps.
type projectRange struct {
	name, label string
	span, step  time.Duration
}

// bounds are whole steps, so that two looks can be compared; the last one is under way.
func (r projectRange) bounds(now time.Time) (from, to time.Time) {
	to = now.Truncate(r.step).Add(r.step)
	return to.Add(-r.span), to
}

func (c *call) spansOf(projectID string, r projectRange) ([]spanFigures, error) {
	from, to := r.bounds(c.now)
	return c.spans(projectID, from, to, r.step)
}

// projectRanges are the spans of time that charts show, the first one unless another is chosen.
var projectRanges = []projectRange{
	{"24h", "last 24 hours", 24 * time.Hour, time.Hour},
	{"1h", "last hour", time.Hour, 5 * time.Minute},
	{"7d", "last 7 days", 7 * 24 * time.Hour, 6 * time.Hour},
	{"30d", "last 30 days", 30 * 24 * time.Hour, 24 * time.Hour},
}

func showProject(c *call, frame web.Frame) (rendering, error) {
	row, err := c.session()
	if err != nil {
		return nil, err
	}
	query := c.request.URL.Query()
	path := frame.Paths().Project(row.ID)
	view := web.ProjectView{Frame: frame, Filter: web.RunFilter{
		Scope: query.Get("scope"), RunType: query.Get("run_type"), Status: query.Get("status"), RunTypes: runTypes, Statuses: runStatuses,
	}}
	chosen := projectRanges[0]
	for _, r := range projectRanges {
		if r.name == query.Get("range") {
			chosen = r
		}
	}
	for i, r := range projectRanges {
		address := path
		if i > 0 {
			address += "?" + url.Values{"range": {r.name}}.Encode()
		}
		view.Ranges = append(view.Ranges, web.Range{Label: r.label, URL: address, Current: r.name == chosen.name})
	}
	spans, err := c.spansOf(row.ID, chosen)
	if err != nil {
		return nil, err
	}
	view.Start, _ = chosen.bounds(c.now)
	view.Step, view.Points, view.Project = chosen.step, collect(spans, figuresView), projectSummary(row, spans)
	if view.Runs, view.Paging, err = c.projectRuns(row.ID, path, view.Filter, query); err != nil {
		return nil, err
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Project(w, view) }, nil
}

// What runs can be chosen by.
var (
	runTypes = []string{
		string(llmrun.RunTypeLLM), string(llmrun.RunTypeChain), string(llmrun.RunTypeTool), string(llmrun.RunTypeRetriever),
		string(llmrun.RunTypeEmbedding), string(llmrun.RunTypePrompt), string(llmrun.RunTypeParser),
	}
	runStatuses = []string{string(llmrun.StatusSuccess), string(llmrun.StatusError), string(llmrun.StatusPending)}
)

// projectRuns are a page of the runs of a project, newest first: its root runs unless others are asked for.
func (c *call) projectRuns(projectID, path string, filter web.RunFilter, query url.Values) ([]web.RunSummary, web.Paging, error) {
	f := store.RunFilter{WorkspaceID: c.workspaceID, ProjectIDs: []string{projectID}, RunType: filter.RunType}
	if filter.Scope != "all" && filter.RunType == "" {
		root := true
		f.Root = &root
	}
	if filter.Status != "" {
		f.Where, f.Arguments = "r.status = ?", []any{filter.Status}
	}
	rows, next, err := c.runPage(f, false, query.Get("cursor"), rowsPerPage)
	if err != nil {
		return nil, web.Paging{}, err
	}
	var paging web.Paging
	address := func(cursor string) string {
		q := url.Values{}
		for key, values := range query {
			if key != "cursor" && values[0] != "" {
				q[key] = values
			}
		}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		if len(q) == 0 {
			return path
		}
		return path + "?" + q.Encode()
	}
	if next != "" {
		paging.NextURL = address(next)
	}
	if query.Get("cursor") != "" { // Back to the newest: runs that came meanwhile have moved all pages.
		paging.PreviousURL = address("")
	}
	totals, err := c.rollup(rows)
	if err != nil {
		return nil, paging, err
	}
	return collect(rows, func(row store.Run) web.RunSummary { return runSummary(row, totals[uuid.MustParse(row.ID)]) }), paging, nil
}

func runSummary(row store.Run, totals usage.Totals) web.RunSummary {
	s := web.RunSummary{
		ID: row.ID, TraceID: row.TraceID, Name: row.Name, RunType: row.RunType, Status: row.Status, Error: orEmpty(row.Error),
		StartTime: row.StartTime, TotalTokens: totals.TotalTokens, TotalCost: costText(totals.TotalCost),
	}
	if row.EndTime != nil {
		latency := row.EndTime.Sub(row.StartTime)
		s.Latency = &latency
	}
	if first := totals.FirstTokenTime; first != nil {
		after := max(0, first.Sub(row.StartTime))
		s.FirstToken = &after
	}
	return s
}
