package pages

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

func (s *Service) showProjects(c *rest.Call, frame web.Frame) (rendering, error) {
	view := web.ProjectsView{Frame: frame, NameContains: c.Request.URL.Query().Get("name_contains")}
	rows, err := c.Tx.Projects(c.WorkspaceID, store.ProjectFilter{NameContains: api.NonEmpty(view.NameContains)})
	if err != nil {
		return nil, err
	}
	path := frame.Paths().Projects()
	chosen, ranges := chosenRange(c, path)
	view.Ranges, view.Range = ranges, rangeForm(c, chosen)
	p, page := paged(c, path)
	rows, view.Paging = window(p, store.Window(rows, page))
	for _, row := range rows {
		all, _, err := s.figures(c, row.ID, chosen)
		if err != nil {
			return nil, err
		}
		summary, err := projectSummary(c, row, all)
		if err != nil {
			return nil, err
		}
		view.Projects = append(view.Projects, summary)
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Projects(w, view) }, nil
}

// projectSummary returns a project with the figures of a time range. The last trace is that of all time.
func projectSummary(c *rest.Call, row store.Project, all figure.Summary) (web.ProjectSummary, error) {
	summary := web.ProjectSummary{
		ID: row.ID, Name: row.Name, Description: api.OrEmpty(row.Description), StartTime: row.StartTime, Figures: figuresView(all),
	}
	root := true
	last, err := c.Tx.Runs(store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{row.ID}, Root: &root}, false, nil, 1)
	if len(last) > 0 {
		summary.LastRunTime = last[0].StartTime
	}
	return summary, err
}

func figuresView(f figure.Summary) web.Figures {
	return web.Figures{
		Runs: int64(f.Runs), Errors: int64(f.Errors), PromptTokens: f.Sum.PromptTokens, CompletionTokens: f.Sum.CompletionTokens,
		TotalTokens: f.Sum.TotalTokens, TotalCost: costText(f.Sum.TotalCost),
		Gaps:       gapsOf(f.Sum),
		LatencyP50: durationOf(f.LatencyP50), LatencyP95: durationOf(f.LatencyP95), LatencyP99: durationOf(f.LatencyP99),
		FirstTokenP50: durationOf(f.FirstTokenP50), FirstTokenP95: durationOf(f.FirstTokenP95), FirstTokenP99: durationOf(f.FirstTokenP99),
		Approximate: f.Approximate,
	}
}

func costText(cost *decimal.Decimal) string {
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

func (s *Service) figures(c *rest.Call, projectID string, r projectRange) (all figure.Summary, steps []figure.Summary, _ error) {
	from, to := r.bounds(c.Now)
	return s.tracing.Charts.Summaries(c.Tx, c.WorkspaceID, projectID, from, to, r.step)
}

// deploymentNamed returns the deployment of a tracing project, which has the same name; empty if there is none.
func deploymentNamed(c *rest.Call, name string) (string, error) {
	rows, err := c.Tx.Deployments(c.WorkspaceID, store.DeploymentFilter{Name: &name}, store.Page{Limit: 1})
	if len(rows) == 0 {
		return "", err
	}
	return rows[0].ID, err
}

// unreadKey is the condition of the filter language that finds the runs of spans with content that isn't understood.
var unreadKey = fmt.Sprintf("eq(metadata_key, %q)", otlp.UnreadKey)

func (s *Service) showProject(c *rest.Call, frame web.Frame) (rendering, error) {
	row, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return nil, err
	}
	path := frame.Paths().Project(row.ID)
	view := web.ProjectView{Frame: frame}
	var chosen projectRange
	chosen, view.Ranges = chosenRange(c, path)
	view.Range = rangeForm(c, chosen)
	all, steps, err := s.figures(c, row.ID, chosen)
	if err != nil {
		return nil, err
	}
	from, _ := chosen.bounds(c.Now)
	view.Start, view.Step, view.Points = figure.FirstStep(from, chosen.step), chosen.step, form.Collect(steps, figuresView)
	view.PointURLs = pointURLs(addressOf(c, path), chosen, c.Now)
	if err := s.addPreviousPeriod(c, addressOf(c, path), row.ID, chosen, &view); err != nil {
		return nil, err
	}
	if err := s.addGroups(c, addressOf(c, path), row.ID, chosen, &view); err != nil {
		return nil, err
	}
	if view.Project, err = projectSummary(c, row, all); err != nil {
		return nil, err
	}
	if view.UnreadSpans, err = c.Tx.CountRunsWith(runsWithin(c, row, chosen), otlp.UnreadKey); err != nil {
		return nil, err
	}
	view.UnreadURL = addressOf(c, path).with("scope", scopeAll, "q", unreadKey) + toRuns
	if view.Project.Figures.Errors > 0 {
		if view.Interrupts, view.MoreInterrupts, err = countInterrupts(c, runsWithin(c, row, chosen)); err != nil {
			return nil, err
		}
		view.InterruptsURL = addressOf(c, path).with("status", string(llmrun.StatusError), "q", llmrun.InterruptFilter) + toRuns
	}
	if view.DeploymentID, err = deploymentNamed(c, row.Name); err != nil {
		return nil, err
	}
	if view.Runs, err = s.runList(c, frame, path, runsWithin(c, row, chosen), true); err != nil {
		return nil, err
	}
	if err := addViews(c, path, row.ID, &view); err != nil {
		return nil, err
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Project(w, view) }, nil
}

