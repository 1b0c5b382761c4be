package pages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// maxGroups is how many groups of runs are shown, and how many keys of feedback are offered to group by.
const maxGroups = 10

// attempt is a way to add up the figures of a search: over that many newest runs of the project, or over all if it is zero. It is given up some
// time after the request.
type attempt struct {
	newest int
	until  time.Duration
}

// attempts are made one after the other, so that the database has answered within three seconds, with figures or with none.
var attempts = []attempt{{0, 1800 * time.Millisecond}, {50_000, 2600 * time.Millisecond}, {5_000, 2900 * time.Millisecond}}

// grouping is a criterion by which figures are grouped.
type grouping struct {
	by store.RunGroup
	// counted names what is counted instead of the matching runs: runs below matching traces, of a type if it is set.
	counted, runType string
	// chip is the key of the chip that finds the runs of a group; empty if there is none.
	chip string
}

// groupings are those without a key, in the order in which they are offered.
var groupings = []struct {
	name, label string
	grouping
}{
	{"", "all", grouping{}},
	{"model", "by model", grouping{by: byMetadata(store.ModelKey), counted: "Calls", chip: "model"}},
	{"tool", "by tool", grouping{by: store.RunGroup{Column: store.ByName}, counted: "Calls", runType: string(llmrun.RunTypeTool), chip: "name"}},
	{"name", "by name", grouping{by: store.RunGroup{Column: store.ByName}, chip: "name"}},
	{"tag", "by tag", grouping{by: store.RunGroup{Labels: &store.LabelGroup{}}, chip: "tag"}},
	{"revision", "by revision", grouping{by: byMetadata("revision_id"), chip: "revision"}},
}

func byMetadata(key string) store.RunGroup {
	return store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Key: key}}
}

// groupingOf returns the grouping with a name: one of groupings, or one by the values of a metadata key or of feedback with a key.
func groupingOf(name string) (grouping, bool) {
	for _, known := range groupings {
		if known.name == name {
			return known.grouping, true
		}
	}
	switch family, key, _ := strings.Cut(name, "."); {
	case family == "metadata" && key != "":
		return grouping{by: byMetadata(key), chip: name}, true
	case family == "feedback" && key != "":
		return grouping{by: store.RunGroup{Feedback: key}, chip: "score." + key}, true
	}
	return grouping{}, false
}

// measured are the figures of a group of runs: of a period, of the one of the same length before it, and of each step.
type measured struct {
	name        string
	all, before *figure.Figures
	now         figure.Summary
	steps       []*figure.Figures
}

// measure returns the figures of the matching runs in each group. Ungrouped, there is one, without a name.
func measure(c *rest.Call, f store.RunFilter, by store.RunGroup, r projectRange) (all []measured, _ error) {
	from, to := r.bounds(c.Now)
	f.From, f.To = &from, &to
	starts := figure.Starts(from, to, r.step)
	if f.Newest == 0 { // Most of the period before is older than that.
		f.From = new(from.Add(from.Sub(to)))
		starts = slices.Insert(starts, 0, *f.From)
	}
	groups, err := figure.InGroups(c.Tx, f, by, starts, false)
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 && by == (store.RunGroup{}) {
		groups = map[string][]*figure.Figures{"": slices.Repeat([]*figure.Figures{{}}, len(starts))}
	}
	for name, steps := range groups {
		before := &figure.Figures{}
		if f.Newest == 0 {
			before, steps = steps[0], steps[1:]
		}
		now, err := figure.Together(steps)
		if err != nil {
			return nil, err
		}
		all = append(all, measured{name, now, before, now.Summary(), steps})
	}
	return all, nil
}

