package web

import "time"

// RunList is a list of runs, with the filters applied to it.
type RunList struct {
	Frame
	// Path is that of the page.
	Path   string
	Filter RunFilter
	// Problem is the problem of an invalid search; there are no runs then.
	Problem string
	// Chips are the terms of the search, and Suggestions are those that can complete it.
	Chips       []Chip
	Suggestions []string
	// Facets are common properties of the newest runs, FacetRuns is the number of these runs.
	Facets    []FacetGroup
	FacetRuns int64
	// MetadataKeys are those by which the figures of these runs can be grouped.
	MetadataKeys []string
	// Columns are those by which the list can be sorted.
	Columns []Column
	Runs    []ListedRun
	Paging  Paging
	// AllURL is the list without a filter, and Other a time range with matches, if this one has none.
	AllURL string
	Other  Range
	// ExportURL is the file of all matching runs, without its format.
	ExportURL string
	// Live says that the list is kept up to date. FollowURL switches that on or off; empty offers neither.
	Live      bool
	FollowURL string
}

// RunFilter contains the values of the form above the list of runs. They are sent as the query of the page's own path,
// under the names q, scope, run_type and status. Empty means any, but an empty scope means the root runs, one for each
// trace.
type RunFilter struct {
	// Search contains words, or a filter of the API.
	Search string
	// Scope is empty or "all".
	Scope string
	// RunType is one of RunTypes and Status one of Statuses, which are the available choices.
	RunType, Status    string
	RunTypes, Statuses []string
	// Hidden are the other parameters of the query, which the form keeps.
	Hidden []Setting
}

// Set reports whether the list differs from the default, the root runs.
func (f RunFilter) Set() bool {
	return f.Search != "" || f.Scope != "" || f.RunType != "" || f.Status != ""
}

// Chip is a term of a search, and the URL of the list without it.
type Chip struct{ Text, WithoutURL string }

// FacetGroup are facets of one kind.
type FacetGroup struct {
	Label  string
	Facets []Facet
}

// Facet is a value of some runs, and the URL of the list of these.
type Facet struct {
	Value, URL string
	Count      int64
}

// Column is a column by which the list can be sorted.
type Column struct {
	Label, URL string
	// Order is ascending, descending or none.
	Order  string
	Number bool
}

// RunSummary is a run in a list or in the tree of its trace.
type RunSummary struct {
	ID, TraceID, Name string
	// RunType and Status are values such as "llm" and "success"; Status is success, error or pending.
	RunType, Status string
	// Models are those that the run, or the runs below it, have called.
	Models []string
	// Error is the run's error. Interrupted says that it is an interrupt of a graph, which waits for input.
	Error       string
	Interrupted bool
	StartTime   time.Time
	// Latency is nil while the run is pending. FirstToken is from the start to the first token; nil without one.
	Latency, FirstToken *time.Duration
	// TotalTokens and TotalCost include the runs below. The cost is as in Figures.TotalCost.
	TotalTokens int64
	TotalCost   string
}

// Failed reports whether the run has an error that isn't an interrupt.
func (r RunSummary) Failed() bool { return r.Error != "" && !r.Interrupted }

// ListedRun is a run in a list, with previews of inputs and outputs.
type ListedRun struct {
	RunSummary
	Inputs, Outputs string
	// ThreadID is the conversation of the project that a trace belongs to; empty if there is none.
	ProjectID, ThreadID string
	// Scores are the feedback on the run, by key.
	Scores []Setting
}

// ScoresShown returns the scores for which a row has space, and ScoresOmitted the number of others.
func (r ListedRun) ScoresShown() []Setting { return r.Scores[:min(len(r.Scores), 3)] }

// ScoresOmitted returns the number of others.
func (r ListedRun) ScoresOmitted() int { return len(r.Scores) - len(r.ScoresShown()) }

// Model returns the first of the models, with the number of others.
func (r RunSummary) Model() string {
	switch n := len(r.Models); n {
	case 0:
		return ""
	case 1:
		return r.Models[0]
	default:
		return r.Models[0] + " +" + count(int64(n-1))
	}
}