// runsWithin selects the runs of a project that started within a time range.
func runsWithin(c *rest.Call, row store.Project, r projectRange) store.RunFilter {
	from, to := r.bounds(c.Now)
	return store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{row.ID}, From: &from, To: &to}
}

// maxFailures is how many failed traces are searched for interrupts: their errors are read one by one.
const maxFailures = 1000

// countInterrupts counts the interrupts among the newest failed traces. More says that there are failed traces that it hasn't searched.
func countInterrupts(c *rest.Call, f store.RunFilter) (interrupts int64, more bool, _ error) {
	root, failures := true, 0
	f.Root = &root
	err := c.Tx.EachFailure(f, maxFailures+1, func(message string) error {
		if failures++; failures <= maxFailures && llmrun.Interrupted(message) {
			interrupts++
		}
		return nil
	})
	return interrupts, failures > maxFailures, err
}

// addPreviousPeriod adds the figures of the period before the range, of the same length, if the query asks for them.
func (s *Service) addPreviousPeriod(c *rest.Call, at address, projectID string, r projectRange, view *web.ProjectView) error {
	asked := at.query.Get("vs") == "previous"
	view.Comparisons = []web.Range{
		{Label: "this period only", URL: at.with("vs", ""), Current: !asked},
		{Label: "with the period before", URL: at.with("vs", "previous"), Current: asked},
		{Label: "by revision", URL: at.with("by", "revision"), Current: at.query.Get("by") == "revision"},
	}
	if !asked {
		return nil
	}
	from, to := r.bounds(c.Now)
	all, _, err := s.tracing.Charts.Summaries(c.Tx, c.WorkspaceID, projectID, from.Add(from.Sub(to)), from, to.Sub(from))
	view.Previous = new(figuresView(all))
	return err
}

// maxGroups is how many models or tags are shown separately.
const maxGroups = 10

// addGroups adds the available groupings, and the groups of the chosen one.
func (s *Service) addGroups(c *rest.Call, at address, projectID string, r projectRange, view *web.ProjectView) error {
	by := at.query.Get("by")
	groupings := figure.Groupings
	if !slices.Contains(groupings, by) {
		by = ""
	}
	view.GroupedBy = by
	view.Groupings = []web.Range{{Label: "all traces", URL: at.with("by", ""), Current: by == ""}}
	for _, one := range groupings {
		view.Groupings = append(view.Groupings, web.Range{Label: "by " + one, URL: at.with("by", one), Current: by == one})
	}
	if by == "" {
		return nil
	}
	from, to := r.bounds(c.Now)
	groups, err := s.tracing.Charts.GroupSummaries(c.Tx, c.WorkspaceID, projectID, by, from, to, r.step, maxGroups)
	view.Groups = form.Collect(groups, func(g figure.GroupSummary) web.FiguresGroup {
		return web.FiguresGroup{Name: g.Name, Figures: figuresView(g.All), Points: form.Collect(g.Steps, figuresView)}
	})
	return err
}

func runSummary(row store.Run, totals usage.Totals, models []string) web.RunSummary {
	s := web.RunSummary{
		ID: row.ID, TraceID: row.TraceID, Name: row.Name, RunType: row.RunType, Status: row.Status, Error: api.OrEmpty(row.Error),
		Interrupted: llmrun.Interrupted(api.OrEmpty(row.Error)),
		Models:      models, StartTime: row.StartTime, TotalTokens: totals.TotalTokens, TotalCost: costText(totals.TotalCost),
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