// orders are the figures of groups by which they can be sorted, the largest first.
var orders = []struct {
	name, label string
	value       func(figure.Summary) float64
}{
	{"runs", "", func(f figure.Summary) float64 { return float64(f.Runs) }},
	{"errors", "Errors", func(f figure.Summary) float64 { return float64(f.Errors) / float64(max(1, f.Runs)) }},
	{"tokens", "Tokens", func(f figure.Summary) float64 { return float64(f.Sum.TotalTokens) }},
	{byCost, "Cost", costOf},
	{"p50", "Latency p50", func(f figure.Summary) float64 { return api.OrEmpty(f.LatencyP50) }},
	{"p95", "p95", func(f figure.Summary) float64 { return api.OrEmpty(f.LatencyP95) }},
	{"p99", "p99", func(f figure.Summary) float64 { return api.OrEmpty(f.LatencyP99) }},
	{"first", "First token p50", func(f figure.Summary) float64 { return api.OrEmpty(f.FirstTokenP50) }},
}

// byCost is the default order.
const byCost = "cost"

func costOf(f figure.Summary) float64 { return amountOf(f.Sum.TotalCost) }

// amountOf returns a cost as a number to compare; zero without one.
func amountOf(cost *decimal.Decimal) float64 {
	amount, _ := strconv.ParseFloat(costText(cost), 64)
	return amount
}

// largest returns the groups in an order, by default the most expensive first, and among equal ones those with the most runs.
func largest(all []measured, order string) []measured {
	value := costOf
	for _, known := range orders {
		if known.name == order {
			value = known.value
		}
	}
	slices.SortFunc(all, func(a, b measured) int {
		return cmp.Or(cmp.Compare(value(b.now), value(a.now)), cmp.Compare(b.now.Runs, a.now.Runs), cmp.Compare(a.name, b.name))
	})
	return all[:min(len(all), maxGroups)]
}

// groupColumns are the headings of a table of groups, with links that sort by them.
func groupColumns(at web.Address, name, counted string) []web.Column {
	columns := []web.Column{{Label: name}}
	for _, one := range orders {
		column := web.Column{Label: cmp.Or(one.label, counted), URL: at.With("groups", one.name) + toFigures, Number: true}
		if one.name == cmp.Or(at.Query.Get("groups"), byCost) {
			column.Order = "descending"
		}
		columns = append(columns, column)
	}
	return columns
}

func groupView(m measured) web.FiguresGroup {
	view := web.FiguresGroup{Name: m.name, Figures: figuresView(m.now), Before: figuresView(m.before.Summary())}
	for _, step := range m.steps {
		view.Points = append(view.Points, figuresView(step.Summary()))
	}
	return view
}

// together adds up the groups of several projects by their names.
func together(groups map[string][]measured, order string) ([]web.FiguresGroup, error) {
	var all []measured
	for name, some := range groups {
		now, err := figure.Together(form.Collect(some, func(m measured) *figure.Figures { return m.all }))
		if err != nil {
			return nil, err
		}
		before, err := figure.Together(form.Collect(some, func(m measured) *figure.Figures { return m.before }))
		if err != nil {
			return nil, err
		}
		all = append(all, measured{name: name, all: now, before: before, now: now.Summary()})
	}
	return form.Collect(largest(all, order), groupView), nil
}

// figuresPart are the figures of the runs that match the query of a project's page.
type figuresPart struct {
	frame   web.Frame
	project store.Project
	at      web.Address
	by      web.RunFilter
	where   conditions
	chosen  projectRange
	// runs are the matching ones, and grouped are those that are grouped.
	runs, grouped store.RunFilter
	grouping      grouping
}

