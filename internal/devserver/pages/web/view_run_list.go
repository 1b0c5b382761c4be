package web

import "time"

// RunList is a list of runs, with what narrows it down.
type RunList struct {
	Filter RunFilter
	// Problem says what is wrong with the search; there are no runs then.
	Problem string
	// Facets are what the newest runs have in common, FacetRuns is how many of these.
	Facets    []FacetGroup
	FacetRuns int64
	// Columns are those that the list can be sorted by.
	Columns []Column
	Runs    []ListedRun
	Paging  Paging
	// AllURL leads to the list without a filter.
	AllURL string
	// Live are the runs, where they are followed. FollowURL leads to the list that is, or back; empty offers neither.
	Live      Live
	FollowURL string
}

// RunFilter is what the form above the list of runs says. It is sent as the query of the page's own path, under the names
// q, scope, run_type and status. Empty means any, but for the scope: empty means the root runs, one for each trace.
type RunFilter struct {
	// Search is words, or a filter of the API.
	Search string
	// Scope is empty or "all".
	Scope string
	// RunType is one of RunTypes and Status one of Statuses, which are what can be chosen.
	RunType, Status    string
	RunTypes, Statuses []string
	// Hidden are the other parts of the query, which the form keeps.
	Hidden []Setting
}

// Set says that the list is not that of the root runs.
func (f RunFilter) Set() bool {
	return f.Search != "" || f.Scope != "" || f.RunType != "" || f.Status != ""
}

// FacetGroup are facets of one kind.
type FacetGroup struct {
	Label  string
	Facets []Facet
}

// Facet is a value that some runs have, and the address of the list of these.
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
	// RunType and Status are words as in "llm" and "success"; Status is success, error or pending.
	RunType, Status string
	// Models are those that the run, or the runs below it, have called.
	Models []string
	// Error is what the run says has gone wrong.
	Error     string
	StartTime time.Time
	// Latency is nil while the run is pending. FirstToken is from the start to the first token; nil without one.
	Latency, FirstToken *time.Duration
	// TotalTokens and TotalCost are those of the run together with the runs below it. The cost is as Figures.TotalCost.
	TotalTokens int64
	TotalCost   string
}

// ListedRun is a run in a list, with short texts of what went in and came out.
type ListedRun struct {
	RunSummary
	Inputs, Outputs string
}

// Model is the first of the models, with how many others there are.
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
