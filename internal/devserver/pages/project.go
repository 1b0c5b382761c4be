package pages

import (
	"fmt"
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

func (s *Service) showProjects(c *rest.Call, frame web.Frame) (web.View, error) {
	view := web.ProjectsView{Frame: frame, NameContains: c.Request.URL.Query().Get("name_contains")}
	rows, err := c.Tx.Projects(c.WorkspaceID, store.ProjectFilter{NameContains: api.NonEmpty(view.NameContains)})
	if err != nil {
		return nil, err
	}
	path := frame.Paths().Projects()
	chosen := chosenRange(c)
	view.Range = rangeMenu(c, frame, path, chosen)
	chosen.from, chosen.to = chosen.bounds(c.Now)
	chosen.step = chosen.to.Sub(chosen.from) // There are no charts.
	p, page := paged(c, path)
	rows, view.Paging = window(p, store.Window(rows, page))
	if len(rows) == 0 {
		if err := nameListener(c, &view.Frame); err != nil {
			return nil, err
		}
	}
	models := map[string][]measured{}
	for _, row := range rows {
		f := runsWithin(c, row, chosen)
		calls, err := measure(c, f, byMetadata(store.ModelKey), chosen)
		if err != nil {
			return nil, err
		}
		for _, m := range calls {
			models[m.name] = append(models[m.name], m)
		}
		f.Root = new(true)
		traces, err := measure(c, f, store.RunGroup{}, chosen)
		if err != nil {
			return nil, err
		}
		summary, err := projectSummary(c, row)
		if err != nil {
			return nil, err
		}
		figures := groupView(traces[0])
		view.Projects = append(view.Projects, web.ListedProject{ProjectSummary: summary, Figures: figures.Figures, Before: figures.Before})
	}
	view.Models, err = together(models, c.Request.URL.Query().Get("groups"))
	view.Columns = groupColumns(addressOf(c, path), "Model", "Calls")
	return view, err
}

// projectSummary returns a project without figures. The last trace is that of all time.
func projectSummary(c *rest.Call, row store.Project) (web.ProjectSummary, error) {
	summary := web.ProjectSummary{ID: row.ID, Name: row.Name, Description: api.OrEmpty(row.Description), StartTime: row.StartTime}
	last, err := c.Tx.Runs(store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{row.ID}, Root: new(true)}, false, nil, 1)
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
	return new(time.Duration(*seconds * float64(time.Second)).Round(time.Microsecond))
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

func (s *Service) showProject(c *rest.Call, frame web.Frame) (web.View, error) {
	row, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return nil, err
	}
	path := frame.Paths().Project(row.ID)
	at := addressOf(c, path)
	chosen := chosenRange(c)
	view := web.ProjectView{Frame: frame, Range: rangeMenu(c, frame, path, chosen)}
	if view.Project, err = projectSummary(c, row); err != nil {
		return nil, err
	}
	if view.DeploymentID, err = deploymentNamed(c, row.Name); err != nil {
		return nil, err
	}
	if view.Runs, err = s.runList(c, frame, path, runsWithin(c, row, chosen), !follows(c.Request)); err != nil {
		return nil, err
	}
	if follows(c.Request) { // Only the rows are kept up to date.
		return view, nil
	}
	if err = addFigures(c, frame, row, at, chosen, &view); err == nil {
		err = addViews(c, path, row.ID, &view)
	}
	return view, err
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
	failures := 0
	f.Root = new(true)
	err := c.Tx.EachFailure(f, maxFailures+1, func(message string) error {
		if failures++; failures <= maxFailures && llmrun.Interrupted(message) {
			interrupts++
		}
		return nil
	})
	return interrupts, failures > maxFailures, err
}

// addFigures adds the figures to the page of a project, or where they are, and the ways to group them.
func addFigures(c *rest.Call, frame web.Frame, row store.Project, at web.Address, r projectRange, view *web.ProjectView) error {
	by := at.Query.Get("by")
	offer := func(name, label string) {
		view.Groupings = append(view.Groupings, web.Range{Label: label, URL: at.With("by", name, "groups", "") + toFigures, Current: name == by})
	}
	for _, one := range groupings {
		offer(one.name, one.label)
	}
	keys, err := labelKeys(c, view.Runs)
	if err != nil {
		return err
	}
	for _, key := range keys {
		offer(key, "by "+key)
	}
	part, problem, err := newFiguresPart(c, frame, row, at, r)
	switch {
	case view.Runs.Problem != "" || err != nil: // The same problem is shown at the search.
	case problem != "":
		view.FiguresProblem = problem
	case part.soon():
		view.Figures, err = figures(c, part, 0)
	default:
		view.FiguresURL = web.Address{Path: frame.Paths().Figures(row.ID), Query: at.Query}.With()
	}
	return err
}

// labelKeys are the keys of the metadata that the runs of a list have, and of the feedback in the workspace, as groupings.
func labelKeys(c *rest.Call, list web.RunList) (all []string, _ error) {
	for _, key := range list.MetadataKeys {
		if key != "revision_id" { // It has a grouping of its own.
			all = append(all, "metadata."+key)
		}
	}
	configs, err := c.Tx.FeedbackConfigs(c.WorkspaceID)
	for _, config := range configs[:min(len(configs), maxGroups)] {
		all = append(all, "feedback."+config.Key)
	}
	slices.Sort(all)
	return all, err
}

// runSummaries returns runs with their figures.
func runSummaries(c *rest.Call, rows []store.Run) ([]web.RunSummary, error) {
	below, err := figure.Summarize(c.Tx, c.WorkspaceID, rows)
	return form.Collect(rows, func(row store.Run) web.RunSummary {
		return runSummary(row, below[row.ID].Totals, below[row.ID].Models)
	}), err
}

func runSummary(row store.Run, totals usage.Totals, models []string) web.RunSummary {
	s := web.RunSummary{
		ID: row.ID, TraceID: row.TraceID, Name: row.Name, RunType: row.RunType, Status: row.Status, Error: api.OrEmpty(row.Error),
		Interrupted: llmrun.Interrupted(api.OrEmpty(row.Error)),
		Models:      models, StartTime: row.StartTime, Latency: latency(row), TotalTokens: totals.TotalTokens, TotalCost: costText(totals.TotalCost),
	}
	if first := totals.FirstTokenTime; first != nil {
		s.FirstToken = new(max(0, first.Sub(row.StartTime)))
	}
	return s
}

// latency is nil while the run is pending.
func latency(row store.Run) *time.Duration {
	if row.EndTime == nil {
		return nil
	}
	return new(row.EndTime.Sub(row.StartTime))
}
