package pages

import (
	"io"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

func (s *Service) showProjects(c *rest.Call, frame web.Frame) (rendering, error) {
	view := web.ProjectsView{Frame: frame, NameContains: c.Request.URL.Query().Get("name_contains")}
	rows, err := c.Tx.Projects(c.WorkspaceID, store.ProjectFilter{NameContains: rest.NonEmpty(view.NameContains)})
	if err != nil {
		return nil, err
	}
	p, page := paged(c, frame.Paths().Projects())
	rows, view.Paging = window(p, rest.Window(rows, page))
	for _, row := range rows {
		all, _, err := s.figures(c, row.ID, projectRanges[0])
		if err != nil {
			return nil, err
		}
		view.Projects = append(view.Projects, projectSummary(row, all))
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Projects(w, view) }, nil
}

// projectSummary is a project with the figures of a span of its time.
func projectSummary(row store.Project, all Figures) web.ProjectSummary {
	return web.ProjectSummary{
		ID: row.ID, Name: row.Name, Description: rest.OrEmpty(row.Description), StartTime: row.StartTime, LastRunTime: all.LastStart,
		Figures: figuresView(all),
	}
}

func figuresView(f Figures) web.Figures {
	return web.Figures{
		Runs: int64(f.Runs), Errors: int64(f.Errors), PromptTokens: f.Sum.PromptTokens, CompletionTokens: f.Sum.CompletionTokens,
		TotalTokens: f.Sum.TotalTokens, TotalCost: costText(f.Sum.TotalCost),
		LatencyP50: durationOf(f.LatencyP50), LatencyP99: durationOf(f.LatencyP99),
		FirstTokenP50: durationOf(f.FirstTokenP50), FirstTokenP99: durationOf(f.FirstTokenP99),
	}
}

func costText(cost *usage.Decimal) string {
	if cost == nil {
		return ""
	}
	return cost.String()
}

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

func (s *Service) figures(c *rest.Call, projectID string, r projectRange) (all Figures, steps []Figures, _ error) {
	from, to := r.bounds(c.Now)
	return s.tracing.Figures(c, projectID, from, to, r.step)
}

// projectRanges are the spans of time that charts show, the first one unless another is chosen.
var projectRanges = []projectRange{
	{"24h", "last 24 hours", 24 * time.Hour, time.Hour},
	{"1h", "last hour", time.Hour, 5 * time.Minute},
	{"7d", "last 7 days", 7 * 24 * time.Hour, 6 * time.Hour},
	{"30d", "last 30 days", 30 * 24 * time.Hour, 24 * time.Hour},
}

// project reads the project that the path names.
func (s *Service) project(c *rest.Call) (store.Project, error) {
	p := rest.NewParams(c.Request)
	id := p.PathID("session_id")
	if err := p.Err(); err != nil {
		return store.Project{}, err
	}
	return s.tracing.Project(c, id)
}

func (s *Service) showProject(c *rest.Call, frame web.Frame) (rendering, error) {
	row, err := s.project(c)
	if err != nil {
		return nil, err
	}
	query := c.Request.URL.Query()
	path := frame.Paths().Project(row.ID)
	view := web.ProjectView{Frame: frame, Filter: web.RunFilter{
		Scope: query.Get("scope"), RunType: query.Get("run_type"), Status: query.Get("status"), RunTypes: s.tracing.RunTypes(), Statuses: runStatuses,
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
	all, steps, err := s.figures(c, row.ID, chosen)
	if err != nil {
		return nil, err
	}
	view.Start, _ = chosen.bounds(c.Now)
	view.Step, view.Points, view.Project = chosen.step, rest.Collect(steps, figuresView), projectSummary(row, all)
	if view.Runs, view.Paging, err = s.projectRuns(c, row.ID, path, view.Filter, query); err != nil {
		return nil, err
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Project(w, view) }, nil
}

// runStatuses are what runs can be chosen by.
var runStatuses = []string{string(llmrun.StatusSuccess), string(llmrun.StatusError), string(llmrun.StatusPending)}

// projectRuns are a page of the runs of a project, newest first: its root runs unless others are asked for.
func (s *Service) projectRuns(c *rest.Call, projectID, path string, filter web.RunFilter, query url.Values) ([]web.RunSummary, web.Paging, error) {
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{projectID}, RunType: filter.RunType, Status: filter.Status}
	if filter.Scope != "all" && filter.RunType == "" {
		root := true
		f.Root = &root
	}
	rows, next, err := s.tracing.RunPage(c, f, false, query.Get("cursor"), rowsPerPage)
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
	totals, err := s.tracing.Rollup(c, rows)
	if err != nil {
		return nil, paging, err
	}
	return rest.Collect(rows, func(row store.Run) web.RunSummary { return runSummary(row, totals[uuid.MustParse(row.ID)]) }), paging, nil
}

func runSummary(row store.Run, totals usage.Totals) web.RunSummary {
	s := web.RunSummary{
		ID: row.ID, TraceID: row.TraceID, Name: row.Name, RunType: row.RunType, Status: row.Status, Error: rest.OrEmpty(row.Error),
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