// newFiguresPart reads the query of a project's page. A problem is what is wrong with it.
func newFiguresPart(c *rest.Call, frame web.Frame, row store.Project, at web.Address, chosen projectRange) (part figuresPart, problem string, err error) {
	name := at.Query.Get("by")
	chosenGrouping, known := groupingOf(name)
	if !known {
		return part, "Figures can't be grouped by " + name + ".", nil
	}
	part = figuresPart{frame: frame, project: row, at: at, by: runFilter(at.Query), chosen: chosen, grouping: chosenGrouping}
	where, problem, err := conditionsOf(c, part.by, searchTerms(part.by))
	part.where = where
	if problem != "" || err != nil {
		return part, problem, err
	}
	part.runs = runsWithin(c, row, chosen)
	err = narrow(&part.runs, where)
	part.grouped = part.runs
	if part.grouping.counted != "" && where.roots {
		part.grouped, err = belowRoots(part.runs, where)
	}
	if err == nil && part.grouping.runType != "" {
		err = run.Narrow(&part.grouped, "eq(run_type, "+quoted(part.grouping.runType)+")")
	}
	return part, "", err
}

// belowRoots returns the filter of the runs in the traces whose roots match another one.
func belowRoots(roots store.RunFilter, where conditions) (below store.RunFilter, err error) {
	below = roots
	below.Root, below.Where, below.Status, below.RootWhere = nil, nil, "", roots.Where
	if where.status == "" {
		return below, nil
	}
	err = run.Narrow(&roots, "eq(status, "+quoted(where.status)+")")
	below.RootWhere = roots.Where
	return below, err
}

// soon reports whether the figures are read in a moment, however many runs there are.
func (p figuresPart) soon() bool {
	return figure.RolledUp(p.runs, store.RunGroup{}) && figure.RolledUp(p.grouped, p.grouping.by)
}

// figures adds up the figures of the newest runs of the project, or of all if newest is zero.
func figures(c *rest.Call, p figuresPart, newest int) (*web.FiguresView, error) {
	p.runs.Newest, p.grouped.Newest = newest, newest
	from, to := p.chosen.bounds(c.Now)
	counted := "Runs"
	if p.runs.Root != nil {
		counted = "Traces"
	}
	by := p.at.Query.Get("by")
	view := &web.FiguresView{
		Frame: p.frame, Counted: counted, Newest: int64(newest), GroupedBy: by,
		Start: figure.FirstStep(from, p.chosen.step), Step: p.chosen.step, PointURLs: pointURLs(p.at, p.chosen, c.Now),
	}
	all, err := measure(c, p.runs, store.RunGroup{}, p.chosen)
	if err != nil {
		return nil, err
	}
	view.All = groupView(all[0])
	if by != "" {
		groups, err := measure(c, p.grouped, p.grouping.by, p.chosen)
		if err != nil {
			return nil, err
		}
		view.Columns = groupColumns(p.at, by, cmp.Or(p.grouping.counted, counted))
		for _, m := range largest(groups, p.at.Query.Get("groups")) {
			group := groupView(m)
			group.URL = p.groupURL(m.name)
			if p.grouping.by.Feedback != "" {
				group.Name = strings.TrimSuffix(m.name, ".0")
			}
			view.Groups = append(view.Groups, group)
		}
		if len(view.Groups) > 1 {
			view.Compared = append(p.at.Hidden(), web.Setting{Name: comparedProject, Value: p.project.ID})
		}
	}
	if view.Rollouts, err = rolloutMarks(c, p.project.Name, from, to); err != nil {
		return nil, err
	}
	return view, addNotes(c, p, view)
}

// groupURL is the address of the runs of a group; empty if there is no chip for it, or if the search is about the traces of the runs.
func (p figuresPart) groupURL(name string) string {
	text := chip(p.grouping.chip, name)
	search := p.by.Search
	ofTraces := p.grouping.counted != "" && p.by.Scope == "" && p.by.Status+strings.TrimSpace(search) != ""
	if text == "" || expressionPattern.MatchString(search) || ofTraces {
		return ""
	}
	changes := []string{"by", "", "groups", "", "q", strings.TrimSpace(search + " " + text)}
	if p.grouping.counted != "" {
		changes = append(changes, "scope", scopeAll, "run_type", p.grouping.runType)
	}
	return p.at.With(changes...) + toRuns
}

