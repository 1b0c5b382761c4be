package web

import "time"

// DatasetsView is the list of datasets.
type DatasetsView struct {
	Frame
	Datasets []DatasetSummary
	Paging   Paging
}

// DatasetSummary is a dataset in a list, and the heading of its own page.
type DatasetSummary struct {
	ID, Name, Description string
	Examples, Experiments int64
	// LastExperiment is the start of the newest experiment; zero if there is none.
	LastExperiment time.Time
}

// DatasetView is the experiments of a dataset side by side.
type DatasetView struct {
	Frame
	Dataset DatasetSummary
	// Experiments are those that are compared, newest first; each of them with the next one. Others can be compared with the newest one.
	Experiments []Experiment
	Others      []ExperimentLink
	// Worse is how many examples have a worse result in the newest experiment than in the one before. They come first.
	Worse    int64
	Examples []ComparedExample
	Paging   Paging
}

// ExperimentLink leads to a comparison with an experiment.
type ExperimentLink struct {
	Name, URL string
	StartTime time.Time
}

// Experiment is a column of a comparison.
type Experiment struct {
	ID, Name  string
	StartTime time.Time
	Result    Result // Of all examples together.
	// Scores are those of the experiment as a whole, and Partial says that it has more runs than are compared.
	Scores  []Score
	Partial bool
}

// ComparedExample is a row of a comparison.
type ComparedExample struct {
	ID               string
	Inputs, Expected string
	// Deleted says that the dataset no longer has the example.
	Deleted bool
	// Results are those of each experiment.
	Results []ExampleResult
}

// ExampleResult is the result of an example, with the newest of its runs, and why that failed.
type ExampleResult struct {
	Result
	TraceID, Outputs, Error string
}

// Result is that of some runs. Scores and latencies are averages, costs are added up.
type Result struct {
	Runs, Errors int64
	Latency      *time.Duration
	TotalCost    string
	Scores       []Score
	// Worse says that a score is worse than in the experiment before, or that more runs failed.
	Worse bool
}

// Score is the average of a feedback key.
type Score struct {
	Name, Value string
	// Change is "better" or "worse" than in the experiment before; empty if it is neither.
	Change string
}
