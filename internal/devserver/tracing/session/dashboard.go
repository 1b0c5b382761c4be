package session

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// dashboardAnswer contains the charts of a project. All of them are in sections.
type dashboardAnswer struct {
	ID          string             `json:"id"`
	SessionID   string             `json:"session_id"`
	Title       string             `json:"title"`
	Description *string            `json:"description"`
	Index       *int               `json:"index"`
	Charts      []chart            `json:"charts"`
	SubSections []dashboardSection `json:"sub_sections"`
}

type dashboardSection struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Index       int     `json:"index"`
	Charts      []chart `json:"charts"`
}

type chart struct {
	ID            string        `json:"id"`
	Title         string        `json:"title"`
	ChartType     string        `json:"chart_type"`
	Index         int           `json:"index"`
	Series        []chartSeries `json:"series"`
	Data          []chartPoint  `json:"data"`
	CommonFilters chartFilters  `json:"common_filters"`
}

// chartFilters are the filters that select a chart's runs in a run query.
type chartFilters struct {
	Session []string `json:"session"`
	Filter  *string  `json:"filter"`
}

type chartSeries struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Metric      string        `json:"metric"`
	FeedbackKey *string       `json:"feedback_key"`
	GroupBy     *chartGroupBy `json:"group_by"`
}

// chartGroupBy reports by what a series is grouped, and whether the request asked for that or the series is always grouped.
type chartGroupBy struct {
	run.StatsGroupBy
	SetBy string `json:"set_by"`
}

// chartPoint is the value of a step: a number, or a count for each string value.
type chartPoint struct {
	SeriesID  string  `json:"series_id"`
	Timestamp string  `json:"timestamp"` // The start of the step.
	Group     *string `json:"group"`
	Value     any     `json:"value"`
}

// chartID is the same for every request of a chart.
func chartID(row store.Project, title string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(row.ID+"/"+title)).String()
}

// chartRuns contains the figures of a section's runs: for each step and, if they are grouped, for each of the largest
// groups.
type chartRuns struct {
	steps    chartSteps
	grouping *chartGroupBy // Nil if they aren't grouped.
	groups   []string      // Largest first; one without a name if they aren't grouped.
	cells    map[run.Cell]*run.Measured
	omitData bool
}

// chartRuns computes the figures of a section's runs.
func readChartRuns(tx *store.Tx, row store.Project, section sectionPlan, request dashboardRequest, steps chartSteps) (*chartRuns, error) {
	f := store.RunFilter{WorkspaceID: row.WorkspaceID, ProjectIDs: []string{row.ID}, From: &steps.starts[0], To: &steps.end}
	section.narrow(&f)
	runs := &chartRuns{steps: steps, grouping: section.grouping(request.GroupBy), groups: []string{""}, omitData: request.OmitData != nil && *request.OmitData}
	by := store.RunGroup{}
	if runs.grouping != nil {
		by = runs.grouping.RunGroup()
	}
	var err error
	runs.cells, err = run.FiguresInCells(tx, f, by, steps.starts, false)
	if runs.grouping != nil {
		runs.groups = largestGroups(runs.cells, int(*runs.grouping.MaxGroups))
	}
	return runs, err
}

// largestGroups returns the names of the groups with the most runs.
func largestGroups(cells map[run.Cell]*run.Measured, most int) []string {
	sizes := map[string]int{}
	for cell, m := range cells {
		sizes[cell.Group] += m.Runs
	}
	return largestFirst(sizes, most)
}

// largestFirst returns the names with the largest numbers.
func largestFirst(sizes map[string]int, most int) []string {
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	return names[:min(len(names), most)]
}

// draw creates a chart of the runs. A group has a value only in steps in which it has runs.
func (r *chartRuns) draw(row store.Project, section sectionPlan, plan chartPlan, index int) chart {
	title := section.title + "/" + plan.title
	drawn := chart{
		ID: chartID(row, title), Title: plan.title, ChartType: plan.kind, Index: index, Data: []chartPoint{},
		CommonFilters: chartFilters{Session: []string{row.ID}, Filter: api.NonEmpty(section.filter)},
	}
	for _, line := range plan.lines {
		series := chartSeries{
			ID: chartID(row, title+"/"+line.metric), Name: line.name, Metric: line.metric, FeedbackKey: api.NonEmpty(line.feedbackKey), GroupBy: r.grouping,
		}
		drawn.Series = append(drawn.Series, series)
		for _, group := range r.groups {
			for step, start := range r.steps.starts {
				m := r.cells[run.Cell{Group: group, Step: step}]
				if r.omitData || m == nil && r.grouping != nil {
					continue
				}
				point := chartPoint{SeriesID: series.ID, Timestamp: form.DateTime(start), Value: line.value(m)}
				if r.grouping != nil {
					point.Group = &group
				}
				drawn.Data = append(drawn.Data, point)
			}
		}
	}
	return drawn
}
