package pages

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// experiment is an experiment with its outcome for each example.
type experiment struct {
	store.Project
	all     outcome
	of      map[string]*outcome // By example.
	order   []string            // The examples, in the order of their first runs.
	own     []web.Score
	partial bool
}

// outcome is that of some runs.
type outcome struct {
	newest   store.Run
	outputs  string
	runs     int64
	errors   int64
	ended    int64
	duration time.Duration
	totals   usage.Totals
	scores   map[string]*scoreSum
}

// readExperiment reads the newest root runs of an experiment, and what they say of its examples.
func (s *Service) readExperiment(c *rest.Call, project store.Project) (*experiment, error) {
	e := &experiment{Project: project, of: map[string]*outcome{}}
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{project.ID}, Root: new(true)}
	rows, next, err := run.Page(c.Tx, f, false, "", comparedRuns)
	if err != nil {
		return nil, err
	}
	e.partial = next != ""
	ids := form.Collect(rows, func(row store.Run) string { return row.ID })
	below, err := figure.Summarize(c.Tx, c.WorkspaceID, rows)
	if err != nil {
		return nil, err
	}
	previews, err := c.Tx.RunPreviews(c.WorkspaceID, ids, previewLength)
	if err != nil {
		return nil, err
	}
	said := map[string]store.RunPreview{}
	for _, preview := range previews {
		said[preview.ID] = preview
	}
	scores, err := sumScores(c, ids)
	if err != nil {
		return nil, err
	}
	for _, row := range slices.Backward(rows) {
		preview, known := said[row.ID]
		if !known { // It is too large for a preview.
			all, err := run.Logged(c.Tx, c.WorkspaceID, row.ID)
			if err != nil {
				return nil, err
			}
			_ = json.Unmarshal(all["reference_example_id"], &preview.ExampleID) // Without an example, it stays empty.
		}
		id := strings.ToLower(preview.ExampleID)
		if e.of[id] == nil && id != "" {
			e.of[id], e.order = &outcome{}, append(e.order, id)
		}
		for _, of := range []*outcome{&e.all, e.of[id]} {
			of.add(row, previewOf(preview.Outputs, document.Outputs), below[row.ID].Totals, scores[row.ID])
		}
	}
	e.own, err = scoresOfProject(c, project.ID)
	return e, err
}

// scoresOfProject returns the scores of a project as a whole.
func scoresOfProject(c *rest.Call, id string) (own []web.Score, _ error) {
	rows, err := c.Tx.ListFeedback(c.WorkspaceID, store.FeedbackFilter{ProjectIDs: []string{id}, OnProjects: new(true)}, store.Page{Limit: rowsPerPage})
	for _, row := range slices.Backward(rows) {
		said := feedbackView(row)
		own = append(own, web.Score{Name: row.Key, Value: cmp.Or(said.Score, said.Value)})
	}
	return own, err
}

// add adds a run, which is newer than the others. A nil outcome is that of runs without an example.
func (o *outcome) add(row store.Run, outputs string, totals usage.Totals, scores map[string]*scoreSum) {
	if o == nil {
		return
	}
	o.newest, o.outputs, o.totals = row, outputs, o.totals.Add(totals)
	o.runs++
	if row.Error != nil {
		o.errors++
	}
	if row.EndTime != nil {
		o.ended, o.duration = o.ended+1, o.duration+row.EndTime.Sub(row.StartTime)
	}
	if o.scores == nil {
		o.scores = map[string]*scoreSum{}
	}
	for key, more := range scores {
		if o.scores[key] == nil {
			o.scores[key] = &scoreSum{}
		}
		sum := o.scores[key]
		sum.total, sum.n, sum.said = sum.total+more.total, sum.n+more.n, more.said
	}
}

// ofExample is result with the newest run. Either outcome may be nil.
func (o *outcome) ofExample(before *outcome, lowerBetter map[string]bool) web.ExampleResult {
	if o == nil {
		return web.ExampleResult{}
	}
	return web.ExampleResult{
		Result: o.result(before, lowerBetter), TraceID: o.newest.TraceID, Outputs: o.outputs, Error: api.OrEmpty(o.newest.Error),
	}
}

// result compares an outcome with the one before, which may be nil.
func (o *outcome) result(before *outcome, lowerBetter map[string]bool) web.Result {
	result := web.Result{Runs: o.runs, Errors: o.errors, TotalCost: costText(o.totals.TotalCost)}
	if o.ended > 0 {
		result.Latency = new(o.duration / time.Duration(o.ended))
	}
	if before == nil {
		before = &outcome{}
	}
	result.Worse = before.runs > 0 && o.errors*before.runs > before.errors*o.runs
	for _, key := range slices.Sorted(maps.Keys(o.scores)) {
		score := web.Score{Name: key, Value: o.scores[key].text()}
		if was := before.scores[key]; was != nil && was.n > 0 && o.scores[key].n > 0 {
			better := o.scores[key].mean() - was.mean()
			if lowerBetter[key] {
				better = -better
			}
			switch {
			case better > scoreStep:
				score.Change = "better"
			case better < -scoreStep:
				score.Change, result.Worse = "worse", true
			}
		}
		result.Scores = append(result.Scores, score)
	}
	return result
}

// scoreStep is less than scores can differ by, and more than their averages do through rounding.
const scoreStep = 1e-6