// addNotes counts what needs an explanation: spans that aren't understood, and failures that aren't errors.
func addNotes(c *rest.Call, p figuresPart, view *web.FiguresView) (err error) {
	terms := searchTerms(p.by)
	if view.UnreadSpans, err = c.Tx.CountRunsWith(p.runs, otlp.UnreadKey); err != nil {
		return err
	}
	if view.All.Figures.Errors > 0 && p.runs.Root != nil {
		view.Interrupts, view.MoreInterrupts, err = countInterrupts(c, p.runs)
	}
	if p.where.trace == "" { // An expression can't be about any run of a trace.
		view.UnreadURL = p.at.With("scope", scopeAll, "q", narrowed(p.by.Search, terms, unreadKey)) + toRuns
		view.InterruptsURL = p.at.With("status", string(llmrun.StatusError), "q", narrowed(p.by.Search, terms, llmrun.InterruptFilter)) + toRuns
	}
	return err
}

// toFigures leads to the figures of a project's page.
const toFigures = "#figures"

// maxRollouts is how many rollouts are marked in charts.
const maxRollouts = 50

// rolloutMarks returns the rollouts of a project's deployment, which has the same name, in a period: newest first.
func rolloutMarks(c *rest.Call, name string, from, to time.Time) (marks []web.RolloutMark, _ error) {
	id, err := deploymentNamed(c, name)
	if id == "" || err != nil {
		return nil, err
	}
	revisions, err := c.Tx.Revisions(c.WorkspaceID, id, store.RevisionFilter{DeployedFrom: &from, DeployedTo: &to}, store.Page{Limit: maxRollouts})
	for _, r := range revisions {
		marks = append(marks, web.RolloutMark{DeploymentID: id, RevisionID: r.ID, Reference: controlplane.Artifact(r), At: *r.DeployedAt})
	}
	return marks, err
}

// withFigures serves a page with the figures of a search: those of the first attempt that succeeds.
func (s *Service) withFigures(show func(c *rest.Call, frame web.Frame, newest int) (web.View, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		newest := 0
		read := func(ctx context.Context, workspaceID string, work func(*rest.Call) error) (err error) {
			began, busy := time.Now(), true
			for _, one := range s.attempts {
				newest = one.newest
				limited, cancel := context.WithDeadline(ctx, began.Add(one.until))
				err = s.rest.ReadTraced(limited, workspaceID, work)
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
					return err
				}
				busy = busy && errors.Is(err, store.ErrBusy)
			}
			if busy {
				return form.Refuse(form.Busy, "Too many requests are in progress. Try again later.")
			}
			return form.Broken("Counting these runs takes too long. Choose a shorter time range, or remove a condition of the search.")
		}
		s.page(w, r, read, func(c *rest.Call, frame web.Frame) (web.View, error) { return show(c, frame, newest) })
	}
}

// showFigures shows the figures of a search that aren't rolled up, which the page of the project asks for.
func showFigures(c *rest.Call, frame web.Frame, newest int) (web.View, error) {
	row, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return nil, err
	}
	return projectFigures(c, frame, row, newest)
}

// projectFigures returns the figures that the query of a project's page asks for.
func projectFigures(c *rest.Call, frame web.Frame, row store.Project, newest int) (web.ProjectFiguresView, error) {
	at := addressOf(c, frame.Paths().Project(row.ID))
	at.Query.Del(comparedProject)
	at.Query.Del(comparedGroup)
	chosen := chosenRange(c)
	view := web.ProjectFiguresView{Frame: frame, ProjectID: row.ID, ProjectName: row.Name, RangeLabel: chosen.describe(zoneOf(at.Query)), BackURL: at.With()}
	part, problem, err := newFiguresPart(c, frame, row, at, chosen)
	if view.Problem = problem; problem == "" && err == nil {
		view.Figures, err = figures(c, part, newest)
	}
	return view, err
}
