package pages

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/dataset"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

func (s *Service) showDatasets(c *rest.Call, frame web.Frame) (web.View, error) {
	rows, err := c.Tx.Datasets(c.WorkspaceID, store.DatasetFilter{})
	if err != nil {
		return nil, err
	}
	view := web.DatasetsView{Frame: frame}
	p, page := paged(c, frame.Paths().Datasets())
	rows, view.Paging = window(p, store.Window(rows, page))
	view.Datasets = form.Collect(rows, datasetSummary)
	return view, nil
}

func datasetSummary(row store.Dataset) web.DatasetSummary {
	return web.DatasetSummary{
		ID: row.ID, Name: row.Name, Description: api.OrEmpty(row.Description), Examples: row.Examples, Experiments: row.Experiments,
		LastExperiment: api.OrEmpty(row.LastExperiment),
	}
}

const (
	// comparedExperiments is how many experiments are side by side unless the address names some, and at most.
	comparedExperiments, mostExperiments = 3, 5
	// comparedRuns is how many of the newest runs of an experiment are compared.
	comparedRuns = 500
)

// showDataset shows experiments side by side: those that the address names, in the form of clients, or the newest ones.
func (s *Service) showDataset(c *rest.Call, frame web.Frame) (web.View, error) {
	row, err := rest.Named(c, "dataset_id", dataset.Read)
	if err != nil {
		return nil, err
	}
	all, err := c.Tx.Projects(c.WorkspaceID, store.ProjectFilter{ReferenceDatasetIDs: []string{row.ID}})
	if err != nil {
		return nil, err
	}
	at := addressOf(c, frame.Paths().Dataset(row.ID))
	chosen := chosenExperiments(all, at.Query.Get("selectedSessions"))
	view := web.DatasetView{Frame: frame, Dataset: datasetSummary(row)}
	for _, other := range all {
		if len(view.Others) < rowsPerPage && !slices.ContainsFunc(chosen, func(p store.Project) bool { return p.ID == other.ID }) {
			view.Others = append(view.Others, web.ExperimentLink{
				Name: other.Name, StartTime: other.StartTime, URL: at.With("selectedSessions", all[0].ID+","+other.ID),
			})
		}
	}
	lowerBetter, err := lowerBetterKeys(c)
	if err != nil {
		return nil, err
	}
	compared := make([]*experiment, len(chosen))
	for i, project := range chosen {
		if compared[i], err = s.readExperiment(c, project); err != nil {
			return nil, err
		}
	}
	for i, e := range compared {
		var before *outcome
		if i+1 < len(compared) {
			before = &compared[i+1].all
		}
		view.Experiments = append(view.Experiments, web.Experiment{
			ID: e.ID, Name: e.Name, StartTime: e.StartTime, Result: e.all.result(before, lowerBetter), Scores: e.own, Partial: e.partial,
		})
	}
	if err := addExamples(c, row.ID, compared, lowerBetter, &view); err != nil {
		return nil, err
	}
	return view, nil
}

// chosenExperiments returns the experiments whose IDs are in a list, or the newest ones. A single one is compared with the one before it.
func chosenExperiments(all []store.Project, list string) []store.Project {
	var chosen []store.Project
	last := 0
	for i, project := range all {
		if slices.Contains(strings.Split(list, ","), project.ID) && len(chosen) < mostExperiments {
			chosen, last = append(chosen, project), i
		}
	}
	switch {
	case len(chosen) == 0:
		return all[:min(len(all), comparedExperiments)]
	case len(chosen) == 1 && last+1 < len(all):
		return append(chosen, all[last+1])
	}
	return chosen
}

// lowerBetterKeys returns the feedback keys whose lower scores are better.
func lowerBetterKeys(c *rest.Call) (map[string]bool, error) {
	configs, err := c.Tx.FeedbackConfigs(c.WorkspaceID)
	keys := map[string]bool{}
	for _, config := range configs {
		keys[config.Key] = config.LowerBetter != nil && *config.LowerBetter
	}
	return keys, err
}

// addExamples adds the rows of a page: the examples with runs in the compared experiments, those first that have become worse, or without
// experiments, those of the dataset.
func addExamples(c *rest.Call, datasetID string, compared []*experiment, lowerBetter map[string]bool, view *web.DatasetView) error {
	f := store.ExampleFilter{WorkspaceID: c.WorkspaceID}
	p, page := paged(c, view.Paths().Dataset(datasetID))
	if len(compared) == 0 {
		f.DatasetID = datasetID
		err := c.Tx.EachExample(f, page, func(row store.Example) error {
			view.Examples = append(view.Examples, web.ComparedExample{ID: row.ID})
			return nil
		})
		if err != nil {
			return err
		}
		view.Examples, view.Paging = window(p, view.Examples)
	} else {
		worse, others := compareExamples(compared, lowerBetter)
		view.Worse = int64(len(worse))
		view.Examples, view.Paging = window(p, store.Window(append(worse, others...), page))
	}
	f = store.ExampleFilter{WorkspaceID: c.WorkspaceID, IDs: form.Collect(view.Examples, func(e web.ComparedExample) string { return e.ID })}
	contents := map[string]store.Example{}
	err := c.Tx.EachExample(f, store.Page{Limit: -1}, func(row store.Example) error { contents[row.ID] = row; return nil })
	for i := range view.Examples {
		example := &view.Examples[i]
		content, known := contents[example.ID]
		example.Deleted = !known
		example.Inputs, example.Expected = previewOf(content.Inputs, document.Inputs), previewOf(api.OrEmpty(content.Outputs), document.Outputs)
	}
	return err
}

// compareExamples returns the examples with runs in some experiments, with the result in each: those that have become worse, and the others.
func compareExamples(compared []*experiment, lowerBetter map[string]bool) (worse, others []web.ComparedExample) {
	seen := map[string]bool{}
	for _, e := range compared {
		for _, id := range e.order {
			if seen[id] {
				continue
			}
			seen[id] = true
			example := web.ComparedExample{ID: id}
			for i, e := range compared {
				var before *outcome
				if i+1 < len(compared) {
					before = compared[i+1].of[id]
				}
				example.Results = append(example.Results, e.of[id].ofExample(before, lowerBetter))
			}
			if example.Results[0].Worse {
				worse = append(worse, example)
			} else {
				others = append(others, example)
			}
		}
	}
	return worse, others
}
